"""Group the remarks on a file for people to read: by code, each with its places and its fix."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from leaderboard.models import Submission
from leaderboard.services.files.remarks import columns_of, restore_texts, without_parts
from leaderboard.services.text import join_names
from wardboard.scoring.reading.codes import RulesCode
from wardboard.scoring.reading.problems import NEAR_COLUMN, Remarks
from wardboard.scoring.reading.reports.code_groups import CodeGroup, changed_line, group_by_code
from wardboard.scoring.reading.reports.fixes import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedRemarks:
    """Remarks in groups, one for each code; `listed` of `total` remarks are in them."""

    groups: Sequence[Mapping[str, Any]]
    listed: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """The problems of a file (without any it can be scored) and the warnings about it.

    file: the address of the report as JSON; "" of one that is not stored
    """

    problems: GroupedRemarks
    warnings: GroupedRemarks
    file: str = ""

    @property
    def head(self) -> Mapping[str, Any] | None:
        """The warning that comes before all else: most of the answers are no answers."""
        return next((group for group in self.warnings.groups if group["code"] == RulesCode.ANSWERS), None)


def report_of(problems: Remarks | None, warnings: Remarks | None) -> FileReport:
    """Return the report on a file that was just read, of which nothing is stored."""
    return report_of_columns(columns_of(problems=problems or Remarks(), warnings=warnings or Remarks()))


def stored_report(submission: Submission) -> FileReport:
    return report_of_columns(_stored(submission), reverse("web:report", args=[submission.pk]))


def report_json(submission: Submission) -> str:
    """Return the stored report for programs, as `wardboard validate` prints it, in English."""
    columns = _stored(submission)
    document = {
        f"{kind}s": {"total": columns[f"{kind}_count"], "listed": without_parts(columns[f"{kind}s"])}
        for kind in ("problem", "warning")
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _stored(submission: Submission) -> dict[str, Any]:
    """Return the columns of the remarks on its file, by the names of `columns_of`."""
    names = [
        name for kind in ("problem", "warning") for name in (f"{kind}s", f"{kind}_count", f"{kind}s_by_code")
    ]
    return {name: getattr(submission, name) for name in names}


def report_of_columns(columns: Mapping[str, Any], file: str = "") -> FileReport:
    """Return the report by the columns of a submission, or by what a draft keeps of a valid file."""
    return FileReport(problems=_grouped(columns, "problem"), warnings=_grouped(columns, "warning"), file=file)


def _grouped(columns: Mapping[str, Any], kind: str) -> GroupedRemarks:
    listed = restore_texts(columns.get(f"{kind}s", ()))
    groups = [_group(group) for group in group_by_code(listed, columns.get(f"{kind}s_by_code") or None)]
    return GroupedRemarks(groups=groups, listed=len(listed), total=columns.get(f"{kind}_count", 0))


def _group(group: CodeGroup) -> dict[str, Any]:
    """Return the context of the remarks with one code.

    message, hint: in English; the filter `in_words` translates them. "" where they differ from place to place
    first: the place that is shown; rest: the others that are listed, folded
    total: how many there are, of which `unlisted` are not listed
    """
    common = {name: group.common(name) for name in ("message", "hint")}
    # A place says itself what differs from place to place.
    differing = [name for name, text in common.items() if not text]
    places = [_place(remark, {name: remark[name] for name in differing}) for remark in group.listed]
    return {
        "code": group.code,
        **common,
        "first": places[0] if places else None,
        "rest": places[1:],
        "total": group.total,
        "unlisted": group.unlisted,
    }


def _place(remark: Mapping[str, Any], texts_of_place: Mapping[str, str]) -> dict[str, Any]:
    """Return the context of a place: where in the file a remark is.

    texts_of_place: its message and its hint, where others of its code say something else
    words: HTML, as people look for it: “result 9, task2_5, line 31”; "" where only the pointer is known
    pointer: the JSON Pointer, "" for the whole file
    message, hint: in English; the filter `in_words` translates them. "" for those of the group
    lines: lines of the file, each with `number` and `text`, whether it is `meant`, and whether the fix is
        on it (`has_fix`)
    fix: the lines that it removes and inserts (`before`, `after`), and the text to `copy`; None for none
    is_fix_apart: whether the fix changes none of `lines`
    """
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
    pointer, fix, changed = remark["pointer"], remark.get("fix"), changed_line(remark)
    quoted = remark.get("quoted", ())
    texts = [*(line["text"] for line in quoted), *(fix or {}).values()]
    # Narrow screens have no room for the spaces with which all lines begin.
    cut = min((len(text) - len(text.lstrip(" ")) for text in texts if text.strip()), default=0)
    lines = [
        {
            "number": line["number"],
            "text": line["text"][cut:],
            "meant": line["number"] == remark["line"],
            "has_fix": line["number"] == changed,
        }
        for line in quoted
    ]
    return {
        "words": words or ("" if pointer else _("the whole file")),
        "pointer": pointer,
        "message": "",
        "hint": "",
        **texts_of_place,
        "lines": lines,
        "fix": fix
        and {
            "before": fix["before"][cut:],
            "after": fix["after"][cut:],
            "copy": copied(fix["after"]).strip(),
        },
        "is_fix_apart": fix is not None and changed is None,
    }
