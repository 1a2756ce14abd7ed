"""Explain the commonest slips in JSON that people write by hand, and fix them."""

import json

from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.reports.fixes import Fix, in_text

_FURTHEST = 200  # characters before the place, in which a comma is looked for

Slip = tuple[Phrase | None, Fix | None]


def slip(text: str, position: int) -> Slip:
    """Return the hint on one of the commonest slips and its fix, as far as there are any.

    position: where the parser stopped
    """
    excerpt = text[position : position + 2]
    before = text[max(0, position - _FURTHEST) : position].rstrip()
    if excerpt[:1] in ("]", "}") and before.endswith(","):
        comma = text.rindex(",", 0, position)
        return phrase("Delete the comma before the closing bracket."), in_text(text, comma, comma + 1, "")
    if excerpt[:1] == "#" or excerpt in ("//", "/*"):
        return phrase("Delete the comment: JSON has none."), _without_comment(text, position)
    if excerpt[:1] == "\\":
        hint = phrase("Write a backslash within a string as two backslashes.")
        return hint, in_text(text, position, position + 1, "\\\\")
    if excerpt[:1] < " ":
        hint = phrase("Write a line break within a string as \\n and a tab as \\t.")
        is_tab = excerpt[:1] == "\t"
        return hint, in_text(text, position, position + 1, json.dumps("\t")[1:-1]) if is_tab else None
    return None, None


def _without_comment(text: str, position: int) -> Fix | None:
    """Return the fix that deletes the comment which begins there; None where it goes on on another line."""
    line = text[position : position + _FURTHEST].partition("\n")[0].rstrip("\r")
    if not line.startswith("/*"):
        return in_text(text, position, position + len(line), "")
    comment, end, _ = line.partition("*/")
    return in_text(text, position, position + len(comment + end), "") if end else None
