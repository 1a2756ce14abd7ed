"""What tests of all pairs say about ranks: intervals, and which systems are tied for first.

There is one claim, from which all others follow: a system is *significantly better* than another if its mean
is higher and the p of their test, Holm-adjusted over all pairs, is below 1 - level. With at least the
confidence `level`, all claims of a board hold at once, and so do all claims about any part of its systems,
however the part is chosen. The interval of a rank is [1 + number of systems significantly better, number of
systems - number significantly worse], and a system is *tied for first* exactly if its interval begins at 1:
if no system is significantly better.

This keeps the true best: its rank is 1, and every interval that holds the true rank of its system begins at
1 where that rank is 1. So with at least the confidence `level` all systems that are truly best are tied for
first, and every system outside the set is truly worse than some other one.

Adjusting over the K - 1 comparisons of each system by itself would give narrower intervals with the same
confidence for one system at a time. But then p of a pair differs between its two systems, so that one may be
significantly worse than the other, which is not significantly better; and on boards of 5, 20 and 60 equal
systems, 11%, 22% and 45% would show one that is not tied for first, instead of 5% at most.

Sources: Mogstad, Romano, Shaikh & Wilhelm, Rev. Econ. Stud. 91 (2024) 476-518, for confidence sets of ranks
from tests of differences, one at a time and all at once; Holm, Scand. J. Stat. 6 (1979) 65-70; Hansen, Lunde
& Nason, Econometrica 79 (2011) 453-497, for the set that holds the best with a given confidence; Hall &
Miller, Ann. Stat. 37 (2009) 3929-3959, for why the bootstrap of ranks fails where systems are close.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wardboard.scoring.statistics.clusters import Floats

Ranks = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]


class RankClaim(NamedTuple):
    """The interval of each system's rank: arrays of ranks from 1, the best first."""

    low: Ranks
    high: Ranks


class Claims(NamedTuple):
    """All that the tests of all pairs claim about the order of systems.

    better: at [i, j] whether system j is significantly better than i
    adjusted: p of each pair, Holm-adjusted over all pairs: systems x systems, symmetric, 1 on the diagonal
    undecided: number of pairs that do not differ significantly, at least 1. A pair differs significantly
        exactly if its own p, times this number, is below 1 - level: the last step of Holm's procedure.
    """

    better: Marks
    adjusted: Floats
    undecided: int

    @property
    def ranks(self) -> RankClaim:
        """The interval of each system's rank.

        All of them hold the true ranks at once, with the level; and each holds the rank by the means.
        """
        better, worse = self.better.sum(axis=1), self.better.sum(axis=0)
        return RankClaim(1 + better, len(self.better) - worse)

    @property
    def tied(self) -> Marks:
        """Whether each system is tied for first: its interval begins at 1.

        With at least the level every system that is truly best is, and every one that is not is truly worse
        than some other. The systems with the highest mean always are.
        """
        return np.asarray(self.ranks.low == 1, dtype=np.bool_)


def claims_from_p(p: npt.ArrayLike, means: npt.ArrayLike, level: float = 0.95) -> Claims:
    """Return all claims about the order of systems, from the p of all pairs.

    p: systems x systems, two-sided. means: of each system. With at least the confidence `level` all claims
    hold at once, since Holm's adjustment is over all pairs.
    Raises ValueError if the shapes do not fit, or for what is not a level.
    """
    values, matrix = _fitting(p, means)
    adjusted = holm_pairs(matrix)
    if not 0 < level < 1:
        raise ValueError(f"{level} is not a level")
    # Without what rounding adds: 1 - 0.95 is more than 0.05 in binary.
    significant = adjusted < round(1 - level, 12)
    pairs = len(values) * (len(values) - 1) // 2
    return Claims(
        better=np.asarray(significant & (values[np.newaxis] > values[:, np.newaxis]), dtype=np.bool_),
        adjusted=adjusted,
        undecided=max(1, pairs - int(np.triu(significant, 1).sum())),
    )


def holm_pairs(p: npt.ArrayLike) -> Floats:
    """Return p Holm-adjusted over all pairs: systems x systems, symmetric, 1 on the diagonal."""
    adjusted = np.array(p, dtype=np.float64)
    np.fill_diagonal(adjusted, 1.0)
    first, second = np.triu_indices(len(adjusted), 1)
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


def _fitting(p: npt.ArrayLike, means: npt.ArrayLike) -> tuple[Floats, Floats]:
    matrix, values = np.asarray(p, dtype=np.float64), np.asarray(means, dtype=np.float64)
    if values.ndim != 1 or matrix.shape != (values.size, values.size):
        raise ValueError(f"p of shape {matrix.shape} and means of shape {values.shape} do not fit")
    if not ((matrix >= 0) & (matrix <= 1)).all() or not np.isfinite(values).all():
        raise ValueError("a p-value or a mean is not a number in its range")
    return values, matrix
