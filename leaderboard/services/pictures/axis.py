"""Axes of drawn intervals, fitted to the rows that are drawn."""

from collections.abc import Collection
from math import ceil, floor

from leaderboard.models import Kind, Standing


def axis_of(rows: Collection[Standing]) -> tuple[float, float]:
    """Return the ends, in 0..1, of the axis of the drawn intervals: whole steps of 5 points around those of
    the rescored rows, of 10 where they are far apart; around all where fewer than two are."""
    known = [row for row in rows if row.low is not None and row.high is not None]
    # Weak rows that were only reported would make these too small to be read.
    rescored = [row for row in known if row.kind == Kind.RESCORED]
    known = rescored if len(rescored) > 1 else known
    if not known:
        return 0.0, 1.0
    low, high = min(row.low for row in known), max(row.high for row in known)
    step = 5 if high - low < 0.5 else 10
    # What is a whole step already may be a hair beside it.
    first, last = floor(round(low * 100 / step, 6)), ceil(round(high * 100 / step, 6))
    first = min(first, 100 // step - 1)
    return first * step / 100, max(last, first + 1) * step / 100
