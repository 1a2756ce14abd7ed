"""Uncertainty of the figures on a board.

Here is what needs no numpy, since the command line starts with it. Beside it: `ranks` has intervals of
ranks, `pairs` tests on pairs of systems, `resampling` the bootstrap and differences of means.
"""

from scoring.statistics.rates import Z_95, difference_interval, wilson_interval

__all__ = ["Z_95", "difference_interval", "wilson_interval"]
