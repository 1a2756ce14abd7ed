"""Small drawings as inline SVG: attributes only, since the content policy allows no inline style.

Made in Python, not by templates: a board has hundreds of them.
"""

from collections.abc import Mapping
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from leaderboard.services.text import join_names, percent
from scoring.verdicts import Rate, Share

register = template.Library()

_WIDTH, _TIP = 170, 8
_SQUARE, _GAP = 10, 2
_TICKS = "".join(
    f'<rect class="tick" x="{_WIDTH * n / 4:.1f}" y="0" width="1" height="16"/>' for n in range(5)
)


@register.simple_tag
def interval(
    low: float | None, rate: float | None, high: float | None, floor: float = 0.0, top: float = 1.0
) -> SafeString:
    """An interval on an axis from `floor` to `top`, with a mark at `rate`; all in 0..1, floor < top. An arrow
    head at an end of the axis points to what lies beyond it.

    Silent: its ends stand beside it in figures.
    """
    if low is None or rate is None or high is None:
        return mark_safe(f'<span class="sub">{escape(gettext("not known"))}</span>')  # noqa: S308 - escaped
    # An end that was put on the axis may be a hair beside it.
    low, rate, high = round(low, 6), round(rate, 6), round(high, 6)
    scale = _WIDTH / (top - floor)
    start = _TIP if low < floor else (low - floor) * scale
    end = _WIDTH - _TIP if high > top else (high - floor) * scale
    drawn = ""
    if start <= end:
        # At least two units, so that an interval of no width can be seen.
        length = max(2.0, end - start)
        drawn = f'<rect class="span" x="{start:.1f}" y="5" width="{length:.1f}" height="6" rx="2"/>'
    if floor <= rate <= top:
        mark = min(_WIDTH - 2.0, max(0.0, (rate - floor) * scale - 1))
        drawn += f'<rect class="mark" x="{mark:.1f}" y="1" width="2" height="14"/>'
    if low < floor:
        drawn += f'<path class="beyond" d="M0 8 {_TIP} 2V14z"/>'
    if high > top:
        drawn += f'<path class="beyond" d="M{_WIDTH} 8 {_WIDTH - _TIP} 2V14z"/>'
    return mark_safe(  # noqa: S308 - numbers only
        f'<svg class="interval" viewBox="0 0 {_WIDTH} 16" width="{_WIDTH}" height="16" aria-hidden="true">'
        f"{_TICKS}{drawn}</svg>"
    )


@register.simple_tag
def squares(rates: Mapping[str, Rate | Share], labels: Mapping[str, str]) -> SafeString:
    """One square a group, filled from its foot by the share that is right; the whole said in words too.

    labels: in the language of the page.
    """
    drawn, said = [], []
    named = escape(gettext("%(name)s: %(figure)s"))
    for position, (key, label) in enumerate(labels.items()):
        share = rates[key].rate if key in rates else None
        x, height = position * (_SQUARE + _GAP), round((share or 0.0) * _SQUARE, 1)
        name, figure = escape(label), percent(share, 0)
        said.append(f"{name} {figure}")
        full = (
            f'<rect class="full" x="{x}" y="{_SQUARE - height:.1f}" width="{_SQUARE}" '
            f'height="{height:.1f}" rx="2"/>'
            if share
            else ""
        )
        drawn.append(
            f"<g><title>{named % {'name': name, 'figure': figure}}</title>"
            f'<rect class="empty" x="{x}" y="0" width="{_SQUARE}" height="{_SQUARE}" rx="2"/>{full}</g>'
        )
    width = len(drawn) * (_SQUARE + _GAP) - _GAP
    return mark_safe(  # noqa: S308 - names are escaped above
        f'<svg class="squares" viewBox="0 0 {width} {_SQUARE}" width="{width}" height="{_SQUARE}" role="img" '
        f'aria-label="{join_names(said)}">{"".join(drawn)}</svg>'
    )


@register.inclusion_tag("drawings/bar.html")
def bar(rate: float | None) -> dict:
    """A bar of length `rate` in 0..1; the figure stands beside it, so the drawing itself is silent."""
    return {"length": f"{100 * rate:.1f}" if rate is not None else None}
