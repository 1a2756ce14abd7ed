"""Intervals of the ranks of a leaderboard."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.statistics.resampling import outermost, task_weights

# Systems multiplied, or sorted, at a time: with 2,931 tasks they take 6 MB.
_CHUNK = 512


class RankInterval(NamedTuple):
    """Ranks from the best, the smaller number, to the worst; 1 is the first."""

    best: int
    worst: int


def rank_intervals(
    verdicts: npt.ArrayLike,
    strata: Sequence[Any] | npt.NDArray[Any],
    *,
    others: Iterable[npt.ArrayLike] = (),
    fixed: Sequence[float] = (),
    seed: int,
    resamples: int = 2000,
    level: float = 0.95,
) -> list[RankInterval]:
    """Return the interval of each system's rank, by a paired stratified bootstrap over tasks.

    verdicts: systems x tasks, whether right. strata: the stratum of each task, as `task_weights` takes it.
    others: verdicts of systems that are ranked with these but get no interval, in pieces of any length; only
    a tally of the numbers of solved tasks is kept, so there may be any number of them.
    fixed: rates in 0..1 of rows that were only printed. They get no interval, but keep their rate in every
    resample, and rank before systems with a smaller one.
    In each resample a system's rank is 1 plus the number strictly better, so ties share a rank. The interval
    leaves out a share of at most (1 - level) / 2 of the resamples at either end; if the observed rank is
    outside, the interval is widened to include it. Systems with the same verdicts have the same interval,
    and the order of the systems changes nothing.
    Raises ValueError if the shapes do not fit or there are no tasks.
    Sources: Goldstein & Spiegelhalter, J. R. Stat. Soc. A 159 (1996) 385-443, for intervals of ranks; Hall &
    Miller, Ann. Stat. 37 (2009) 3929-3959, for the bootstrap of ranks and where its intervals are too narrow
    or too wide; Efron & Tibshirani (1993), as in `resampling`.
    """
    right = _fitting(verdicts, len(strata))
    k = outermost(resamples, level)
    tally = _Tally(task_weights(strata, seed=seed, resamples=resamples))
    chunks = [slice(start, start + _CHUNK) for start in range(0, right.shape[0], _CHUNK)]
    counts = np.empty((resamples, right.shape[0]), dtype=np.int32)
    for chunk in chunks:
        counts[:, chunk] = tally.add(right[chunk])
    for piece in others:
        also = _fitting(piece, len(strata))
        for start in range(0, also.shape[0], _CHUNK):
            tally.add(also[start : start + _CHUNK])
    ranks, observed = tally.ranks(counts, right.sum(axis=1), fixed)
    best, worst = observed.copy(), observed.copy()
    for chunk in chunks:
        ends = np.partition(ranks[:, chunk], sorted({k - 1, resamples - k}), axis=0)
        best[chunk] = np.minimum(observed[chunk], ends[k - 1])
        worst[chunk] = np.maximum(observed[chunk], ends[resamples - k])
    return [RankInterval(int(b), int(w)) for b, w in zip(best, worst, strict=True)]


def _fitting(verdicts: npt.ArrayLike, tasks: int) -> npt.NDArray[np.bool_]:
    right = np.asarray(verdicts, dtype=np.bool_)
    if right.ndim != 2 or right.shape[1] != tasks:
        raise ValueError(f"verdicts of shape {right.shape} do not fit {tasks} tasks")
    return right


class _Tally:
    """Count systems by their number of solved tasks, in each resample and as observed.

    For 2,000 resamples of 2,931 tasks it takes 23 MB, however many systems are added.
    """

    def __init__(self, weights: npt.NDArray[np.float32]) -> None:
        resamples, tasks = weights.shape
        self._weights = weights
        # In one line, as numpy counts by one index at a time far faster than by two.
        self._drawn = np.zeros(resamples * (tasks + 1), dtype=np.int32)
        self._observed = np.zeros(tasks + 1, dtype=np.int32)
        self._begins = (tasks + 1) * np.arange(resamples)[:, np.newaxis]

    def add(self, right: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        """Add systems x tasks; return the numbers of tasks solved: resamples x systems."""
        # Whole numbers, hence exact: a tie stays a tie.
        counts = (self._weights @ right.T.astype(np.float32)).astype(np.int32)
        np.add.at(self._drawn, (self._begins + counts).ravel(), np.int32(1))
        np.add.at(self._observed, right.sum(axis=1), np.int32(1))
        return counts

    def ranks(
        self, counts: npt.NDArray[np.int32], observed: npt.NDArray[Any], fixed: Sequence[float]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return the ranks of systems, drawn and observed, among all that were added and the fixed rows.

        counts, observed: their numbers of tasks right. `counts` is overwritten.
        """
        before = _fixed_before(fixed, self._observed.size - 1)
        for row, tally in zip(counts, self._drawn.reshape(len(counts), -1), strict=True):
            row[:] = _ranks_of(tally, before)[row]
        return counts, _ranks_of(self._observed, before)[observed]


def _fixed_before(fixed: Sequence[float], tasks: int) -> npt.NDArray[np.int64]:
    """Return for 0..tasks right how many of `fixed` are above that rate."""
    rates = np.arange(tasks + 1) / tasks
    return len(fixed) - np.searchsorted(np.sort(np.asarray(fixed, dtype=np.float64)), rates, side="right")


def _ranks_of(tally: npt.NDArray[np.int32], before: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return the rank that each number of tasks right has. tally: how many systems have it."""
    up_to = np.cumsum(tally)
    ranks: npt.NDArray[np.int32] = (1 + up_to[-1] - up_to + before).astype(np.int32)
    return ranks
