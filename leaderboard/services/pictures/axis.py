"""Axes of drawn intervals, fitted to the rows that are drawn."""

from collections.abc import Collection
from math import ceil, floor

from leaderboard.models import Kind, Standing
from leaderboard.services.boards.export_row import ExportRow


def axis_of(rows: Collection[Standing | ExportRow]) -> tuple[float, float]:
    """Return the ends, in 0..1, of the axis for the intervals of `rows`.

    They are the next multiples of 5 points around the intervals of the rescored rows (of 10 points where
    these are far apart), or around all intervals where fewer than two rows are rescored.
    """
    known = [(row.kind, row.low, row.high) for row in rows if row.low is not None and row.high is not None]
    # Weak rows that were only reported would make the others too small to be read.
    rescored = [interval for interval in known if interval[0] == Kind.RESCORED]
    known = rescored if len(rescored) > 1 else known
    if not known:
        return 0.0, 1.0
    low, high = min(low for _, low, _ in known), max(high for _, _, high in known)
    step = 5 if high - low < 0.5 else 10
    # A multiple of the step may be off by a rounding error.
    first, last = floor(round(low * 100 / step, 6)), ceil(round(high * 100 / step, 6))
    first = min(first, 100 // step - 1)
    return first * step / 100, max(last, first + 1) * step / 100
