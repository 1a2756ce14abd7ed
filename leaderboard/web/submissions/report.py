"""Group the remarks on a file for people to read: each text once, with its places."""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from leaderboard.models import Submission
from leaderboard.services.exports.csv_json import neutralise, write_csv
from leaderboard.services.files.remarks import restore_texts, without_parts
from leaderboard.services.text import join_names
from scoring.reading.places import QUOTED_OF_A_TEXT
from scoring.reading.problems import NEAR_COLUMN, Remarks

_FIRST = QUOTED_OF_A_TEXT
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
_COLUMNS = (
    "kind",
    "code",
    "run",
    "file",
    "where",
    "result",
    "task",
    "line",
    "column",
    "pointer",
    "message",
    "hint",
    "quoted",
)
# The number of texts of one code with a group each; a code may have another text at each place.
_TEXTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkPlace:
    """Where in the file a remark is.

    words: HTML, as people look for it: “result 9, task2_5, line 31”; "" where only the pointer is known
    pointer: the JSON Pointer, "" for the whole file
    quoted: lines of the file, each with its `number` and `text`
    line: the number of the one that the remark is about
    """

    words: str
    pointer: str = ""
    quoted: Sequence[Mapping[str, Any]] = ()
    line: int | None = None


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
    places: Sequence[RemarkPlace]
    rest: Sequence[Mapping[str, Any]] = ()

    @property
    def count(self) -> int:
        return len(self.places)

    @property
    def first(self) -> Sequence[RemarkPlace]:
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
    """The problems of a file (without any it can be scored) and the warnings about it.

    files: the report as files: extension -> address
    """

    problems: GroupedRemarks
    warnings: GroupedRemarks
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_fine(self) -> bool:
        return not self.problems.total


def report_of(problems: Remarks | None, warnings: Remarks | None) -> FileReport:
    """Return the report on a file that was just read; nothing is stored, so the page holds its files."""
    problems, warnings = problems or Remarks(), warnings or Remarks()
    lists = [[remark.as_dict() for remark in remarks.listed] for remarks in (problems, warnings)]
    document = _document(*lists, totals=(problems.total, warnings.total))
    return FileReport(
        problems=_grouped(lists[0], problems.total),
        warnings=_grouped(lists[1], warnings.total),
        files={
            extension: f"data:{MEDIA_TYPES[extension]};base64,{b64encode(text.encode()).decode()}"
            for extension, text in (("csv", report_csv(document)), ("json", report_json(document)))
        }
        if any(lists)
        else {},
    )


def stored_report(submission: Submission) -> FileReport:
    """Return the report that is stored with a submission."""
    return FileReport(
        problems=_grouped(restore_texts(submission.problems), submission.problem_count),
        warnings=_grouped(restore_texts(submission.warnings), submission.warning_count),
        files={
            extension: reverse("web:report", args=[submission.pk, extension]) for extension in MEDIA_TYPES
        },
    )


def stored_warnings(warnings: Sequence[Mapping[str, Any]], total: int) -> FileReport:
    """Return the report on a valid file, from its stored warnings, of which there are `total`."""
    return FileReport(problems=_grouped([], 0), warnings=_grouped(restore_texts(warnings), total))


def report_document(submission: Submission) -> dict[str, Any]:
    """Return the stored report for programs, as `wardboard validate` prints it, in English."""
    return _document(
        without_parts(submission.problems),
        without_parts(submission.warnings),
        totals=(submission.problem_count, submission.warning_count),
    )


def report_json(document: Mapping[str, Any]) -> str:
    """Return a report as JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def report_csv(document: Mapping[str, Any]) -> str:
    """Return a report as CSV, a line for each remark."""
    return "".join(write_csv(_csv_rows(document), names=_COLUMNS))


def _document(
    problems: Iterable[Mapping[str, Any]], warnings: Iterable[Mapping[str, Any]], *, totals: tuple[int, int]
) -> dict[str, Any]:
    return {
        "problems": {"total": totals[0], "listed": list(problems)},
        "warnings": {"total": totals[1], "listed": list(warnings)},
    }


def _csv_rows(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kind in ("problem", "warning"):
        for remark in document[f"{kind}s"]["listed"]:
            quoted = " | ".join(f"{line['number']}: {line['text']}" for line in remark.get("quoted", ()))
            row = {"kind": kind, **remark, "result": remark.get("record"), "quoted": quoted}
            yield {name: neutralise(row.get(name)) for name in _COLUMNS}


def _grouped(listed: Sequence[Mapping[str, Any]], total: int) -> GroupedRemarks:
    by_code: dict[str, list[Mapping[str, Any]]] = {}
    for remark in listed:
        by_code.setdefault(remark["code"], []).append(remark)
    groups = [group for code, remarks in by_code.items() for group in _groups(code, remarks)]
    return GroupedRemarks(groups=groups, listed=len(listed), total=total)


def _groups(code: str, remarks: Sequence[Mapping[str, Any]]) -> list[RemarkGroup]:
    # By the whole text, which may name values that differ from place to place.
    by_text: dict[tuple[str, str], list[RemarkPlace]] = {}
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


def _place(remark: Mapping[str, Any]) -> RemarkPlace:
    parts = [_("result %(number)s") % {"number": f"{remark['record']:,}"} if remark.get("record") else ""]
    if remark.get("task"):
        # A word of the file, in no language.
        parts.append(format_html("<code>{}</code>", remark["task"]))
    if remark["line"]:
        parts.append(_("line %(number)s") % {"number": f"{remark['line']:,}"})
    if (column := remark.get("column")) and column > NEAR_COLUMN:
        parts.append(_("column %(number)s") % {"number": f"{column:,}"})
    run = remark.get("run")
    if run is not None:
        parts.insert(0, _("run %(number)d (%(file)s)") % {"number": run, "file": remark["file"]})
    words = format_html_join(join_names(("", "")), "{}", ((part,) for part in parts if part))
    pointer = remark["pointer"]
    return RemarkPlace(
        words=words or ("" if pointer else _("the whole file")),
        pointer=pointer,
        quoted=remark.get("quoted", ()),
        line=remark["line"],
    )
