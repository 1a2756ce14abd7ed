"""Differences of rates, written and drawn."""

from django import template

register = template.Library()

_WIDTH = 200


@register.filter
def points(difference: float | None) -> str:
    """A difference of rates in points, with its sign: 0.034 as +3.4, -0.1 as −10.0; unknown as an en dash."""
    if difference is None:
        return "–"
    said = f"{abs(100 * difference):.1f}"
    if said == "0.0":
        return said
    return f"{'+' if difference > 0 else '−'}{said}"


@register.inclusion_tag("drawings/difference.html")
def difference(low: float, value: float, high: float, reach: float = 1.0) -> dict:
    """An interval on an axis from -reach to reach, with a line at 0 and a mark at `value`.

    Silent: its ends stand beside it in figures.
    """

    def x(at: float) -> float:
        return min(_WIDTH, max(0.0, (at + reach) / (2 * reach) * _WIDTH))

    return {
        "width": _WIDTH,
        "start": f"{x(low):.1f}",
        "length": f"{max(2.0, x(high) - x(low)):.1f}",
        "mark": f"{min(_WIDTH - 2.0, max(0.0, x(value) - 1)):.1f}",
        "zero": f"{_WIDTH / 2 - 0.5:.1f}",
    }
