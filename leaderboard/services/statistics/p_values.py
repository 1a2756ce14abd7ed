"""How exactly a p-value may be shown: without its table of counts, only its side of .05.

The two rates are public, so each further bound on p would narrow down the numbers of tasks behind it; an
exact p would reveal them. Holm's correction moves the bound with the number of pairs, which amounts to one
bound per choice of pairs, so where a reader chooses the pairs (*Compare*, filters) and counts are hidden, a
pair is judged by its own p. Nobody chooses the pairs of a whole board, so its rank intervals and what follows
from them are adjusted at every level. Their side of .05 reveals as much as each change of the board allows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.statistics.rank_claims import holm_adjust

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """A p-value as far as it may be shown.

    exact: None where it would reveal counts
    is_significant: whether it lies below .05
    """

    exact: float | None
    is_significant: bool


def visible_p(p: float, *, is_exact: bool) -> PValue:
    """Return `p` as it may be shown. is_exact: whether its table is shown (`disclosure`)."""
    return PValue(exact=p if is_exact else None, is_significant=p < ALPHA)


def adjust_p_values(values: Sequence[float], exact: Sequence[bool]) -> list[PValue]:
    """Return the p-values of pairs, Holm-adjusted over those whose tables are shown.

    The others are judged by their own p. They do not count in the correction, which would reveal something
    about them.
    """
    adjusted = holm_adjust([p for p, is_exact in zip(values, exact, strict=True) if is_exact])
    shown = iter(adjusted.tolist())
    return [
        visible_p(next(shown) if is_exact else p, is_exact=is_exact)
        for p, is_exact in zip(values, exact, strict=True)
    ]


_FIGURES_OF_P = 3


def round_p(p: PValue | None) -> float | None:
    """Return a p-value for programs, to three significant figures; rounding moves none across .05.

    Fewer figures would hide nothing: p is a function of a table of counts that is shown, or could be.
    """
    if p is None or p.exact is None:
        return None
    figure = float(f"{p.exact:.{_FIGURES_OF_P}g}")
    return figure if (figure < ALPHA) == (p.exact < ALPHA) else p.exact


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
