"""How exactly a p-value may be told: with the counts behind it hidden, only on which side of .05 it lies.

The two rates are public, so each further bound on p would narrow down the numbers of tasks behind it; from
an exact p they could be worked back. Holm's correction shifts the bound with the number of pairs, and so
would be one bound for each choice of pairs: where counts are hidden a pair is told by its own p.
"""

from dataclasses import dataclass

from leaderboard.models import Benchmark
from leaderboard.services import visibility

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """exact: None where it would tell the counts. tells: whether it lies below .05, so that the data tell the
    two apart."""

    exact: float | None
    tells: bool


def as_told(p: float, benchmark: Benchmark) -> PValue:
    """Return `p` as exactly as the board's feedback level allows."""
    return PValue(exact=p if visibility.by_group(benchmark) else None, tells=p < ALPHA)


def told_of_several(p: float, p_holm: float, benchmark: Benchmark) -> PValue:
    """Return what may be told of a pair among several. p: its own; p_holm: after Holm's correction."""
    return as_told(p_holm if visibility.by_group(benchmark) else p, benchmark)


def in_figures(p: PValue) -> str:
    """Return p as it is written: p = .034, p = .10, p < .001; nothing where it may not be told."""
    if p.exact is None:
        return ""
    if p.exact < 0.001:
        return "p\xa0<\xa0.001"
    said = f"{p.exact:.2f}" if p.exact >= 0.0995 else f"{p.exact:.3f}"
    # Never rounded to the side of .05 where it is not.
    if p.tells and float(said) >= ALPHA:
        return "p\xa0<\xa0.05"
    return f"p\xa0=\xa0{said.removeprefix('0')}"
