"""How exactly a p-value may be shown: without its table of counts, only its side of .05.

The two rates are public, so each further bound on p would narrow down the numbers of tasks behind it; an
exact p would reveal them. Every claim about a pair, wherever it is made and whichever rows a reader chooses,
goes by one bound: that of the whole board (`rank_claims.Claims`). So it reveals one side of one bound for
each change of the board, and as much as the board itself.
"""

import math
from dataclasses import dataclass

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """A p-value as far as it may be shown.

    exact: None where it would reveal counts
    is_significant: whether it lies below .05, once it is adjusted for the pairs that are tested together
    """

    exact: float | None
    is_significant: bool


def visible_p(p: float, *, is_exact: bool) -> PValue:
    """Return `p` as it may be shown. is_exact: whether its table is shown (`disclosure`)."""
    return PValue(exact=p if is_exact else None, is_significant=p < ALPHA)


_FIGURES_OF_P = 3


def round_p(p: PValue | None) -> float | None:
    """Return a p-value for programs, to three significant figures; rounding moves none across .05.

    Fewer figures would hide nothing: p is a function of a table of counts that is shown, or could be.
    """
    if p is None or p.exact is None:
        return None
    figure = float(f"{p.exact:.{_FIGURES_OF_P}g}")
    return figure if (figure < ALPHA) == (p.exact < ALPHA) else p.exact


def print_bound(bound: float) -> str:
    """Return a bound on p in print, in plain decimals and never rounded up: .025, .00026, .0000018."""
    digits = 1 - math.floor(math.log10(bound))
    figure = math.floor(bound * 10**digits + 1e-9) / 10**digits
    return f"{figure:.{digits}f}".rstrip("0").removeprefix("0")


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
