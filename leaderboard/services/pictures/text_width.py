"""Estimate the width of text in pixels in any font, and cut or wrap it to fit.

Charts measure text in columns instead (`charts.drawing.style`), where a name may end a little early or late.
"""

import unicodedata

# The widths below are fractions of the font size, those of the widest of the usual sans-serif fonts.
_NARROW = frozenset("iIljtfr.,:;'|!()[]{}· -")
_WIDE = frozenset("mwMWQO@%&—…")


def width_of(text: str, size: float) -> float:
    """Return the approximate width of `text` at font size `size`, rounded up rather than down."""
    return size * sum(map(_width, text))


def is_wide(c: str) -> bool:
    """Return whether a letter is as wide as it is high, like those of Chinese."""
    return unicodedata.east_asian_width(c) in "WF"


def _width(c: str) -> float:
    if unicodedata.combining(c):
        return 0.0
    if is_wide(c):
        return 1.0
    if c in _NARROW:
        return 0.36
    if c in _WIDE:
        return 0.95
    # Letters of other scripts may be wide.
    return 0.7 if c.isupper() else 0.61 if c.isascii() else 0.9


def cut(text: str, size: float, room: float) -> str:
    """Return `text` on one line, without invisible characters, cut to `room` pixels."""
    line = _one_line(text)
    if width_of(line, size) <= room:
        return line
    width = _width("…")
    for place, c in enumerate(line):
        width += _width(c)
        if size * width > room:
            return f"{line[:place].rstrip()}…"
    return line


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


_CLOSING = tuple("。，、；：！？）」』》")


def wrap_lines(text: str, size: float, room: float, lines: int) -> list[str]:
    """Return `text` in up to `lines` lines of at most `room` pixels, the last one cut to fit.

    Lines break at spaces, and between any two Chinese characters.
    """
    remaining = _one_line(text)
    rows: list[str] = []
    while remaining and len(rows) < lines - 1 and width_of(remaining, size) > room:
        end = _break(remaining, size, room)
        # No line begins with a closing mark.
        while end > 1 and remaining[end : end + 1] in _CLOSING:
            end -= 1
        rows.append(remaining[:end].rstrip())
        remaining = remaining[end:].lstrip()
    return [*rows, cut(remaining, size, room)] if remaining else rows


def _break(text: str, size: float, room: float) -> int:
    """Return where the first line of `text` ends."""
    width, last = 0.0, 0
    for place, c in enumerate(text):
        width += size * _width(c)
        if width > room:
            return last or max(1, place)
        if c == " " or is_wide(c):
            last = place + 1
    return len(text)
