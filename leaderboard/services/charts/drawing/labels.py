"""Place labels beside their points so that they cover nothing, in pixels from the top left."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from leaderboard.services.charts.drawing.style import LETTER, LINE
from leaderboard.services.text_fitting import columns_of

_WIDEST_MARK = 12  # pixels: a wider box is that of a label


class Box(NamedTuple):
    """A rectangle, by the positions of its sides in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Return whether the two rectangles overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def is_within(self, frame: "Box") -> bool:
        """Return whether all of the rectangle is in `frame`."""
        return (
            self.left >= frame.left
            and self.right <= frame.right
            and self.top >= frame.top
            and self.bottom <= frame.bottom
        )


class Side(NamedTuple):
    """The position of a label relative to its point.

    align: which end of the text is placed: `left` puts the text to the right of the point
    dx, dy: the distance from the point in pixels, right and down
    """

    align: Literal["left", "center", "right"]
    dx: float
    dy: float

    def box(self, text: str, x: float, y: float) -> Box:
        width = columns_of(text) * LETTER
        start = {"left": 0.0, "right": -width, "center": -width / 2}[self.align] + x + self.dx
        middle = y + self.dy
        return Box(start, middle - LINE / 2, start + width, middle + LINE / 2)


def around(x: float, y: float, reach: float = 5) -> Box:
    """Return the box of a point that is drawn up to `reach` pixels from its centre."""
    return Box(x - reach, y - reach, x + reach, y + reach)


def place(
    text: str, x: float, y: float, sides: Iterable[Side], *, occupied: Iterable[Box], frame: Box
) -> tuple[Side, Box] | None:
    """Return the first of `sides` where the label fits, and the label's box; None if none does.

    occupied: boxes that the label must not cover
    frame: the box that the label must lie within
    """
    occupied = list(occupied)
    for side in sides:
        box = side.box(text, x, y)
        if box.is_within(frame) and not any(box.meets(other) for other in occupied):
            return side, box
    return None


def place_near(text: str, x: float, y: float, *, occupied: Sequence[Box], frame: Box) -> tuple[Side, Box]:
    """Return the nearest side where a short label fits, and its box; the last one tried if none does.

    The line from the point to the label crosses no other label, if there is such a side.
    """
    # Hundreds of labels try thousands of places, so a ring of places is compared at once.
    left, top, right, bottom = np.array(occupied or [Box(0, 0, 0, 0)]).T
    turns = np.arange(0, 2 * np.pi, np.pi / 12)
    first = Side("center", 0, 0).box(text, x, y)
    nearest: tuple[Side, Box] | None = None
    for distance in range(12, 240, 6):
        dx, dy = (distance * np.cos(turns))[:, None], (distance * np.sin(turns))[:, None]
        is_free = ~(
            (first.left + dx < right)
            & (left < first.right + dx)
            & (first.top + dy < bottom)
            & (top < first.bottom + dy)
        ).any(axis=1)
        # Steps of the line, from beside the point, whose own box it leaves, up to the label.
        steps = np.arange(10, distance - LINE / 2, 4) / distance
        across, down = x + dx * steps, y + dy * steps
        is_crossed = (
            (right - left > _WIDEST_MARK)
            & (left < across[..., None])
            & (across[..., None] < right)
            & (top < down[..., None])
            & (down[..., None] < bottom)
        ).any(axis=(1, 2))
        for turn in np.flatnonzero(is_free):
            side = Side("center", float(dx[turn, 0]), float(dy[turn, 0]))
            box = side.box(text, x, y)
            if box.is_within(frame):
                if not is_crossed[turn]:
                    return side, box
                nearest = nearest or (side, box)
    if nearest:
        return nearest
    side = Side("center", float(dx[0, 0]), float(dy[0, 0]))
    return side, side.box(text, x, y)
