"""What tells two systems apart: paired tests on the tasks that only one of them got right."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr  # type: ignore[import-untyped]

# Systems that are compared with a group's best at first; twice as many each time none could be told.
_BLOCK = 32


class PairedTable(NamedTuple):
    """Tasks that both got right, only the first, only the second, and neither."""

    both: int
    only_a: int
    only_b: int
    neither: int


class AdjacentPair(NamedTuple):
    """A system (a of the table) and the next below it (b). p: exact McNemar, two-sided; p_holm: after Holm's
    correction over all pairs of the board."""

    table: PairedTable
    p: float
    p_holm: float


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p that a and b are right equally often, 1.0 where no task tells.

    only_a, only_b: tasks that only the one got right. Under the hypothesis each of them is as likely to be
    the one's as the other's, so the smaller number is binomial with 1/2; p is twice its tail, at most 1.
    Source: McNemar, Psychometrika 12 (1947) 153-157; the exact test, which conditions on only_a + only_b.
    """
    return float(mcnemar_all(only_a, only_b))


def mcnemar_all(only_a: npt.ArrayLike, only_b: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return `mcnemar` of arrays, element by element. Raises ValueError where a number is negative."""
    a, b = np.asarray(only_a, dtype=np.int64), np.asarray(only_b, dtype=np.int64)
    if (a < 0).any() or (b < 0).any():
        raise ValueError("a number of tasks is negative")
    p: npt.NDArray[np.float64] = np.minimum(1.0, 2 * bdtr(np.minimum(a, b), a + b, 0.5))
    return p


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted for how many there are, in the same order, each at most 1.

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
    """Return the table of two systems, a and b: whether each task was right. Raises ValueError where the
    shapes do not fit."""
    one, other = np.asarray(a, dtype=np.bool_), np.asarray(b, dtype=np.bool_)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"verdicts of shapes {one.shape} and {other.shape} are no pair")
    return _tables(one[np.newaxis], other[np.newaxis])[0]


def adjacent_pairs(verdicts: npt.ArrayLike) -> list[AdjacentPair]:
    """Return each system with the next below it: one pair fewer than systems.

    verdicts: systems in the order of the board x tasks, whether right. Sources: `mcnemar`, `holm`.
    """
    right = _matrix(verdicts)
    tables = _tables(right[:-1], right[1:])
    p = mcnemar_all([table.only_a for table in tables], [table.only_b for table in tables]).tolist()
    return [AdjacentPair(*one) for one in zip(tables, p, holm(p), strict=True)]


def tie_groups(verdicts: npt.ArrayLike, *, alpha: float = 0.05) -> list[int]:
    """Return the number of each system's group, from 1: systems that cannot be told from the group's best.

    verdicts: systems in the order of the board x tasks, whether right. The first system begins group 1. Each
    next one belongs to the group while exact McNemar against the group's best gives p >= alpha; the first
    that gives less begins the next group, as its best. The p are not adjusted for how many there are:
    adjusting makes groups larger the more systems a board has. Systems of a group may well be told from each
    other, and of systems with the same rate the order decides.
    """
    right = _matrix(verdicts)
    groups: list[int] = []
    while len(groups) < len(right):
        groups += [groups[-1] + 1 if groups else 1] * _alike(right[len(groups) :], alpha)
    return groups


def _alike(right: npt.NDArray[np.bool_], alpha: float) -> int:
    """Return how many systems, from the first on, cannot be told from the first."""
    best, end, block = right[0], 1, _BLOCK
    while end < len(right):
        others = right[end : end + block]
        both = np.count_nonzero(others & best, axis=1)
        p = mcnemar_all(np.count_nonzero(best) - both, np.count_nonzero(others, axis=1) - both)
        told = np.flatnonzero(p < alpha)
        if told.size:
            return end + int(told[0])
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
