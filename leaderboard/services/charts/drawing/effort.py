"""Draw the ranked score against what a task costs or takes: a point for each system.

A line joins the systems that no other one dominates, and only these are named.
"""

from collections.abc import Sequence
from math import ceil, floor, log
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from leaderboard.services.boards.conditions import print_dollars, print_seconds
from leaderboard.services.boards.row import Row
from leaderboard.services.charts.drawing.labels import Box, Side, around, place
from leaderboard.services.charts.drawing.marks import chart_of, colour_by_kind, shape_by_kind, text_at
from leaderboard.services.charts.drawing.style import Look, clean, describe, name_with_kind, shorten
from leaderboard.services.charts.figures import EffortFigure
from leaderboard.services.charts.form import Form, translated
from leaderboard.services.text import percent

_SIDES = (
    Side("left", 9, 12),
    Side("left", 9, -9),
    Side("right", -9, -9),
    Side("right", -9, 12),
    Side("center", 0, -15),
    Side("center", 0, 16),
)
_MOST_NAMES = 12
_WIDE = 20  # a ratio of ends from which the axis is logarithmic


def effort(figure: EffortFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw the points, the line of those that no other dominates, and the names that have room."""
    is_log, across = _across(figure.efforts)
    up = _up([row.standing.score or 0.0 for row in figure.rows])
    width, height = look.width - (104 if look.is_narrow else 72), 300 if look.is_narrow else 420
    is_cost = figure.view.form == Form.COST
    x = alt.X(
        "across:Q",
        scale=alt.Scale(domain=across, type="log" if is_log else "linear", zero=False, nice=False),
        axis=alt.Axis(
            format="$,~r" if is_cost else ",~r",
            title=_("Mean US dollars per task") if is_cost else _("Mean seconds per task"),
            tickCount=5,
            grid=False,
            labelFlush=False,
            labelOverlap=True,
        ),
    )
    y = alt.Y(
        "up:Q",
        scale=alt.Scale(domain=up, zero=False, nice=False),
        axis=alt.Axis(format=".0%", title=translated(figure.metric.label), tickCount=5, labelFlush=False),
    )
    values = [_point(figure, row, effort, is_front=is_front) for row, effort, is_front in figure.lines]
    front = sorted((value for value in values if value["front"]), key=lambda value: value["across"])
    line = chart_of(front).mark_line(
        color=look.quiet, strokeWidth=1, strokeDash=[4, 3], aria=False, interpolate="step-after"
    )
    dots = chart_of(values).mark_point(filled=True, size=64)
    dots = dots.encode(
        x=x,
        y=y,
        color=colour_by_kind(look),
        shape=shape_by_kind(),
        opacity=alt.condition("datum.front", alt.value(1), alt.value(0.5)),
        description="description:N",
    )

    def at(value: dict[str, Any]) -> tuple[float, float]:
        low, high, here = (log(end) if is_log else end for end in (*across, value["across"]))
        return (here - low) / (high - low) * width, (up[1] - value["up"]) / (up[1] - up[0]) * height

    named = [(value["name"], at(value)) for value in front[:_MOST_NAMES]]
    names = _names(named, [at(value) for value in values], Box(0, 0, width, height), look)
    return alt.layer(line.encode(x=x, y=y), dots, *names).properties(width=width, height=height)


def _across(efforts: Sequence[float]) -> tuple[bool, list[float]]:
    """Return whether the axis is logarithmic, and its ends, which leave room around the points."""
    least, most = min(efforts), max(efforts)
    if least > 0 and most / least >= _WIDE:
        return True, [least / 1.4, most * 1.4]
    return False, [0.0, most * 1.08 or 1.0]


def _up(scores: Sequence[float]) -> list[float]:
    """Return the ends of the axis of scores: the next tenths around them, within 0..1."""
    low, high = floor(min(scores) * 10 - 0.2) / 10, ceil(max(scores) * 10 + 0.2) / 10
    return [max(0.0, low), min(1.0, high)]


def _point(figure: EffortFigure, row: Row, effort: float, *, is_front: bool) -> dict[str, Any]:
    is_cost = figure.view.form == Form.COST
    label = _("Cost per task") if is_cost else _("Time per task")
    printed = print_dollars(effort) if is_cost else print_seconds(effort)
    score = {"group": translated(figure.metric.label), "rate": percent(row.standing.score)}
    lines = [
        _("%(group)s: %(rate)s") % score,
        _("%(group)s: %(rate)s") % {"group": label, "rate": printed},
    ]
    return {
        "across": effort,
        "up": row.standing.score or 0.0,
        "kind": row.standing.kind,
        "front": is_front,
        "name": row.standing.name,
        "description": describe(name_with_kind(row.standing.name, row.standing.kind), *lines),
    }


def _names(
    named: Sequence[tuple[str, tuple[float, float]]],
    places: Sequence[tuple[float, float]],
    frame: Box,
    look: Look,
) -> list[alt.Chart]:
    """Return the names of the systems that no other one dominates, where there is room."""
    occupied = [around(*point) for point in places]
    texts = []
    for name, point in named:
        text = shorten(clean(name), look.beside)
        placement = place(text, *point, _SIDES, occupied=occupied, frame=frame)
        if placement is not None:
            side, box = placement
            occupied.append(box)
            texts.append(text_at(text, *point, side, look.ink))
    return texts
