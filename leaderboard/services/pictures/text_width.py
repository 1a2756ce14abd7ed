"""How wide a text will be, in whatever font the reader has: pictures must have room for it."""

import unicodedata

# In units of the font's size, as wide as the widest of the usual sans-serif fonts has them.
_NARROW = frozenset("iIljtfr.,:;'|!()[]{}· -")
_WIDE = frozenset("mwMWQO@%&—…")


def width_of(text: str, size: float) -> float:
    """Return about how wide `text` is at `size`, rather too wide than too narrow."""
    return size * sum(map(_width, text))


def is_wide(c: str) -> bool:
    """Whether a letter is as wide as it is high, as those of Chinese are."""
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
    # Of scripts that are not Latin little is known but that their letters may be wide.
    return 0.7 if c.isupper() else 0.61 if c.isascii() else 0.9


def cut(text: str, size: float, room: float) -> str:
    """Return `text` in one line, without what cannot be seen, cut with an ellipsis to fit `room`."""
    said = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if width_of(said, size) <= room:
        return said
    taken = _width("…")
    for place, c in enumerate(said):
        taken += _width(c)
        if size * taken > room:
            return f"{said[:place].rstrip()}…"
    return said


_CLOSING = tuple("。，、；：！？）」』》")


def wrapped(text: str, size: float, room: float, lines: int) -> list[str]:
    """Return `text` in up to `lines` lines that fit `room`, the last one cut. Chinese breaks anywhere."""
    left = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    made: list[str] = []
    while left and len(made) < lines - 1 and width_of(left, size) > room:
        end = _break(left, size, room)
        # A mark that closes does not begin a line.
        while end > 1 and left[end : end + 1] in _CLOSING:
            end -= 1
        made.append(left[:end].rstrip())
        left = left[end:].lstrip()
    return [*made, cut(left, size, room)] if left else made


def _break(text: str, size: float, room: float) -> int:
    taken, last = 0.0, 0
    for place, c in enumerate(text):
        taken += size * _width(c)
        if taken > room:
            return last or max(1, place)
        if c == " " or is_wide(c):
            last = place + 1
    return len(text)
