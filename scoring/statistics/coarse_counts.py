"""Make counts coarse, so that none below five can be had from those that are shown and their total."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

STEP = 5
_Key = TypeVar("_Key", bound=Hashable)


def coarse_counts(counts: Mapping[_Key, int]) -> dict[_Key, int]:
    """Return the counts that can be shown beside their total, each rounded down to a multiple of STEP.

    counts: a whole number of 0 or more for every possible key, also where it is 0

    Counts below STEP are left out. So that nobody finds one of them by subtracting what is shown from the
    total, the smallest of the others are left out too where there is one alone, and where every count is as
    far above what is shown as it can be. A test tries all counts of up to 30 things. Source of complementary
    suppression: Willenborg & de Waal, Elements of Statistical Disclosure Control (2001).
    """
    shown = {key: count - count % STEP for key, count in counts.items() if count >= STEP}
    if sum(0 < count < STEP for count in counts.values()) == 1:
        return _without_smallest(shown)
    while shown and sum(counts.values()) - sum(shown.values()) == (STEP - 1) * len(counts):
        shown = _without_smallest(shown)
    return shown


def _without_smallest(shown: Mapping[_Key, int]) -> dict[_Key, int]:
    """Return the counts without any of the smallest: keeping some of these would reveal their order."""
    smallest = min(shown.values(), default=0)
    return {key: count for key, count in shown.items() if count > smallest}
