"""Draw the ranked score against what a task costs or takes: a point for each system.

A line joins the systems that no other one dominates. These are named first, where names have room.
"""

from collections.abc import Sequence
from math import log
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from leaderboard.services.boards.row import Row
from leaderboard.services.charts.drawing.axes import BELOW, rates_up, scale_of
from leaderboard.services.charts.drawing.labels import Box, Side, around
from leaderboard.services.charts.drawing.marks import (
    chart_of,
    colour_by_kind,
    label_all,
    points_by_front,
)
from leaderboard.services.charts.drawing.style import Look, describe, name_with_kind
from leaderboard.services.charts.figures import EffortFigure
from leaderboard.services.charts.form import Form, translated
from leaderboard.services.charts.scales import Ends, fit_amounts, fit_log, fit_rates
from leaderboard.services.rows.conditions import print_dollars, print_seconds
from leaderboard.services.visibility import round_figure

_SIDES = (
    Side("left", 9, 14),
    Side("left", 9, -11),
    Side("right", -9, -11),
    Side("right", -9, 14),
    Side("center", 0, -17),
    Side("center", 0, 18),
)
_WIDE = 20  # a ratio of ends from which the axis is logarithmic


def effort(figure: EffortFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw the points, the line of those that no other dominates, and the names."""
    most = 4 if look.is_narrow else 6
    is_log, across = _across(figure.efforts, most)
    rows = [row.standing for row in figure.rows]
    up = fit_rates(
        [rate for row in rows for rate in (row.score, row.low, row.high) if rate is not None], most=most
    )
    width, height = look.width - look.axis_room - 24, 330 if look.is_narrow else 440
    is_cost = figure.view.form == Form.COST
    title = _("Mean US dollars per task") if is_cost else _("Mean seconds per task")
    x = alt.X(
        "across:Q",
        scale=scale_of(across, type="log" if is_log else "linear"),
        axis=alt.Axis(
            format="$,~r" if is_cost else ",~r",
            title=_("%(title)s (log scale)") % {"title": title} if is_log else title,
            values=across.ticks,
            grid=False,
            labelFlush=False,
            labelOverlap="greedy",
            labelPadding=BELOW,
            ticks=False,
        ),
    )
    scale, axis = scale_of(up), rates_up(up, translated(figure.metric.label), look)
    y = alt.Y("up:Q", scale=scale, axis=axis)
    values = [_point(figure, row, effort, is_front=is_front) for row, effort, is_front in figure.lines]
    front = sorted((value for value in values if value["front"]), key=lambda value: value["across"])
    line = chart_of(front).mark_line(
        color=look.quiet, strokeWidth=1, strokeDash=[4, 3], aria=False, interpolate="step-after"
    )
    spans = chart_of([value for value in values if value["low"] is not None])
    spans = spans.mark_rule(strokeWidth=4, strokeCap="round", opacity=0.3, aria=False)
    spans = spans.encode(
        x=x, y=alt.Y("low:Q", scale=scale, axis=axis), y2=alt.Y2("high:Q"), color=colour_by_kind(look)
    )
    dots = points_by_front(values, x, y, look)

    def at(value: dict[str, Any]) -> tuple[float, float]:
        low, high, here = (log(end) if is_log else end for end in (*across.domain, value["across"]))
        return (here - low) / (high - low) * width, (up.high - value["up"]) / (up.high - up.low) * height

    others = [value for value in values if not value["front"]]
    named = [(value["name"], at(value)) for value in (*front, *others)]
    occupied = [around(*at(value)) for value in values]
    for value in values:
        if value["low"] is not None and value["high"] is not None:
            (left, bottom), (_left, top) = (at({**value, "up": value[end]}) for end in ("low", "high"))
            occupied.append(Box(left - 3, top, left + 3, bottom))
    names = label_all(named, _SIDES, occupied=occupied, frame=Box(0, 0, width, height), look=look)
    layers = [line.encode(x=x, y=y), spans, dots, *names]
    return alt.layer(*layers).properties(width=width, height=height)


def _across(efforts: Sequence[float], most: int) -> tuple[bool, Ends]:
    """Return whether the axis is logarithmic, and the axis."""
    least = min(efforts)
    if least > 0 and max(efforts) / least >= _WIDE:
        return True, fit_log(efforts, most=most + 2)
    return False, fit_amounts(efforts, most=most)


def _point(figure: EffortFigure, row: Row, effort: float, *, is_front: bool) -> dict[str, Any]:
    is_cost = figure.view.form == Form.COST
    label = _("Cost per task") if is_cost else _("Time per task")
    printed = print_dollars(effort) if is_cost else print_seconds(effort)
    score = {"group": translated(figure.metric.label), "rate": row.score_words}
    lines = [
        _("%(group)s: %(rate)s") % score,
        _("%(group)s: %(rate)s") % {"group": label, "rate": printed},
    ]
    return {
        "across": effort,
        "up": row.standing.score or 0.0,
        "low": round_figure(row.standing.low),
        "high": round_figure(row.standing.high),
        "kind": row.standing.kind,
        "front": is_front,
        "name": row.standing.name,
        "description": describe(name_with_kind(row.standing.name, row.standing.kind), *lines),
    }
