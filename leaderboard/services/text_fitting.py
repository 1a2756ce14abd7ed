"""Fit names into so many letters, where an East Asian letter is as wide as two Latin ones."""

import unicodedata


def clean(text: str) -> str:
    """Return `text` on one line without invisible characters, in Unicode isolates where it runs leftwards."""
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
    """Return `text` in 1 to `most` lines of at most `letters` Latin letters, cut with an ellipsis."""
    remaining = clean(text)
    lines: list[str] = []
    while remaining:
        head = _beginning(remaining, letters)
        if len(head) < len(remaining):
            if len(lines) == most - 1:
                lines.append(f"{_beginning(remaining, letters - 1).rstrip()}…")
                break
            if remaining[len(head)] != " " and " " in head:
                head = head[: head.rfind(" ")]
        lines.append(head.rstrip())
        remaining = remaining[len(head) :].lstrip()
    return lines or [""]


def _beginning(text: str, letters: int) -> str:
    """Return as much of `text` as is at most `letters` wide, but at least one character."""
    width = 0
    for place, c in enumerate(text):
        width += columns_of(c)
        if width > letters:
            # A zero-width joiner at the end would join the ellipsis.
            return text[: max(place, 1)].rstrip("\u200d")
    return text
