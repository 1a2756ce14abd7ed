"""A report on a file as people read it: the same remark once, with its places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.models import Submission
from leaderboard.services.files.remarks import restore_texts
from scoring.reading.problems import Remarks

_FIRST = 3
# So many texts of one code stand open; a code may have another text at each place.
_TEXTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One remark, word for word, with its places. message, hint: English, which `in_words` puts into the
    language of the page. rest: remarks of the same code in other words that have no group of their own; the
    last group of a code has them."""

    code: str
    message: str
    hint: str
    places: Sequence[str]
    rest: Sequence[Mapping[str, Any]] = ()

    @property
    def count(self) -> int:
        return len(self.places)

    @property
    def first(self) -> Sequence[str]:
        return self.places[:_FIRST]

    @property
    def has_more(self) -> bool:
        """Whether a list of all places says more than the first of them do."""
        return self.count > _FIRST


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
        problems=_remarked(restore_texts(submission.problems), submission.problem_count),
        warnings=_remarked(restore_texts(submission.warnings), submission.warning_count),
    )


def _of_remarks(remarks: Remarks | None) -> Remarked:
    remarks = remarks or Remarks()
    return _remarked([remark.as_dict() for remark in remarks.listed], remarks.total)


def _remarked(listed: Sequence[Mapping[str, Any]], total: int) -> Remarked:
    by_code: dict[str, list[Mapping[str, Any]]] = {}
    for remark in listed:
        by_code.setdefault(remark["code"], []).append(remark)
    groups = [group for code, remarks in by_code.items() for group in _groups(code, remarks)]
    return Remarked(groups=groups, listed=len(listed), total=total)


def _groups(code: str, remarks: Sequence[Mapping[str, Any]]) -> list[Group]:
    # By the whole text: what is said of one place may be untrue of another.
    by_text: dict[tuple[str, str], list[str]] = {}
    rest = []
    for remark in remarks:
        text = (remark["message"], remark["hint"])
        if text in by_text or len(by_text) < _TEXTS:
            by_text.setdefault(text, []).append(_where(remark))
        else:
            rest.append({"where": _where(remark), "message": text[0], "hint": text[1]})
    groups = [
        Group(code=code, message=message, hint=hint, places=places)
        for (message, hint), places in by_text.items()
    ]
    groups[-1] = replace(groups[-1], rest=rest)
    return groups


def _where(remark: Mapping[str, Any]) -> str:
    line = _("line %(number)d") % {"number": remark["line"]} if remark["line"] else ""
    return " · ".join(part for part in (remark["pointer"], line) if part) or _("the whole file")
