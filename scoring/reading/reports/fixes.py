"""Mechanical fixes of a file: what is written, and what to write instead."""

import json
import re
from dataclasses import dataclass
from typing import Any

_LONGEST_VALUE = 300  # characters of what a fix removes or inserts
_LONGEST_LINE = 200  # characters of a line that a fix shows whole
_AROUND = 60  # characters shown on either side of a slip in a longer line
_DECODER = json.JSONDecoder()
_MEMBER = re.compile(r'("(?:[^"\\]|\\.)*")\s*:\s*\Z')  # a key before its value
_AFTER_KEY = re.compile(r"\s*:\s*")
CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A change that needs no thought: one line to remove and one to insert.

    - before, after: JSON of a value, a key or a member, "" for nothing; once their place is known, that line
      of the file. A long line is cut to the member, with an ellipsis for the rest.
    - key: the key that is renamed, in the object at the pointer of the remark; None where its value changes
    """

    before: str
    after: str
    key: str | None = None

    def as_dict(self) -> dict[str, str]:
        return {"before": self.before, "after": self.after}


def json_text(value: Any) -> str:
    """Return `value` as JSON that people can read and copy: what cannot be seen is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)


def change_value(before: Any, after: Any) -> Fix | None:
    """Return the fix that writes another value; None where one of the two is no JSON, or too long to show."""
    try:
        texts = json_text(before), json_text(after)
    except (TypeError, ValueError):
        # Texts that hold printed Python objects can hold sets, bytes, and integers of any length.
        return None
    return None if max(map(len, texts)) > _LONGEST_VALUE else Fix(before=texts[0], after=texts[1])


def rename_key(key: str, new: str) -> Fix | None:
    """Return the fix that writes another key; None where the old one is too long to show."""
    fix = change_value(key, new)
    return fix and Fix(before=fix.before, after=fix.after, key=key)


def change_member(key: str, before: Any, after: Any) -> Fix | None:
    """Return the fix that writes another value, with its key; for a value within a text of the file."""
    name, fix = json_text(key), change_value(before, after)
    return fix and Fix(before=f"{name}: {fix.before}", after=f"{name}: {fix.after}")


def add_member(key: str, value: Any) -> Fix:
    """Return the fix that adds a member to an object, before its others."""
    return Fix(before="", after=f"{json_text(key)}: {json_text(value)},")


def copied(after: str) -> str:
    """Return what to copy of the line that a fix inserts: without the ellipses of what was cut."""
    return after.removeprefix(CUT).removesuffix(CUT)


def in_json(fix: Fix, left: str, right: str) -> Fix:
    """Return a fix as lines of the file; unchanged where the file holds something else.

    left, right: the text of the file before the value and from the value on
    """
    if fix.key is not None:
        return _renamed(fix, left, right)
    try:
        value, end = _DECODER.raw_decode(right)
        is_same = value == json.loads(fix.before)
    except (ValueError, RecursionError):
        return fix
    written = right[:end]
    # A value on several lines is shown on one.
    if not is_same:
        return fix
    return _as_lines(left, (fix.before if "\n" in written else written, fix.after), right[end:])


def in_table(fix: Fix, left: str, cell: str, right: str) -> Fix:
    """Return a fix as lines of a table; unchanged where the cell holds something else.

    cell: as it is written. left, right: the text of the file around it
    """
    try:
        before, after = json.loads(fix.before), json.loads(fix.after)
    except ValueError:
        return fix
    text = cell[1:-1].replace('""', '"') if cell.startswith('"') else cell
    if fix.key is not None or text != before or not isinstance(after, str):
        return fix
    is_quoted = any(mark in after for mark in '",\r\n')
    written = '"{}"'.format(after.replace('"', '""')) if is_quoted else after
    return _as_lines(left, (cell, written), right)


def in_text(text: str, start: int, end: int, new: str) -> Fix:
    """Return the fix that writes `new` for a part of one line of `text`, which is no JSON as it is."""
    line_start = text.rfind("\n", 0, start) + 1
    left, right = text[max(line_start, start - _LONGEST_LINE) : start], text[end : end + _LONGEST_LINE]
    right = right.partition("\n")[0].rstrip("\r")
    if len(left) + end - start + len(right) > _LONGEST_LINE:
        left = left if len(left) <= _AROUND else CUT + left[-_AROUND:]
        right = right if len(right) <= _AROUND else right[:_AROUND] + CUT
    return Fix(before=_shown(left + text[start:end] + right), after=_shown((left + new + right).rstrip()))


def _renamed(fix: Fix, left: str, right: str) -> Fix:
    member = _MEMBER.search(left)
    try:
        is_same = member is not None and json.loads(member[1]) == fix.key
    except ValueError:
        is_same = False
    if not is_same or member is None:
        return fix
    return _as_lines(left[: member.start(1)], (member[1], fix.after), left[member.end(1) :] + right)


def _as_lines(left: str, change: tuple[str, str], right: str) -> Fix:
    """Return the line on which something changes, as it is and as it should be."""
    left, right = left.rpartition("\n")[2], right.partition("\n")[0].rstrip("\r")
    if len(left) + max(map(len, change)) + len(right) > _LONGEST_LINE:
        member, after_key = _MEMBER.search(left), _AFTER_KEY.match(right)
        kept_left, kept_right = member[0] if member else "", after_key[0] if after_key else ""
        left = left if kept_left.strip() == left.strip() else CUT + kept_left
        right = right if right.strip() in ("", ",") else kept_right + CUT
    before, after = (_shown(left + part + right) for part in change)
    return Fix(before=before, after=after)


def _shown(line: str) -> str:
    """Return a line ready to be shown: tabs as spaces, and what else is not printable escaped."""
    line = line.expandtabs(4)
    return (
        line if line.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)
    )
