"""How exactly a p-value may be told: with the counts behind it hidden, only on which side of .05 it lies.

The two rates are public, so each further bound on p would narrow down the numbers of tasks behind it; from
an exact p they could be worked back. Holm's correction shifts the bound with the number of pairs, and so
would be one bound for each choice of pairs: where counts are hidden a pair is told by its own p.
"""

from dataclasses import dataclass

from leaderboard.models import Benchmark
from leaderboard.services import feedback

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """exact: None where it would tell the counts. tells: whether it lies below .05, so that the data tell the
    two apart."""

    exact: float | None
    tells: bool


def as_told(p: float, benchmark: Benchmark) -> PValue:
    """Return `p` as exactly as the board's feedback level allows."""
    return PValue(exact=p if feedback.by_group(benchmark) else None, tells=p < ALPHA)


def told_of_several(p: float, p_holm: float, benchmark: Benchmark) -> PValue:
    """Return what may be told of a pair among several. p: its own; p_holm: after Holm's correction."""
    return as_told(p_holm if feedback.by_group(benchmark) else p, benchmark)
