"""Mechanical fixes of a file: the value that is written, and the one to write instead."""

import json
import re
from dataclasses import dataclass
from typing import Any

_LONGEST_VALUE = 300  # characters of what a fix removes or inserts
_LONGEST_LINE = 200  # characters of a line that a fix shows whole
_DECODER = json.JSONDecoder()
_KEY = re.compile(r'(?<!\\)"(?:[^"\\]|\\.)*"\s*:\s*\Z')  # before its value
CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A change that needs no thought: another value on one line.

    before, after: JSON of the value; once its place is known, that line of the file. A long line is cut to
    the member, with an ellipsis for the rest.
    """

    before: str
    after: str


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


def copied(after: str) -> str:
    """Return what to copy of the line that a fix inserts: without the ellipses of what was cut."""
    return after.removeprefix(CUT).removesuffix(CUT)


def in_json(fix: Fix, left: str, right: str) -> Fix:
    """Return a fix as lines of the file; unchanged where the file holds something else.

    left, right: the text of the file before the value and from the value on
    """
    try:
        value, end = _DECODER.raw_decode(right)
        if value != json.loads(fix.before):
            return fix
    except (ValueError, RecursionError):
        return fix
    # A value on several lines is shown on one.
    written = fix.before if "\n" in right[:end] else right[:end]
    return _as_lines(left, (written, fix.after), right[end:])


def _as_lines(left: str, change: tuple[str, str], right: str) -> Fix:
    """Return the line on which something changes, as it is and as it should be."""
    left, right = left.rpartition("\n")[2], right.partition("\n")[0].rstrip("\r")
    if len(left) + max(map(len, change)) + len(right) > _LONGEST_LINE:
        key = _KEY.search(left)
        kept = key[0] if key else ""
        left = left if kept.strip() == left.strip() else CUT + kept
        right = right if right.strip() in ("", ",") else CUT
    before, after = (_shown(left + part + right) for part in change)
    return Fix(before=before, after=after)


def _shown(line: str) -> str:
    """Return a line ready to be shown: tabs as spaces, and what else is not printable escaped."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line.expandtabs(4))
