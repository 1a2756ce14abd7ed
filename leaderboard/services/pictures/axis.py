"""Fit axes of rates to the values that are drawn."""

from collections.abc import Collection, Iterable
from math import ceil, floor

from leaderboard.models import Kind, Standing


def ends_of(values: Iterable[float], step: int = 5) -> tuple[float, float]:
    """Return the ends of an axis, in 0..1: multiples of `step` percentage points around the values."""
    # Round first, as a multiple of the step may be off by a floating-point error.
    known = [round(100 * value / step, 6) for value in values]
    low, high = floor(min(known)), ceil(max(known))
    if low == high:
        low, high = (low - 1, high) if high * step >= 100 else (low, high + 1)
    return low * step / 100, high * step / 100


def axis_of(rows: Collection[Standing]) -> tuple[float, float]:
    """Return both ends, in 0..1, of the axis for the intervals of `rows`.

    Weak results that were only reported do not stretch the axis, where two or more rows are rescored. The
    steps are 5 percentage points, or 10 where the intervals span 50 or more.
    """
    known = [(row.kind, row.low, row.high) for row in rows if row.low is not None and row.high is not None]
    if not known:
        return 0.0, 1.0
    rescored = [low for kind, low, _ in known if kind == Kind.RESCORED]
    low = min(rescored if len(rescored) > 1 else [low for _, low, _ in known])
    high = max(high for _, _, high in known)
    return ends_of((low, high), 5 if high - low < 0.5 else 10)
