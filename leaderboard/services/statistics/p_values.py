"""How exactly a p-value may be shown: without visible counts, only its side of .05.

The two rates are public, so each further bound on p would narrow down the numbers of tasks behind it; an
exact p would reveal them. Holm's correction moves the bound with the number of pairs, which amounts to one
bound per choice of pairs, so where counts are hidden a pair is judged by its own p.
"""

from dataclasses import dataclass

from leaderboard.models import Benchmark
from leaderboard.services import visibility

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """A p-value as far as it may be shown.

    exact: None where it would reveal counts
    is_significant: whether it lies below .05
    """

    exact: float | None
    is_significant: bool


def visible_p(p: float, benchmark: Benchmark) -> PValue:
    """Return `p` as exactly as the board's feedback level allows."""
    return PValue(exact=p if visibility.by_group(benchmark) else None, is_significant=p < ALPHA)


def visible_adjusted_p(p: float, p_holm: float, benchmark: Benchmark) -> PValue:
    """Return the p-value to show for a pair. p: its own. p_holm: Holm-adjusted over the pairs."""
    return visible_p(p_holm if visibility.by_group(benchmark) else p, benchmark)


def format_p(p: PValue) -> str:
    """Return p in print: p = .034, p = .10, p < .001; "" where it may not be shown."""
    if p.exact is None:
        return ""
    if p.exact < 0.001:
        return "p\xa0<\xa0.001"
    figure = f"{p.exact:.2f}" if p.exact >= 0.0995 else f"{p.exact:.3f}"
    # Rounding must not move it to the other side of .05.
    if p.is_significant and float(figure) >= ALPHA:
        return "p\xa0<\xa0.05"
    return f"p\xa0=\xa0{figure.removeprefix('0')}"
