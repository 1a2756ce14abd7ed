"""Small drawings beside figures; templates/web/shared/drawings.jinja has their SVG."""

from typing import cast

from django import template
from django.template import engines
from django.template.backends.jinja2 import Jinja2
from markupsafe import Markup

from leaderboard.services.pictures.axis import ends_of
from leaderboard.services.visibility import round_figure

register = template.Library()

_WIDTH, _TIP = 170, 8
_TICKS = [f"{_WIDTH * n / 4:.1f}" for n in range(5)]
_SQUARE, _GAP = 10, 2


def _draw(name: str, **values: object) -> Markup:
    macros = cast(Jinja2, engines["jinja2"]).env.get_template("web/shared/drawings.jinja").module
    drawing: Markup = getattr(macros, name)(**values)
    return drawing


@register.simple_tag
def axis_around(low: float, high: float, step: int = 10) -> dict[str, float | str]:
    """Return both ends of an axis around rates, multiples of `step` points, and their labels."""
    floor, top = ends_of((low, high), step)
    return {"floor": floor, "top": top, "first": f"{100 * floor:.0f}%", "last": f"{100 * top:.0f}%"}


@register.simple_tag
def interval(
    low: float | None,
    rate: float | None,
    high: float | None,
    floor: float,
    top: float,
    *,
    upper: float | None = None,
) -> Markup:
    """Draw an interval on an axis from `floor` to `top`, with a mark at `rate`, or from it to `upper`.

    All are rates, or their differences. An arrow head at an end of the axis points to what lies beyond it.
    Hidden from screen readers: the ends are written beside it.
    """
    if low is None or rate is None or high is None or low == high:
        return _draw("unknown_interval")
    # As the figures beside it: a drawing must not be more exact. An end on the axis may be a hair beside it.
    low, rate, high = round_figure(low), round_figure(rate), round_figure(high)
    scale = _WIDTH / (top - floor)
    start = _TIP if low < floor else (low - floor) * scale
    end = _WIDTH - _TIP if high > top else (high - floor) * scale
    mark = min(_WIDTH - 2.0, max(0.0, (rate - floor) * scale - 1))
    return _draw(
        "interval",
        ticks=_TICKS,
        # At least two units, so that an interval of no width can be seen.
        bar={"x": f"{start:.1f}", "length": f"{max(2.0, end - start):.1f}"} if start <= end else None,
        mark=f"{mark:.1f}" if floor <= rate <= top else "",
        to_upper="" if upper is None else f"{max(2.0, (round_figure(upper) - rate) * scale):.1f}",
        zero=f"{-floor * scale:.1f}" if floor < 0 else "",
        points_left=low < floor,
        points_right=high > top,
    )


@register.simple_tag
def bar(rate: float | None) -> Markup:
    """Draw a bar of length `rate` in 0..1, hidden from screen readers."""
    return _draw("bar", length=f"{100 * round_figure(rate):.1f}" if rate is not None else "")
