"""Rates in print; intervals of rates, and of the difference of two rates over the same tasks."""

from math import sqrt
from typing import NamedTuple

Z_95 = 1.959963984540054


class Estimate(NamedTuple):
    """A rate or the difference of two means, the first less the second, with its interval."""

    figure: float
    low: float
    high: float


def percent(rate: float | None, digits: int = 1) -> str:
    """Format a rate in 0..1: 0.98333 as 98.3%, an unknown one as an en dash."""
    # As files and the API round it: of a tie, such as 276 of 320, the two would print different digits.
    return "–" if rate is None else f"{100 * round(rate, digits + 2):.{digits}f}%"


def decimal(mean: float) -> str:
    """Format a mean of counts: 12345.6 as 12,346, and 3.6 as 3.6, with three digits."""
    return f"{mean:,.0f}" if mean >= 100 else f"{mean:.3g}"


def percent_range(low: float | None, high: float | None, digits: int = 1) -> str:
    """Format a rate, or a range of rates where `high` is given and printed differently: 84.7%, 75.0–88.0%."""
    first, last = percent(low, digits), percent(high, digits)
    return first if high is None or first == last else f"{first[:-1]}–{last}"


def wilson_interval(right: float, total: float, z: float = Z_95) -> tuple[float, float]:
    """Return the Wilson score interval (low, high), in 0..1, of the rate right/total.

    Expects 0 <= right <= total and total > 0; raises ValueError otherwise. Neither need be whole: for a
    printed share `right` is the share times the total, and over several runs both are means over the runs.
    Source: Wilson, J. Am. Stat. Assoc. 22 (1927) 209-212; without continuity correction.
    """
    if not 0 <= right <= total or total == 0:
        raise ValueError(f"{right} of {total} is not a rate")
    rate = right / total
    spread = z * z / total
    centre = (rate + spread / 2) / (1 + spread)
    half = z / (1 + spread) * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    # At 0 and 1 the bound is exact; rounding would leave it a hair outside.
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == total else min(1.0, centre + half)
    return low, high


def difference_interval(both: int, only_a: int, only_b: int, neither: int) -> Estimate:
    """Return a's rate minus b's with its interval, in -1..1.

    both, only_a, only_b, neither: numbers of tasks that both solved, only a, only b, and neither. Raises
    ValueError if one is negative or all are 0. The interval joins the two Wilson intervals by the correlation
    phi of the verdicts; phi is 0 if a system got all right or all wrong.
    Source: Newcombe, Stat. Med. 17 (1998) 2635-2650, method 10.
    """
    total = both + only_a + only_b + neither
    if min(both, only_a, only_b, neither) < 0 or total == 0:
        raise ValueError(f"{both}, {only_a}, {only_b} and {neither} are not a paired table")
    right_a, right_b = both + only_a, both + only_b
    low_a, high_a = wilson_interval(right_a, total)
    low_b, high_b = wilson_interval(right_b, total)
    down_a, up_a = right_a / total - low_a, high_a - right_a / total
    down_b, up_b = right_b / total - low_b, high_b - right_b / total
    difference = (only_a - only_b) / total
    phi = _phi(both, only_a, only_b, neither)
    low = difference - _joined(down_a, up_b, phi)
    return Estimate(difference, max(-1.0, low), min(1.0, difference + _joined(up_a, down_b, phi)))


def separate_difference(
    a: float, ends_a: tuple[float, float], b: float, ends_b: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval (low, high) of rate a minus rate b, in -1..1, from their own 95% intervals.

    Of two rates over the same tasks it is wider than that of the tasks, as long as what one solves the other
    is likelier to solve.
    Source: Newcombe, Stat. Med. 17 (1998) 873-890, method 10.
    """
    (low_a, high_a), (low_b, high_b) = ends_a, ends_b
    down, up = _joined(a - low_a, high_b - b, 0.0), _joined(high_a - a, b - low_b, 0.0)
    return a - b - down, a - b + up


def _phi(both: int, only_a: int, only_b: int, neither: int) -> float:
    """Return the correlation of the verdicts, moved towards 0 by half a task if it is positive."""
    total = both + only_a + only_b + neither
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if margins == 0:
        return 0.0
    product = both * neither - only_a * only_b
    return (max(product - total / 2, 0.0) if product > 0 else product) / sqrt(margins)


def _joined(a: float, b: float, phi: float) -> float:
    # Rounding alone can take the sum below 0.
    return sqrt(max(0.0, a * a - 2 * phi * a * b + b * b))
