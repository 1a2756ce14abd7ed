"""What choosing the best of several equal runs gains by chance."""

from math import sqrt
from statistics import NormalDist

# Two complete runs of one public agent on 1,335 questions differ on this share of their verdicts.
OBSERVED_FLIPS = 0.061


def gain_of_best(files: int, tasks: int, *, flips: float = OBSERVED_FLIPS) -> float:
    """Return how much the best of `files` runs of one system is expected to exceed their mean, in 0..1.

    files: number of runs, 1 or more. tasks: number of tasks, 1 or more. flips: the share of tasks on which
    two runs of the system differ, in 0..1.
    Two runs that differ on a share f of the tasks have a rate each with the standard deviation
    sqrt(f / 2 / tasks); the gain is that times the expected maximum of `files` standard normal values, which
    is the integral of 1 - F(x)**n - F(-x)**n over x > 0. Raises ValueError for numbers outside these ranges.
    Source of the expected maximum: David and Nagaraja, Order Statistics (2003), section 3.1.
    """
    if files < 1 or tasks < 1 or not 0 <= flips <= 1:
        raise ValueError(f"{files} files of {tasks} tasks with {flips} flips give no gain")
    below, places = NormalDist().cdf, ((number + 0.5) / 100 for number in range(1_000))
    maximum = sum(1 - below(x) ** files - below(-x) ** files for x in places) / 100
    return min(1.0, sqrt(flips / 2 / tasks) * maximum)
