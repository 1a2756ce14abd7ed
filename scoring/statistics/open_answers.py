"""Tests with answers that nobody decided: each system has a lower and an upper score for each task.

In the lower scores an open answer counts as not right, in the upper ones as right. The truth lies between
them, and nobody knows where. So "a is better than b" is claimed only if it holds whichever way the open
answers turn out: the p of a pair is the larger of two, that of both lower scores and that of the worst case
for the claim, in which all open answers of the system ahead are wrong and all of the other one are right.

For single runs of independent tasks that p is the largest of all ways: McNemar's p falls with every task that
only the system ahead solves, and rises with every task that only the other one solves. The tests of several
runs and of clusters have a spread that can be larger in some way between; bench/coverage.py measures how
seldom that matters.
"""

import numpy as np
import numpy.typing as npt

from wardboard.scoring.statistics.clusters import Clusters, Floats, check_scores
from wardboard.scoring.statistics.comparisons import one_way_p, pairwise_p


def claim_p(
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    clusters: Clusters | None = None,
    runs: npt.ArrayLike | None = None,
) -> Floats:
    """Return the two-sided p of each pair of systems: systems x systems, symmetric, 1 on the diagonal.

    lower, upper: systems x tasks, each 0..1, lower <= upper. clusters, runs: see `comparisons.pairwise_p`, to
    which this is equal where no answer is open. Where a p-value is below 1, the system with the higher mean
    of `lower` is ahead, so `rank_claims` takes these p with the means of `lower`.
    Raises ValueError for scores that are not numbers in 0..1, a lower one above its upper one, or shapes that
    do not fit.
    """
    low, high = (np.ascontiguousarray(part, dtype=np.float64) for part in (lower, upper))
    check_scores(low)
    check_scores(high)
    if low.shape != high.shape:
        raise ValueError(f"scores of shapes {low.shape} and {high.shape} do not fit")
    if (low > high).any():
        raise ValueError("a lower score is above its upper one")
    p = pairwise_p(low, clusters, runs)
    is_open = np.flatnonzero((high > low).any(axis=1))
    if not is_open.size:
        return p
    # At [i, j], of the claim that i is better than j.
    worst = p.copy()
    of_open = None if runs is None else np.asarray(runs)[is_open]
    worst[:, is_open] = one_way_p(low, high[is_open], clusters, runs, of_open)
    means = low.mean(axis=1)
    p = np.maximum(p, np.where(means[:, np.newaxis] > means, worst, worst.T))
    np.fill_diagonal(p, 1.0)
    return np.asarray(p, dtype=np.float64)
