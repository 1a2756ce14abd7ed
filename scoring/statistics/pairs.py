"""Paired tests of two systems, on the tasks that only one of them solved."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr  # type: ignore[import-untyped]

# Systems compared with a group's best at first; twice as many each time if none differs significantly.
_BLOCK = 32


class PairedTable(NamedTuple):
    """Numbers of tasks that both solved, only the first, only the second, and neither."""

    both: int
    only_a: int
    only_b: int
    neither: int


class AdjacentPair(NamedTuple):
    """A system (a of the table) and the next below it (b).

    p: exact McNemar, two-sided. p_holm: Holm-adjusted over all pairs of the leaderboard.
    """

    table: PairedTable
    p: float
    p_holm: float


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p for the hypothesis that a and b are right equally often.

    only_a, only_b: number of tasks that only a, or only b, solved; p is 1.0 if there are none. Under the
    hypothesis each such task is as likely to be a's as b's, so the smaller number is binomial with 1/2; p is
    twice its tail, at most 1.
    Source: McNemar, Psychometrika 12 (1947) 153-157; the exact test, which conditions on only_a + only_b.
    """
    return float(mcnemar_all(only_a, only_b))


def mcnemar_all(only_a: npt.ArrayLike, only_b: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return `mcnemar` of arrays, element by element. Raises ValueError if a number is negative."""
    a, b = np.asarray(only_a, dtype=np.int64), np.asarray(only_b, dtype=np.int64)
    if (a < 0).any() or (b < 0).any():
        raise ValueError("a number of tasks is negative")
    p: npt.NDArray[np.float64] = np.minimum(1.0, 2 * bdtr(np.minimum(a, b), a + b, 0.5))
    return p


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the Holm-adjusted p-values, in the same order, each at most 1.

    Source: Holm, Scand. J. Stat. 6 (1979) 65-70: the i-th smallest of n times n - i + 1, never below one
    before it.
    """
    adjusted = [0.0] * len(p_values)
    floor = 0.0
    for place, number in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        floor = max(floor, min(1.0, (len(p_values) - place) * p_values[number]))
        adjusted[number] = floor
    return adjusted


def paired_table(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTable:
    """Return the table of two systems. a, b: for each task, whether it was solved.

    Raises ValueError if the shapes do not fit.
    """
    right_a, right_b = np.asarray(a, dtype=np.bool_), np.asarray(b, dtype=np.bool_)
    if right_a.ndim != 1 or right_a.shape != right_b.shape:
        raise ValueError(f"verdicts of shapes {right_a.shape} and {right_b.shape} are not a pair")
    return _tables(right_a[np.newaxis], right_b[np.newaxis])[0]


def adjacent_pairs(verdicts: npt.ArrayLike) -> list[AdjacentPair]:
    """Pair each system with the next below it: one pair fewer than systems.

    verdicts: systems in the order of the leaderboard x tasks, whether right. Sources: `mcnemar`, `holm`.
    """
    right = _matrix(verdicts)
    tables = _tables(right[:-1], right[1:])
    p = mcnemar_all([table.only_a for table in tables], [table.only_b for table in tables]).tolist()
    return [AdjacentPair(*row) for row in zip(tables, p, holm(p), strict=True)]


def tie_groups(verdicts: npt.ArrayLike, *, alpha: float = 0.05) -> list[int]:
    """Return the number of each system's group, from 1; see below.

    verdicts: systems in the order of the leaderboard x tasks, whether right. No member of a group differs
    significantly from the group's best. The first system begins group 1.
    Each next one belongs to the group while exact McNemar against the group's best gives p >= alpha; the
    first with a smaller p begins the next group, as its best. The p-values are not adjusted: that would make
    groups larger the more systems a leaderboard has. Two members of a group may differ significantly from
    each other; among systems with the same rate the order decides.
    """
    right = _matrix(verdicts)
    groups: list[int] = []
    while len(groups) < len(right):
        groups += [groups[-1] + 1 if groups else 1] * _count_tied_with_first(right[len(groups) :], alpha)
    return groups


def _count_tied_with_first(right: npt.NDArray[np.bool_], alpha: float) -> int:
    """Return how many systems, from the first on, do not differ significantly from the first."""
    best, end, block = right[0], 1, _BLOCK
    while end < len(right):
        others = right[end : end + block]
        both = np.count_nonzero(others & best, axis=1)
        p = mcnemar_all(np.count_nonzero(best) - both, np.count_nonzero(others, axis=1) - both)
        significant = np.flatnonzero(p < alpha)
        if significant.size:
            return end + int(significant[0])
        end += len(others)
        block *= 2
    return end


def _tables(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_]) -> list[PairedTable]:
    """Return the table of each row of `a` and the same row of `b`."""
    both = np.count_nonzero(a & b, axis=1)
    only_a = np.count_nonzero(a, axis=1) - both
    only_b = np.count_nonzero(b, axis=1) - both
    counts: Any = np.stack([both, only_a, only_b, a.shape[1] - both - only_a - only_b], axis=1).tolist()
    return [PairedTable(*row) for row in counts]


def _matrix(verdicts: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    right = np.asarray(verdicts, dtype=np.bool_)
    if right.ndim != 2:
        raise ValueError(f"verdicts of shape {right.shape} are not systems x tasks")
    return right
