"""Fit names into so many letters, where an East Asian letter is as wide as two Latin ones."""

import re
import unicodedata

# Between the parts of `Medication/MedicationRequest` and of `Fennel-120B`; HbA1c is one word.
_PARTS = re.compile(r"(?<=[a-z0-9][/-])|(?<=[a-z])(?=[A-Z][a-z]{2})")


def clean(text: str) -> str:
    """Return `text` on one line without invisible characters.

    Text that runs from right to left is enclosed in Unicode isolates.
    """
    text = " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in text):
        # Otherwise whatever is beside the name would be drawn on its other side.
        return f"\u2068{text}\u2069"
    return text


def columns_of(text: str) -> int:
    """Return the width of `text` in Latin letters: an East Asian letter is as wide as two."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def shorten(text: str, letters: int) -> str:
    """Return `text` in one line of at most `letters` Latin letters, cut with an ellipsis."""
    return wrap(text, letters, 1)[0]


def wrap(text: str, letters: int, most: int) -> list[str]:
    """Return `text` in 1 to `most` lines of at most `letters` Latin letters.

    The last line ends with an ellipsis where not all of the text fits.
    """
    remaining = clean(text)
    lines: list[str] = []
    while remaining:
        head = _beginning(remaining, letters)
        if len(head) < len(remaining):
            if len(lines) == most - 1:
                lines.append(f"{_beginning(remaining, letters - 1).rstrip()}…")
                break
            if remaining[len(head)] != " ":
                head = head[: _last_break(head)]
        lines.append(head.rstrip())
        remaining = remaining[len(head) :].lstrip()
    return lines or [""]


def _last_break(head: str) -> int:
    """Return where a line that ends within a word breaks: at a space, else within a word of several parts."""
    parts = [match.start() for match in _PARTS.finditer(head) if match.start()]
    return max(head.rfind(" "), 0) or (parts[-1] if parts else len(head))


def _beginning(text: str, letters: int) -> str:
    """Return as much of `text` as is at most `letters` wide, but at least one character."""
    width = 0
    for place, c in enumerate(text):
        width += columns_of(c)
        if width > letters:
            # A zero-width joiner at the end would join the ellipsis.
            return text[: max(place, 1)].rstrip("\u200d")
    return text
