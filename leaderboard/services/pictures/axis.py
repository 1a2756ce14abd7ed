"""Fit the axis of drawn intervals to the rows."""

from collections.abc import Collection
from math import ceil, floor

from leaderboard.models import Kind, Standing
from leaderboard.services.rows.export_row import ExportRow


def axis_of(rows: Collection[Standing | ExportRow]) -> tuple[float, float]:
    """Return both ends, in 0..1, of the axis for the intervals of `rows`.

    The ends are multiples of 5 percentage points (10 where the intervals span 50 or more) around them. Weak
    results that were only reported do not stretch the axis, where two or more rows are rescored.
    """
    known = [(row.kind, row.low, row.high) for row in rows if row.low is not None and row.high is not None]
    if not known:
        return 0.0, 1.0
    rescored = [low for kind, low, _ in known if kind == Kind.RESCORED]
    low = min(rescored if len(rescored) > 1 else [low for _, low, _ in known])
    high = max(high for _, _, high in known)
    step = 5 if high - low < 0.5 else 10
    # Round first, as a multiple of the step may be off by a floating-point error.
    first, last = floor(round(low * 100 / step, 6)), ceil(round(high * 100 / step, 6))
    first = min(first, 100 // step - 1)
    return first * step / 100, max(last, first + 1) * step / 100
