"""Fit the scales of charts to their values: ends and ticks at round numbers."""

from collections.abc import Iterable
from math import ceil, floor, inf, log10
from typing import NamedTuple

_STEPS = (1, 2, 5, 10, 20, 25, 50)  # percentage points from tick to tick
_LOG_STEPS = ((1,), (1, 3), (1, 2, 5))  # ticks per power of ten, from the fewest


class Ends(NamedTuple):
    """Both ends of an axis, and its ticks, which include the ends."""

    low: float
    high: float
    ticks: list[float]

    @property
    def domain(self) -> list[float]:
        return [self.low, self.high]


def fit_rates(values: Iterable[float], *, most: int = 6) -> Ends:
    """Return the axis of rates: the closest multiples of a round step around `values`, within 0..1.

    most: of the steps between the ends
    """
    # Round first, as a multiple of a step may be off by a floating-point error.
    points = [round(100 * value, 6) for value in values]
    low, high = min(points, default=0.0), max(points, default=100.0)
    for step in _STEPS:
        first, last = floor(low / step), ceil(high / step)
        if first == last:
            # Equal values on a tick: one step of room, on the side where there is some.
            first, last = (first - 1, last) if first * step >= 100 else (first, last + 1)
        if last - first <= most:
            break
    ticks = [step * number / 100 for number in range(first, last + 1)]
    return Ends(ticks[0], ticks[-1], ticks)


def fit_differences(values: Iterable[float], *, most: int = 6) -> Ends:
    """Return the axis of differences of rates: as `fit_rates`, within -1..1 and with 0 on it."""
    points = [0.0, *(round(100 * value, 6) for value in values)]
    low, high = min(points), max(points)
    for step in _STEPS:
        first, last = floor(low / step), ceil(high / step)
        if first == last:
            first, last = first - 1, last + 1
        if last - first <= most:
            break
    ticks = [step * number / 100 for number in range(first, last + 1)]
    return Ends(ticks[0], ticks[-1], ticks)


def fit_amounts(values: Iterable[float], *, most: int = 6) -> Ends:
    """Return the linear axis of amounts of 0 or more, from 0."""
    top = max(values) or 1.0
    size = 10.0 ** floor(log10(top / most))
    step = next(size * times for times in (1, 2, 5, 10) if ceil(round(top / (size * times), 6)) <= most)
    ticks = [step * number for number in range(ceil(round(top / step, 6)) + 1)]
    return Ends(ticks[0], ticks[-1], ticks)


def fit_log(values: Iterable[float], *, most: int = 8) -> Ends:
    """Return the logarithmic axis of amounts above 0, with ticks at 1, 3 and 10, or closer or wider."""
    low, high = min(values := list(values)), max(values)
    powers = range(floor(log10(low)) - 1, ceil(log10(high)) + 1)
    ticks: list[float] = []
    for factors in _LOG_STEPS:
        steps = [factor * 10.0**power for power in powers for factor in factors]
        # The ticks go from the last one below the values to the first one above them.
        after, before = [*steps[1:], inf], [0.0, *steps[:-1]]
        inside = [
            step for step, up, down in zip(steps, after, before, strict=True) if up > low and down < high
        ]
        if ticks and len(inside) > most:
            break
        ticks = inside
    if len(ticks) < 2:
        ticks.append(10 * ticks[0])
    while len(ticks) > most:
        ticks = ticks[::2] if len(ticks) % 2 else [*ticks[::2], ticks[-1]]
    return Ends(ticks[0], ticks[-1], ticks)
