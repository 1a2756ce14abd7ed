"""The smallest difference of two systems that a test can find, and the tasks that a difference takes."""

from math import sqrt

import scipy  # type: ignore[import-untyped]

# The share of tasks that only one of two systems solves, where it is not known.
ASSUMED_DISCORDANT = 0.2


def smallest_detectable_difference(
    tasks: float, discordant: float, power: float = 0.8, level: float = 0.95
) -> float | None:
    """Return the smallest true difference of two rates, in 0..1, that a test finds with this power.

    tasks: number of tasks, or their effective number where they are clustered. discordant: share of tasks, in
    0..1, that only one of the two systems solves. The difference d solves
    tasks * d**2 = (z(level) * sqrt(discordant) + z(power) * sqrt(discordant - d**2))**2,
    with quantiles z of the normal distribution, and is at most `discordant`; None if not even that would be
    found. For 300 independent tasks of which 20% are discordant it is 7.2 points, for 2,931 it is 2.3.
    Raises ValueError for shares outside 0..1, or no tasks.
    Source: Connor, Biometrics 43 (1987) 207-211, for McNemar's test without continuity correction, which the
    mid-p test is close to.
    """
    if not (tasks > 0 and 0 <= discordant <= 1 and 0 < power < 1 and 0 < level < 1):
        raise ValueError(f"{tasks} tasks, {discordant} discordant, power {power}, level {level}")
    from_level, from_power = (float(scipy.special.ndtri(share)) for share in ((1 + level) / 2, power))

    # The root of the quadratic equation that this is, once squared.
    under_root = tasks + from_power**2 - from_level**2
    if discordant == 0 or under_root < 0:
        return None
    sum_of_both = from_level * sqrt(tasks) + from_power * sqrt(under_root)
    difference = sqrt(discordant) * sum_of_both / (tasks + from_power**2)
    return difference if difference <= discordant else None


def tasks_to_detect(difference: float, discordant: float, power: float = 0.8, level: float = 0.95) -> float:
    """Return how many independent tasks find a true difference of two rates with this power.

    The inverse of `smallest_detectable_difference`. difference: in 0..1, above 0.
    discordant: at least the difference counts. For 5 points of 20% it is 626. Raises ValueError likewise.
    """
    if not (0 < difference <= 1 and 0 <= discordant <= 1 and 0 < power < 1 and 0 < level < 1):
        raise ValueError(f"difference {difference}, {discordant} discordant, power {power}, level {level}")
    from_level, from_power = (float(scipy.special.ndtri(share)) for share in ((1 + level) / 2, power))
    discordant = max(discordant, difference)
    spread = from_level * sqrt(discordant) + from_power * sqrt(discordant - difference**2)
    return (spread / difference) ** 2
