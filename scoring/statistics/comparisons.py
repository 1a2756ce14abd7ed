"""Two-sided p-values of all pairs of systems, on the same tasks.

Every test is of the hypothesis that two systems have the same expected mean. None depends on the order of
systems or tasks, on chance, or on the other systems. Where a p-value is below 1, the means differ, so that
"significantly better" always goes with the higher mean.
"""

import numpy as np
import numpy.typing as npt

# scipy imports its parts when they are first used: `special` takes a fifth of a second.
import scipy  # type: ignore[import-untyped]

from wardboard.scoring.statistics.clusters import (
    Clustering,
    Clusters,
    Floats,
    centred,
    check_scores,
    squared_distances,
)
from wardboard.scoring.statistics.run_counts import Runs, within_tasks_p
from wardboard.scoring.statistics.sign_flips import flipped_p

# Means that differ by less than this differ by rounding.
_SAME_MEAN = 1e-12
# No p-value is 0: what underflows is raised to the smallest number that has all its digits.
SMALLEST_P = float(np.finfo(np.float64).tiny)


def pairwise_p(
    scores: npt.ArrayLike, clusters: Clusters | None = None, runs: npt.ArrayLike | None = None
) -> Floats:
    """Return the two-sided p of each pair of systems: systems x systems, symmetric, 1 on the diagonal.

    scores: systems x tasks, each 0..1: whether right, or the share of a system's runs that were right.
    clusters: None for independent tasks, or for each dimension an array with one label a task; tasks with
    the same label (of one patient, of one template) may depend on each other.
    runs: of how many runs the scores of each system are means; None for single runs, or the same number each.
    Without clusters, two systems whose scores are all 0 or 1 are compared by `mcnemar_mid_p`, and any others
    by a paired t-test. With clusters, by flipping the signs of whole clusters (see `sign_flips`), which is
    McNemar's test where each task is one. Two systems with different numbers of runs have the larger p of
    that test and of the exact one within tasks (see `run_counts`). Systems with the same scores have p = 1.
    1,000 systems with 2,931 tasks take seconds: all pairs are worked out at once.
    Raises ValueError for scores that are not numbers in 0..1 or not of so many runs, or shapes that do not
    fit.
    """
    values = np.asarray(scores, dtype=np.float64)
    one_way = one_way_p(values, values, clusters)
    # At most one of two systems is ahead; the other one has 1.
    p: Floats = np.minimum(one_way, one_way.T)
    return p if runs is None else np.maximum(p, within_tasks_p(values, _whole(runs)))


def one_way_p(
    scores: npt.ArrayLike,
    others: npt.ArrayLike,
    clusters: Clusters | None = None,
    runs: npt.ArrayLike | None = None,
    other_runs: npt.ArrayLike | None = None,
) -> Floats:
    """Return the two-sided p of each row of `scores` and each of `others` where its mean is higher, else 1.

    Like `pairwise_p` for rows from two arrays: scores, others: systems x tasks, on the same tasks; runs,
    other_runs: of each, both or neither.
    Returns len(scores) x len(others). Raises ValueError as `pairwise_p` does.
    """
    first, second = (np.ascontiguousarray(part, dtype=np.float64) for part in (scores, others))
    check_scores(first)
    check_scores(second)
    tasks = first.shape[1]
    if second.shape[1] != tasks:
        raise ValueError(f"scores of {tasks} and of {second.shape[1]} tasks do not fit")
    difference: Floats = first.mean(axis=1)[:, np.newaxis] - second.mean(axis=1)
    # At most one of two systems is ahead, so at most half of the p-values are computed.
    is_higher = difference > _SAME_MEAN
    p: Floats = np.ones(difference.shape)
    if clusters is not None:
        p[is_higher] = np.maximum(
            SMALLEST_P, flipped_p(first, second, is_higher, Clustering(clusters, tasks))
        )
    else:
        singles = [((part == 0) | (part == 1)).all(axis=1) for part in (first, second)]
        if not all(part.all() for part in singles):
            variances = squared_distances(centred(first), centred(second)) / (tasks * max(1, tasks - 1))
            p[is_higher] = _p_of_t(difference[is_higher], variances[is_higher], tasks - 1)
        p[np.ix_(*singles)] = _mcnemar_p(first[singles[0]], second[singles[1]])
    if runs is not None and other_runs is not None:
        p = np.maximum(p, within_tasks_p(first, _whole(runs), second, _whole(other_runs)))
    p[~is_higher] = 1.0
    return p


def _whole(runs: npt.ArrayLike) -> Runs:
    return np.asarray(runs, dtype=np.int64)


def mcnemar_mid_p(only_a: npt.ArrayLike, only_b: npt.ArrayLike) -> Floats:
    """Return the two-sided mid-p of McNemar's test, element by element.

    only_a, only_b: numbers of tasks that only a, or only b, solved. Of their sum n, the smaller number k is
    binomial with 1/2 under the hypothesis; p is P(X < k) + P(X <= k), which is the exact p less the
    probability of what was observed. It is 1 where n is 0, and above 0.
    Raises ValueError if a number is negative.
    Source: Fagerland, Lydersen & Laake, BMC Med. Res. Methodol. 13 (2013) 91: its type I error is near the
    level, where that of the exact test is far below. It is not bounded by the level: with exactly 5 tasks
    that only one of two equal systems solved, p is below .05 with a probability of .0625.
    """
    a, b = np.asarray(only_a, dtype=np.int64), np.asarray(only_b, dtype=np.int64)
    if (a < 0).any() or (b < 0).any():
        raise ValueError("a number of tasks is negative")
    fewer, differing = np.broadcast_arrays(np.minimum(a, b), a + b)
    # A board of 1,000 has 500,000 pairs, but few different pairs of numbers.
    base = int(differing.max(initial=0)) + 1
    distinct, inverse = np.unique(differing * base + fewer, return_inverse=True)
    n, k = np.divmod(distinct, base)
    below = np.where(k > 0, scipy.special.bdtr(np.maximum(k - 1, 0), n, 0.5), 0.0)
    # An even split has p = 1 exactly, but for rounding.
    p = np.where(2 * k == n, 1.0, np.clip(below + scipy.special.bdtr(k, n, 0.5), SMALLEST_P, 1.0))
    return np.asarray(p[inverse].reshape(differing.shape), dtype=np.float64)


def _mcnemar_p(right: Floats, others: Floats) -> Floats:
    """Return the p of each row of `right` and each of `others`, whose scores are 0 or 1."""
    # Whole numbers below 2**24 are exact in float32, however they are added up; others need float64.
    is_exact = right.shape[1] < 2**24
    both = right.astype(np.float32) @ others.astype(np.float32).T if is_exact else right @ others.T
    only_first = np.rint(right.sum(axis=1)[:, np.newaxis] - both).astype(np.int64)
    return mcnemar_mid_p(only_first, np.rint(others.sum(axis=1) - both).astype(np.int64))


def _p_of_t(difference: Floats, variance: Floats, degrees_of_freedom: int) -> Floats:
    """Return the p of absolute mean differences with these variances, element by element.

    Where the difference is the same in every unit, its variance is 0, and p is that of a sign test: the
    smallest that so many units can give. With no degree of freedom p is 1.
    """
    if degrees_of_freedom == 0:
        return np.ones_like(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = 2 * scipy.special.stdtr(degrees_of_freedom, -difference / np.sqrt(variance))
    p = np.where(variance > 0, np.clip(tail, SMALLEST_P, 1.0), max(SMALLEST_P, 0.5**degrees_of_freedom))
    return np.asarray(np.where(difference > _SAME_MEAN, p, 1.0), dtype=np.float64)
