"""Group the remarks on a file for people to read: each text once, with its places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.models import Submission
from leaderboard.services.files.remarks import restore_texts
from scoring.reading.problems import Remarks

_FIRST = 3
# The number of texts of one code with a group each; a code may have another text at each place.
_TEXTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkGroup:
    """Remarks with the same text.

    message, hint: in English; the filter `in_words` translates them.
    places: where in the file.
    rest: on the last group of a code, the remarks of that code with further texts.
    """

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
        """Whether there are more places than `first` has."""
        return self.count > _FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedRemarks:
    """Remarks in groups; `listed` of `total` remarks are in them."""

    groups: Sequence[RemarkGroup]
    listed: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """The problems of a file (without any it can be scored) and the warnings about it."""

    problems: GroupedRemarks
    warnings: GroupedRemarks

    @property
    def is_fine(self) -> bool:
        return not self.problems.total


def report_of(problems: Remarks | None, warnings: Remarks | None) -> FileReport:
    """Return the report on a file that was just read."""
    return FileReport(problems=_of_remarks(problems), warnings=_of_remarks(warnings))


def stored_report(submission: Submission) -> FileReport:
    """Return the report that is stored with a submission."""
    return FileReport(
        problems=_grouped(restore_texts(submission.problems), submission.problem_count),
        warnings=_grouped(restore_texts(submission.warnings), submission.warning_count),
    )


def _of_remarks(remarks: Remarks | None) -> GroupedRemarks:
    remarks = remarks or Remarks()
    return _grouped([remark.as_dict() for remark in remarks.listed], remarks.total)


def _grouped(listed: Sequence[Mapping[str, Any]], total: int) -> GroupedRemarks:
    by_code: dict[str, list[Mapping[str, Any]]] = {}
    for remark in listed:
        by_code.setdefault(remark["code"], []).append(remark)
    groups = [group for code, remarks in by_code.items() for group in _groups(code, remarks)]
    return GroupedRemarks(groups=groups, listed=len(listed), total=total)


def _groups(code: str, remarks: Sequence[Mapping[str, Any]]) -> list[RemarkGroup]:
    # By the whole text, which may name values that differ from place to place.
    by_text: dict[tuple[str, str], list[str]] = {}
    rest = []
    for remark in remarks:
        text = (remark["message"], remark["hint"])
        if text in by_text or len(by_text) < _TEXTS:
            by_text.setdefault(text, []).append(_place(remark))
        else:
            rest.append({"where": _place(remark), "message": text[0], "hint": text[1]})
    groups = [
        RemarkGroup(code=code, message=message, hint=hint, places=places)
        for (message, hint), places in by_text.items()
    ]
    groups[-1] = replace(groups[-1], rest=rest)
    return groups


def _place(remark: Mapping[str, Any]) -> str:
    line = _("line %(number)d") % {"number": remark["line"]} if remark["line"] else ""
    place = " · ".join(part for part in (remark["pointer"], line) if part) or _("the whole file")
    run = remark.get("run")
    if run is None:
        return place
    return _("run %(number)d (%(file)s)") % {"number": run, "file": remark["file"]} + f" · {place}"
