"""What a comparison of two systems can show: the smallest difference, and how many tasks or runs it takes."""

from dataclasses import dataclass
from math import ceil, inf, sqrt

import scipy  # type: ignore[import-untyped]

POWER = 0.8
# More tasks than these times those there are, are out of reach.
_MOST_TIMES = 100
_ROUNDS = 8  # of the search for degrees of freedom that fit the number of tasks


def smallest_detectable_difference(
    tasks: float,
    discordant: float,
    power: float = 0.8,
    level: float = 0.95,
    degrees_of_freedom: float = inf,
) -> float | None:
    """Return the smallest true difference of two rates, in 0..1, that a test finds with this power.

    tasks: number of tasks, or their effective number where they are clustered. discordant: share of tasks, in
    0..1, that only one of the two systems solves. degrees_of_freedom: of Student's t, with which a test with
    clusters compares; infinite for McNemar's. The difference d solves
    tasks * d**2 = (z(level) * sqrt(discordant) + z(power) * sqrt(discordant - d**2))**2,
    with quantiles of t in place of z, and is at most `discordant`; None if not even that would be found. For
    300 independent tasks of which 20% are discordant it is 7.2 points, for 2,931 it is 2.3.
    Raises ValueError for shares outside 0..1, or no tasks.
    Source: Connor, Biometrics 43 (1987) 207-211, for McNemar's test without continuity correction, which the
    mid-p test is close to.
    """
    if not (tasks > 0 and 0 <= discordant <= 1 and 0 < power < 1 and 0 < level < 1):
        raise ValueError(f"{tasks} tasks, {discordant} discordant, power {power}, level {level}")
    from_level, from_power = (
        float(scipy.special.stdtrit(degrees_of_freedom, share)) for share in ((1 + level) / 2, power)
    )

    def lacks_power(difference: float) -> bool:
        spread = from_level * sqrt(discordant) + from_power * sqrt(max(0.0, discordant - difference**2))
        return sqrt(tasks) * difference < spread

    # With this difference all discordant tasks would be of one system.
    low, high = 0.0, discordant
    if discordant == 0 or lacks_power(high):
        return None
    while high - low > 1e-12:
        middle = (low + high) / 2
        if lacks_power(middle):
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSpread:
    """The difference of two systems on the same tasks, and how much it varies.

    difference: of the means, 0 or more, in 0..1
    variance: of the difference of the means; with clusters, the cluster-robust one
    null_variance: of the same if the two are equal; a t-test uses `variance`, McNemar's one without the
        difference taken off
    run_variances: the part of it that a single run of each would have, besides the choice of tasks; None
        where one of the two has a single run, so that it is not known
    runs: of each
    degrees_of_freedom: of Student's t; infinite for McNemar's test
    """

    tasks: int
    difference: float
    variance: float
    null_variance: float
    run_variances: tuple[float, float] | None
    runs: tuple[int, int]
    degrees_of_freedom: float = inf


def tasks_needed(spread: PairSpread, *, alpha: float) -> int | None:
    """Return with how many tasks a test at level `alpha` finds the difference with `POWER`.

    It takes the difference and the spread for the true ones, and the other tasks for ones like these:
    n = tasks * (t(alpha) * sqrt(null_variance) + t(power) * sqrt(variance))**2 / difference**2.
    The degrees of freedom grow with the tasks. None if that is more than 100 times the tasks there are.
    Source: Connor, Biometrics 43 (1987) 207-211, for McNemar's test.
    """
    times = 1.0
    for _ in range(_ROUNDS):
        from_level, from_power = _quantiles(times * spread.degrees_of_freedom, alpha)
        needed = from_level * sqrt(spread.null_variance) + from_power * sqrt(spread.variance)
        times = max(1.0, (needed / spread.difference) ** 2)
    return None if times > _MOST_TIMES else max(ceil(spread.tasks * times), spread.tasks + 1)


def runs_needed(spread: PairSpread, *, alpha: float, most: int) -> int | None:
    """Return with how many runs of each, on the tasks there are, a test finds the difference.

    With R runs each the variance is that between the tasks, which no run lowers, and 1/R of that of single
    runs. So R = (run_variances) / (difference**2 / (t(alpha) + t(power))**2 - variance between tasks).
    None if no number of runs is enough, if it is more than `most`, or if it is not known.
    """
    if spread.run_variances is None:
        return None
    from_level, from_power = _quantiles(spread.degrees_of_freedom, alpha)
    of_runs = sum(spread.run_variances)
    of_present = sum(part / runs for part, runs in zip(spread.run_variances, spread.runs, strict=True))
    between = max(0.0, spread.variance - of_present)
    room = (spread.difference / (from_level + from_power)) ** 2 - between
    if room <= 0 or of_runs > most * room:
        return None
    needed = max(ceil(of_runs / room), min(spread.runs) + 1)
    return needed if needed <= most else None


def _quantiles(degrees_of_freedom: float, alpha: float) -> tuple[float, float]:
    at_level, at_power = scipy.special.stdtrit(max(1.0, degrees_of_freedom), (1 - alpha / 2, POWER))
    return float(at_level), float(at_power)
