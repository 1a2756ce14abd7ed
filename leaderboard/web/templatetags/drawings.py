"""Small drawings as inline SVG: attributes only, since the content policy allows no inline style."""

from collections.abc import Mapping

from django import template

from scoring.verdicts import Rate, Share

register = template.Library()

_WIDTH = 150
_SQUARE, _GAP = 13, 2


@register.inclusion_tag("drawings/interval.html")
def interval(low: float | None, rate: float | None, high: float | None, floor: float = 0.0) -> dict:
    """An interval on an axis from `floor` to 1, with a mark at `rate`; all in 0..1, floor < 1.

    Silent: its ends stand beside it in figures.
    """
    if low is None or rate is None or high is None:
        return {"known": False}

    def x(value: float) -> float:
        return max(0.0, (value - floor) / (1 - floor) * _WIDTH)

    return {
        "known": True,
        "width": _WIDTH,
        "ticks": [f"{_WIDTH * n / 4:.1f}" for n in range(5)],
        "start": f"{x(low):.1f}",
        # At least two units, so that an interval of no width can be seen.
        "length": f"{max(2.0, x(high) - x(low)):.1f}",
        "mark": f"{min(_WIDTH - 2.0, max(0.0, x(rate) - 1)):.1f}",
    }


@register.inclusion_tag("drawings/squares.html")
def squares(rates: Mapping[str, Rate | Share], labels: Mapping[str, str]) -> dict:
    """One square a group, filled from its foot by the share that is right; the whole said in words too."""
    drawn = []
    for position, (key, label) in enumerate(labels.items()):
        share = rates[key].rate if key in rates else None
        height = round((share or 0.0) * _SQUARE, 1)
        drawn.append(
            {
                "x": position * (_SQUARE + _GAP),
                "y": f"{_SQUARE - height:.1f}",
                "height": f"{height:.1f}",
                "label": label,
                "share": share,
            }
        )
    return {"squares": drawn, "side": _SQUARE, "width": len(drawn) * (_SQUARE + _GAP) - _GAP}


@register.inclusion_tag("drawings/bar.html")
def bar(rate: float | None) -> dict:
    """A bar of length `rate` in 0..1; the figure stands beside it, so the drawing itself is silent."""
    return {"length": f"{100 * rate:.1f}" if rate is not None else None}
