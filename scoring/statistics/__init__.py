"""Uncertainty of the figures on a board.

The command line starts with this package, which needs no numpy; its modules do. Of these, `comparisons`
tests all pairs of systems, `rank_claims` derives what these tests claim about ranks, `open_answers` is for
answers that nobody decided, `clusters` and `sign_flips` for tasks that are not independent, `power` for what
can be detected, `pairs` for two systems.
"""

from wardboard.scoring.statistics.rates import Z_95, difference_interval, wilson_interval

__all__ = ["Z_95", "difference_interval", "wilson_interval"]
