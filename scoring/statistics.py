"""Uncertainty of the figures on a board."""

from math import sqrt

Z_95 = 1.959963984540054


def wilson_interval(right: float, total: int, z: float = Z_95) -> tuple[float, float]:
    """Return the Wilson score interval (low, high), in 0..1, of the rate right/total.

    Expects 0 <= right <= total and total > 0; raises ValueError otherwise. `right` need not be whole: of a
    printed share it is the share times the total.
    Source: Wilson, J. Am. Stat. Assoc. 22 (1927) 209-212; without continuity correction.
    """
    if not 0 <= right <= total or total == 0:
        raise ValueError(f"{right} of {total} is no rate")
    rate = right / total
    spread = z * z / total
    centre = (rate + spread / 2) / (1 + spread)
    half = z / (1 + spread) * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    # At 0 and 1 the bound is exact; rounding would leave it a hair outside.
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == total else min(1.0, centre + half)
    return low, high
