"""Explain the commonest slips in JSON that people write by hand."""

from wardboard.scoring.reading.messages import Phrase, phrase

_FURTHEST = 200  # characters before the place, in which a comma is looked for


def hint_on_slip(text: str, position: int) -> Phrase | None:
    """Return the hint on one of the commonest slips; None for another. position: where the parser stopped."""
    excerpt = text[position : position + 2]
    before = text[max(0, position - _FURTHEST) : position].rstrip()
    if excerpt[:1] in ("]", "}") and before.endswith(","):
        return phrase("Delete the comma before the closing bracket.")
    if excerpt[:1] == "#" or excerpt in ("//", "/*"):
        return phrase("Delete the comment: JSON has none.")
    if excerpt[:1] == "\\":
        return phrase("Write a backslash within a string as two backslashes.")
    if excerpt[:1] < " ":
        return phrase("Write a line break within a string as \\n and a tab as \\t.")
    return None
