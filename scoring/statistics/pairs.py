"""The tasks that only one of two systems solved."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class PairedTable(NamedTuple):
    """Numbers of tasks that both solved, only the first, only the second, and neither."""

    both: int
    only_a: int
    only_b: int
    neither: int


def paired_table(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTable:
    """Return the table of two systems. a, b: for each task, whether it was solved, or a mean score in 0..1.

    Of means over several runs, a task is `only_a` where a's is higher, `only_b` where b's is, and otherwise
    `neither` where both are 0. Raises ValueError if the shapes do not fit.
    """
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"scores of shapes {first.shape} and {second.shape} are not a pair")
    only_a, only_b = int(np.count_nonzero(first > second)), int(np.count_nonzero(second > first))
    neither = int(np.count_nonzero((first == 0) & (second == 0)))
    return PairedTable(first.size - only_a - only_b - neither, only_a, only_b, neither)
