"""What tests of all pairs say about ranks: intervals, and which systems are tied for first.

A system is *significantly better* than another if its mean is higher and their p, Holm-adjusted, is below
1 - level. What is adjusted for is what is claimed: the interval of one system's rank rests on its K - 1
comparisons, the set of those tied for first on all pairs.

Sources: Mogstad, Romano, Shaikh & Wilhelm, Rev. Econ. Stud. 91 (2024) 476-518, for confidence sets of ranks
from tests of differences; Holm, Scand. J. Stat. 6 (1979) 65-70; Hansen, Lunde & Nason, Econometrica 79 (2011)
453-497, for the set that holds the best with a given confidence; Hall & Miller, Ann. Stat. 37 (2009)
3929-3959, for why the bootstrap of ranks fails where systems are close.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.statistics.clusters import Clusters, Floats
from scoring.statistics.comparisons import pairwise_p
from scoring.statistics.open_answers import claim_p

Ranks = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]


class RankClaim(NamedTuple):
    """The interval of each system's rank: arrays of ranks from 1, the best first."""

    low: Ranks
    high: Ranks


def rank_intervals(
    scores: npt.ArrayLike,
    clusters: Clusters | None = None,
    level: float = 0.95,
    *,
    upper: npt.ArrayLike | None = None,
) -> RankClaim:
    """Return (low, high): the interval of each system's rank.

    scores, clusters: see `comparisons.pairwise_p`. upper: where some answers are open, the scores with all of
    them right; `scores` has none of them right then (see `open_answers`). See `ranks_from_p` for what the
    interval claims.
    """
    return ranks_from_p(_pairs_p(scores, upper, clusters), _means(scores), level)


def tied_for_first(
    scores: npt.ArrayLike,
    clusters: Clusters | None = None,
    level: float = 0.95,
    *,
    upper: npt.ArrayLike | None = None,
) -> Marks:
    """Return for each system whether no other is significantly better, Holm-adjusted over all pairs.

    scores, clusters, upper: see `rank_intervals`. See `tied_from_p` for what this claims.
    """
    return tied_from_p(_pairs_p(scores, upper, clusters), _means(scores), level)


def ranks_from_p(p: npt.ArrayLike, means: npt.ArrayLike, level: float = 0.95) -> RankClaim:
    """Return the interval of each system's rank from the p of all pairs.

    p: systems x systems, two-sided. means: of each system. The interval goes from 1 + the number of systems
    significantly better to the number of systems less those significantly worse, Holm-adjusted over the
    comparisons of that system alone. It holds the system's true rank with at least the confidence `level`,
    one system at a time; and it holds the rank by `means`.
    Raises ValueError if the shapes do not fit, or for what is not a level.
    """
    values, matrix = _fitting(p, means)
    significant = holm_rows(matrix) < _alpha(level)
    better = significant & (values[np.newaxis] > values[:, np.newaxis])
    worse = significant & (values[np.newaxis] < values[:, np.newaxis])
    return RankClaim(1 + better.sum(axis=1), len(values) - worse.sum(axis=1))


def tied_from_p(p: npt.ArrayLike, means: npt.ArrayLike, level: float = 0.95) -> Marks:
    """Return for each system whether no other is significantly better, from the p of all pairs.

    p, means: as for `ranks_from_p`. The p are Holm-adjusted over all pairs: with at least the confidence
    `level`, every system outside the set is worse than some other, so that the best one is in the set. The
    systems with the highest mean always are.
    """
    return np.asarray(~better_from_p(p, means, level).any(axis=1), dtype=np.bool_)


def better_from_p(
    p: npt.ArrayLike, means: npt.ArrayLike, level: float = 0.95, *, adjusted: Floats | None = None
) -> Marks:
    """Return whether system j is significantly better than i, Holm-adjusted over all pairs, at [i, j].

    p, means: as for `ranks_from_p`. adjusted: `holm_pairs(p)`, where it is known already. With at least the
    confidence `level` all of these claims hold at once.
    """
    values, matrix = _fitting(p, means)
    significant = (holm_pairs(matrix) if adjusted is None else adjusted) < _alpha(level)
    return np.asarray(significant & (values[np.newaxis] > values[:, np.newaxis]), dtype=np.bool_)


def holm_rows(p: npt.ArrayLike) -> Floats:
    """Return p Holm-adjusted over each system's comparisons with the others: systems x systems.

    p: systems x systems. Element [i, j] is adjusted over row i, so the result is not symmetric. The diagonal
    is 1.
    """
    matrix = np.array(p, dtype=np.float64)
    systems = len(matrix)
    # Sort a system's p with itself last in its row, so that it counts as no comparison.
    np.fill_diagonal(matrix, np.inf)
    order = np.argsort(matrix, axis=1, kind="stable")
    adjusted = np.take_along_axis(matrix, order, axis=1)
    adjusted[:, :-1] *= np.arange(systems - 1, 0, -1)
    np.maximum.accumulate(adjusted, axis=1, out=adjusted)
    np.put_along_axis(matrix, order, np.minimum(adjusted, 1.0), axis=1)
    return np.asarray(matrix, dtype=np.float64)


def holm_pairs(p: npt.ArrayLike, family: Marks | None = None) -> Floats:
    """Return p Holm-adjusted over all pairs: systems x systems, symmetric, 1 on the diagonal.

    family: the pairs that are adjusted for each other, systems x systems and symmetric; all others keep their
        own p. None for all pairs.
    """
    adjusted = np.array(p, dtype=np.float64)
    np.fill_diagonal(adjusted, 1.0)
    first, second = np.nonzero(np.triu(np.ones_like(adjusted) if family is None else family, 1))
    adjusted[first, second] = adjusted[second, first] = holm_adjust(adjusted[first, second])
    return adjusted


def holm_adjust(p: npt.ArrayLike) -> Floats:
    """Return an array of p-values Holm-adjusted, in the same order, each at most 1."""
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def _pairs_p(scores: npt.ArrayLike, upper: npt.ArrayLike | None, clusters: Clusters | None) -> Floats:
    return pairwise_p(scores, clusters) if upper is None else claim_p(scores, upper, clusters)


def _means(scores: npt.ArrayLike) -> Floats:
    return np.asarray(np.ascontiguousarray(scores, dtype=np.float64).mean(axis=1))


def _alpha(level: float) -> float:
    """Return 1 - level, without what rounding adds to it: 1 - 0.95 is more than 0.05 in binary."""
    if not 0 < level < 1:
        raise ValueError(f"{level} is not a level")
    return round(1 - level, 12)


def _fitting(p: npt.ArrayLike, means: npt.ArrayLike) -> tuple[Floats, Floats]:
    matrix, values = np.asarray(p, dtype=np.float64), np.asarray(means, dtype=np.float64)
    if values.ndim != 1 or matrix.shape != (values.size, values.size):
        raise ValueError(f"p of shape {matrix.shape} and means of shape {values.shape} do not fit")
    if not ((matrix >= 0) & (matrix <= 1)).all() or not np.isfinite(values).all():
        raise ValueError("a p-value or a mean is not a number in its range")
    return values, matrix
