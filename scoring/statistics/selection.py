"""What choosing the best of several equal runs gains by chance."""

from functools import lru_cache
from math import erf, sqrt

# Two complete runs of one public agent on 1,335 questions differ on this share of their verdicts.
OBSERVED_FLIPS = 0.061
_STEPS = 4_000
_FARTHEST = 10.0


def gain_of_best(files: int, tasks: int, *, flips: float = OBSERVED_FLIPS) -> float:
    """Return how much the best of `files` runs of one system is expected to exceed their mean, in 0..1.

    files: number of runs, 1 or more. tasks: number of tasks, 1 or more. flips: the share of tasks on which
    two runs of the system differ, in 0..1.
    Two runs that differ on a share f of the tasks have a rate each with the standard deviation
    sqrt(f / 2 / tasks); the gain is that times the expected maximum of `files` standard normal values.
    Raises ValueError for numbers outside these ranges. Source of the expected maximum: David and Nagaraja,
    Order Statistics (2003), section 3.1.
    """
    if files < 1 or tasks < 1 or not 0 <= flips <= 1:
        raise ValueError(f"{files} files of {tasks} tasks with {flips} flips give no gain")
    return min(1.0, sqrt(flips / 2 / tasks) * _expected_maximum(files))


@lru_cache(maxsize=1024)
def _expected_maximum(values: int) -> float:
    """Return the expected maximum of that many independent standard normal values.

    It is the integral of 1 - F(x)**n - F(-x)**n over x > 0, where F is the normal distribution function.
    """
    step = _FARTHEST / _STEPS
    # Sum at the midpoints, so that no end counts by half.
    return step * sum(
        1 - _below(x) ** values - _below(-x) ** values
        for x in ((number + 0.5) * step for number in range(_STEPS))
    )


def _below(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2
