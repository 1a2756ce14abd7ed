"""Uncertainty of the figures on a board.

The command line starts with this package, so it imports functions that need numpy on first use. Of its
modules, `comparisons` tests all pairs of systems, `rank_claims` derives what these tests claim about ranks,
`open_answers` is for answers that nobody decided, `clusters` for tasks that are not independent, `published`
for rows without scores task by task, `power` for what can be detected, `pairs` and `resampling` for two
systems.
"""

from typing import TYPE_CHECKING, Any

from wardboard.scoring.statistics.rates import Z_95, difference_interval, wilson_interval

if TYPE_CHECKING:
    from wardboard.scoring.statistics.comparisons import pairwise_p
    from wardboard.scoring.statistics.open_answers import claim_p
    from wardboard.scoring.statistics.power import smallest_detectable_difference
    from wardboard.scoring.statistics.rank_claims import rank_intervals, tied_for_first

__all__ = [
    "Z_95",
    "claim_p",
    "difference_interval",
    "pairwise_p",
    "rank_intervals",
    "smallest_detectable_difference",
    "tied_for_first",
    "wilson_interval",
]


def __getattr__(name: str) -> Any:
    """Import a function that needs numpy on its first use."""
    if name == "pairwise_p":
        from wardboard.scoring.statistics.comparisons import pairwise_p  # noqa: PLC0415

        return pairwise_p
    if name == "claim_p":
        from wardboard.scoring.statistics.open_answers import claim_p  # noqa: PLC0415

        return claim_p
    if name in {"rank_intervals", "tied_for_first"}:
        from wardboard.scoring.statistics import rank_claims  # noqa: PLC0415

        return getattr(rank_claims, name)
    if name == "smallest_detectable_difference":
        from wardboard.scoring.statistics.power import smallest_detectable_difference  # noqa: PLC0415

        return smallest_detectable_difference
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
