"""The paired stratified bootstrap: one resampling of the tasks, for all systems alike.

Source: Efron & Tibshirani, An Introduction to the Bootstrap (1993): chapter 13 for percentile intervals,
chapter 8 for more than one sample, which the strata are.
"""

from collections.abc import Sequence
from math import ceil, fsum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# Means over fewer figures have no interval: one or two are resampled as they are, or not at all.
FEWEST = 10
# Whole numbers up to this are exact in float32, however a matrix product adds them up.
_MOST_TASKS = 2**24


def task_weights(
    strata: Sequence[Any] | npt.NDArray[Any], *, seed: int, resamples: int
) -> npt.NDArray[np.float32]:
    """Return how often each task is drawn: whole numbers, resamples x tasks.

    strata: the stratum of each task, by any label. Within a stratum of n tasks n are drawn with replacement,
    so every resample has the strata's own sizes. Labels do not matter, only which tasks share one; for
    tasks in another order the weights differ, with the same distribution. The same seed and release of
    numpy give the same weights. Raises ValueError without tasks or with 2**24 and more.
    """
    labels = np.asarray(strata)
    if labels.ndim != 1 or not 0 < labels.size < _MOST_TASKS:
        raise ValueError(f"strata of shape {labels.shape} are not a list of tasks")
    _, first, stratum = np.unique(labels, return_index=True, return_inverse=True)
    generator = np.random.default_rng(seed)
    weights = np.empty((resamples, labels.size), dtype=np.float32)
    for number in np.argsort(first):
        members = np.flatnonzero(stratum == number)
        drawn = generator.integers(members.size, size=(resamples, members.size))
        drawn += members.size * np.arange(resamples)[:, np.newaxis]
        tally = np.bincount(drawn.ravel(), minlength=drawn.size)
        weights[:, members] = tally.reshape(drawn.shape)
    return weights


class Difference(NamedTuple):
    """The difference of two means, the first less the second.

    low, high: its interval, which contains it.
    """

    difference: float
    low: float
    high: float


def weighted_differences(
    figures: npt.NDArray[np.floating[Any]],
    pairs: Sequence[tuple[int, int]],
    weights: npt.NDArray[np.floating[Any]],
    *,
    fewest: int = FEWEST,
) -> list[Difference | None]:
    """Return the difference of means of each pair of rows of `figures`, with its 95% interval.

    figures: systems x tasks, of any unit; NaN where a system has no figure for a task. pairs: numbers of two
    rows, from 0. weights: resamples x tasks, of `task_weights`.
    As on the board, each system's mean is over its own known figures, so a task that only one of the two has
    a figure for counts in that one's mean. Tasks are resampled whatever is known of them, with the same
    weights for all systems; a resample in which one of the two has no figure is passed over. None where one
    of the two has fewer than `fewest` figures, which is 1 or more, or none in any resample. The sums of the
    resamples are as exact as the type of `weights`; the differences themselves are exact.
    Source: that of this module.
    """
    values = np.array(figures, dtype=np.float64)
    has_figure = ~np.isnan(values)
    # Use one product: where systems are few, reading the weights takes most of the time.
    terms = np.concatenate([has_figure, np.where(has_figure, values, 0.0)], dtype=weights.dtype)
    numbers, sums = np.hsplit(weights @ terms.T, 2)
    means = np.divide(sums, numbers, out=np.full_like(sums, np.nan), where=numbers > 0)
    has_too_few = has_figure.sum(axis=1) < max(1, fewest)
    return [
        None
        if has_too_few[a] or has_too_few[b]
        else _difference(values[a], values[b], means[:, a] - means[:, b])
        for a, b in pairs
    ]


def _difference(
    a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], resampled: npt.NDArray[np.float64]
) -> Difference | None:
    if np.array_equal(a, b, equal_nan=True):
        # A matrix product may round two equal columns differently.
        return Difference(0.0, 0.0, 0.0)
    difference = _mean(a) - _mean(b)
    sorted_differences = np.sort(resampled[~np.isnan(resampled)])
    if sorted_differences.size == 0:
        return None
    # From the k-th smallest to the k-th largest: that leaves out a fortieth at either end, at most.
    k = max(1, ceil(sorted_differences.size / 40 - 1e-9))
    return Difference(
        difference,
        min(difference, float(sorted_differences[k - 1])),
        max(difference, float(sorted_differences[-k])),
    )


def _mean(values: npt.NDArray[np.float64]) -> float:
    figures = values[~np.isnan(values)]
    return fsum(figures) / figures.size
