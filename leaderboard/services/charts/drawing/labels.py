"""Where labels go: beside their points, and over nothing else. Measures in pixels from the upper left."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from leaderboard.services.charts.drawing.style import columns_of

_LETTER, _LINE = 6.4, 13  # a column of Latin script at 11 pixels, a little too wide to be sure; a line of it


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


class Side(NamedTuple):
    """Where a label stands from its point: to the right of it where `align` is left, and so on."""

    align: Literal["left", "center", "right"]
    dx: float
    dy: float

    def box(self, text: str, x: float, y: float) -> Box:
        width = columns_of(text) * _LETTER
        start = {"left": 0.0, "right": -width, "center": -width / 2}[self.align] + x + self.dx
        middle = y + self.dy
        return Box(start, middle - _LINE / 2, start + width, middle + _LINE / 2)


def around(x: float, y: float, reach: float = 5) -> Box:
    """Return the box of a point."""
    return Box(x - reach, y - reach, x + reach, y + reach)


def place(
    text: str, x: float, y: float, sides: Iterable[Side], *, taken: Iterable[Box], frame: Box
) -> tuple[Side, Box] | None:
    """Return the first of `sides` on which the label is within `frame` and over nothing of `taken`; None
    where there is none."""
    taken = list(taken)
    for side in sides:
        box = side.box(text, x, y)
        inside = (
            box.left >= frame.left
            and box.right <= frame.right
            and box.top >= frame.top
            and box.bottom <= frame.bottom
        )
        if inside and not any(box.meets(other) for other in taken):
            return side, box
    return None
