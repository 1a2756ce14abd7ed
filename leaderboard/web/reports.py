"""A report on a file as people read it: the same remark once, with its places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.models import Submission
from scoring.problems import Remarks

_FIRST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Remarks of one code. message and hint: those of the first; a place has its own where they differ."""

    code: str
    message: str
    hint: str
    places: Sequence[Mapping[str, Any]]

    @property
    def count(self) -> int:
        return len(self.places)

    @property
    def first(self) -> Sequence[Mapping[str, Any]]:
        return self.places[:_FIRST]

    @property
    def has_more(self) -> bool:
        """Whether a list of all places says more than the first of them do."""
        return self.count > _FIRST or any(place["message"] or place["hint"] for place in self.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarked:
    """Remarks in groups. listed of total are shown."""

    groups: Sequence[Group]
    listed: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is wrong with a file (nothing: it can be scored), and what else was seen."""

    problems: Remarked
    warnings: Remarked

    @property
    def is_fine(self) -> bool:
        return not self.problems.total


def report_of(problems: Remarks | None, warnings: Remarks | None) -> Report:
    """Return the report on a file that was just read."""
    return Report(problems=_of_remarks(problems), warnings=_of_remarks(warnings))


def stored_report(submission: Submission) -> Report:
    """Return the report that is kept with a submission."""
    return Report(
        problems=_remarked(submission.problems, submission.problem_count),
        warnings=_remarked(submission.warnings, submission.warning_count),
    )


def _of_remarks(remarks: Remarks | None) -> Remarked:
    remarks = remarks or Remarks()
    return _remarked([remark.as_dict() for remark in remarks.listed], remarks.total)


def _remarked(listed: Sequence[Mapping[str, Any]], total: int) -> Remarked:
    by_code: dict[str, list[Mapping[str, Any]]] = {}
    for remark in listed:
        by_code.setdefault(remark["code"], []).append(remark)
    return Remarked(
        groups=[_group(code, remarks) for code, remarks in by_code.items()], listed=len(listed), total=total
    )


def _group(code: str, remarks: Sequence[Mapping[str, Any]]) -> Group:
    head = remarks[0]
    places = [
        {
            "where": _where(remark),
            "message": remark["message"] if remark["message"] != head["message"] else "",
            "hint": remark["hint"] if remark["hint"] != head["hint"] else "",
        }
        for remark in remarks
    ]
    return Group(code=code, message=head["message"], hint=head["hint"], places=places)


def _where(remark: Mapping[str, Any]) -> str:
    line = f"line {remark['line']}" if remark["line"] else ""
    return " · ".join(part for part in (remark["pointer"], line) if part) or "the whole file"
