"""Draw precision against recall: a point for each system, and lines of equal F1.

The systems that no other one outdoes are named first, where names have room.
"""

from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from leaderboard.services.boards.row import Row
from leaderboard.services.charts.drawing.axes import rates_across, rates_up, scale_of
from leaderboard.services.charts.drawing.labels import Box, Side, around
from leaderboard.services.charts.drawing.marks import chart_of, label_all, points_by_front, text_at
from leaderboard.services.charts.drawing.style import Look, describe, name_with_kind
from leaderboard.services.charts.figures import ScatterFigure
from leaderboard.services.charts.form import translated
from leaderboard.services.charts.scales import Ends, fit_rates
from leaderboard.services.text import percent

_SIDES = (
    Side("left", 9, -10),
    Side("left", 9, 11),
    Side("right", -9, -10),
    Side("right", -9, 11),
    Side("center", 0, -17),
    Side("center", 0, 18),
)
_STEPS = 80  # segments of a line of equal F1


def scatter(figure: ScatterFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw the points, the lines of equal F1 behind them, and the names."""
    most = 4 if look.is_narrow else 6
    across, up = (fit_rates([figure.at(row)[place] for row in figure.rows], most=most) for place in (0, 1))
    # To the right: room for the labels of the lines of equal F1.
    width, height = look.width - look.axis_room - 64, 330 if look.is_narrow else 440
    x = alt.X(
        "across:Q",
        scale=scale_of(across),
        axis=rates_across(across, translated(figure.across.label), grid=False),
    )
    y = alt.Y("up:Q", scale=scale_of(up), axis=rates_up(up, translated(figure.up.label), look))
    values = [_point(row, figure, is_front=is_front) for row, is_front in figure.lines]
    dots = points_by_front(values, x, y, look)

    def at(row: Row) -> tuple[float, float]:
        right, above = figure.at(row)
        return (
            (right - across.low) / (across.high - across.low) * width,
            (up.high - above) / (up.high - up.low) * height,
        )

    others = [row for row, is_front in figure.lines if not is_front]
    named = [(row.standing.name, at(row)) for row in (*figure.front, *others)]
    occupied = [around(*at(row)) for row in figure.rows]
    names = label_all(named, _SIDES, occupied=occupied, frame=Box(0, 0, width, height), look=look)
    layers = [*_equal(across, up, width, height, look), dots, *names]
    return alt.layer(*layers).properties(width=width, height=height)


def _point(row: Row, figure: ScatterFigure, *, is_front: bool) -> dict[str, Any]:
    across, up = figure.at(row)
    figures = [(figure.up, up), (figure.across, across), (figure.metric, row.standing.score)]
    figure_lines = [
        _("%(group)s: %(rate)s") % {"group": translated(metric.label), "rate": percent(value)}
        for metric, value in figures
        if value is not None
    ]
    return {
        "across": across,
        "up": up,
        "kind": row.standing.kind,
        "front": is_front,
        "description": describe(name_with_kind(row.standing.name, row.standing.kind), *figure_lines),
    }


def _equal(across: Ends, up: Ends, width: float, height: float, look: Look) -> list[alt.Chart]:
    """Return the lines of equal F1 by tenths, labelled where they leave the frame on the right."""
    layers = []
    for tenth in range(1, 10):
        f1 = tenth / 10
        line = _line(f1, across, up)
        if len(line) < _STEPS // 6:
            continue
        mark = chart_of(line).mark_line(
            color=look.rule, strokeWidth=1, clip=True, aria=False, interpolate="linear"
        )
        layers.append(mark.encode(x=alt.X("across:Q"), y=alt.Y("up:Q"), order=alt.Order("across:Q")))
        end = line[-1]
        y = (up.high - end["up"]) / (up.high - up.low) * height
        if end["across"] > across.high - (across.high - across.low) / _STEPS and y < height - 6:
            text = _("F1 %(rate)s") % {"rate": percent(f1, 0)}
            layers.append(text_at(text, width, y, Side("left", 6, 0), look.quiet))
    return layers


def _line(f1: float, across: Ends, up: Ends) -> list[dict[str, float]]:
    """Return the points of equal F1 within the frame, by recall. F1 = 2PR / (P + R)."""
    points = []
    for step in range(_STEPS + 1):
        recall = across.low + (across.high - across.low) * step / _STEPS
        if 2 * recall > f1:
            precision = f1 * recall / (2 * recall - f1)
            if up.low <= precision <= up.high:
                points.append({"across": recall, "up": precision})
    return points
