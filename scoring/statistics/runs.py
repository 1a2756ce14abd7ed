"""How much the runs of one system differ: plain Python, as the command line starts with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, fsum
from statistics import stdev


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpread:
    """How much two or more runs on the same tasks differ.

    - deviation: sample standard deviation of the rates of the runs, 0 or more
    - passes: pass^k for k from 1 to the number of runs, each in 0..1
    - flips: share of the tasks that at least one run got right and at least one did not, 0..1
    """

    deviation: float
    passes: tuple[float, ...]
    flips: float


def run_spread(right: Sequence[Sequence[bool]]) -> RunSpread:
    """Return the spread of `right`, runs x tasks, of at least two runs and one task.

    Raises ValueError for fewer, and for runs of different length.
    """
    runs, tasks = len(right), len(right[0]) if right else 0
    if runs < 2 or not tasks or any(len(run) != tasks for run in right):
        raise ValueError("a spread needs two runs or more on the same tasks")
    counts = [sum(verdicts) for verdicts in zip(*right, strict=True)]
    return RunSpread(
        deviation=stdev(sum(run) / tasks for run in right),
        passes=tuple(fsum(pass_chances(counts, runs, k)) / tasks for k in range(1, runs + 1)),
        flips=sum(0 < count < runs for count in counts) / tasks,
    )


def pass_chances(counts: Sequence[int], runs: int, k: int) -> list[float]:
    """Return for each task how likely `k` runs drawn without replacement are all right; the mean is pass^k.

    counts: for each task, how many of the `runs` runs got it right. 1 <= k <= runs; raises ValueError.
    Unbiased estimates of the chance that k independent runs are all right. Source: Yao, Shinn, Razavi,
    Narasimhan, tau-bench (2024), arXiv:2406.12045, section 3, C(c, k) / C(n, k).
    """
    if not counts or not 1 <= k <= runs or any(not 0 <= count <= runs for count in counts):
        raise ValueError(f"{k} of {runs} runs cannot be drawn from these counts")
    return [comb(count, k) / comb(runs, k) for count in counts]
