"""What authors of a benchmark test it with."""

from wardboard.scoring.testing.check import check_benchmark

__all__ = ["check_benchmark"]
