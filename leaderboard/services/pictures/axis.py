"""Fit the axis of drawn intervals to the rows."""

from collections.abc import Collection
from math import ceil, floor

from leaderboard.models import Standing
from leaderboard.services.rows.export_row import ExportRow


def axis_of(rows: Collection[Standing | ExportRow]) -> tuple[float, float]:
    """Return both ends, in 0..1, of the axis for the intervals of `rows`.

    The ends are multiples of 5 percentage points (10 where the intervals span 50 or more) around them.
    """
    intervals = [(row.low, row.high) for row in rows if row.low is not None and row.high is not None]
    if not intervals:
        return 0.0, 1.0
    low, high = min(low for low, _ in intervals), max(high for _, high in intervals)
    step = 5 if high - low < 0.5 else 10
    # Round first, as a multiple of the step may be off by a floating-point error.
    first, last = floor(round(low * 100 / step, 6)), ceil(round(high * 100 / step, 6))
    first = min(first, 100 // step - 1)
    return first * step / 100, max(last, first + 1) * step / 100
