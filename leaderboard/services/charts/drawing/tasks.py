"""Draw the verdicts of systems on each task, and how many tasks are right in all of k runs."""

from typing import Any

import altair as alt
import numpy as np
from django.utils.translation import gettext as _

from leaderboard.services.charts.drawing.axes import rates_up, scale_of
from leaderboard.services.charts.drawing.labels import Box, Side, around
from leaderboard.services.charts.drawing.marks import (
    chart_of,
    colour_by_kind,
    label_all,
    shape_by_kind,
    text_at,
    x_at,
)
from leaderboard.services.charts.drawing.names import SHIFT, room_for, row_names, row_step
from leaderboard.services.charts.drawing.style import TEXT, Look, describe, name_with_kind, row_key
from leaderboard.services.charts.figures import RunsFigure, TaskFigure
from leaderboard.services.charts.scales import fit_rates
from leaderboard.services.text import percent

_MOST_CELLS = 400  # in a row: with more tasks, a cell is the mean of several
_MEANS = 150  # cells in a row then, since 25 rows of 400 that all differ take seconds to draw
_RATE = 62  # pixels for the score beside a row
_SIDES = (Side("left", 10, 0), Side("left", 10, -12), Side("left", 10, 12))


def tasks(figure: TaskFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw a row for each system, with a cell for each task: the easiest to the left."""
    lines = look.lines(row.standing.name for row in figure.rows)
    rows, cells = [], []
    for number, (row, shares) in enumerate(zip(figure.rows, figure.shares, strict=True)):
        name = name_with_kind(row.standing.name, row.standing.kind)
        key = row_key(number, name, look.letters, lines)
        right = _("%(right)s of %(total)s tasks") % {"right": round(sum(shares)), "total": len(shares)}
        rows.append(
            {"row": key, "rate": row.score_words, "description": describe(name, row.score_words, right)}
        )
        cells += [{"row": key, **cell} for cell in _cells(shares)]
    room = room_for((value["row"] for value in rows), look)
    width = look.width - room - _RATE
    y = alt.Y("row:N", sort="ascending", axis=None)
    below, height = (SHIFT, 0.4) if look.is_narrow else (0, 0.8)
    place: dict[str, Any] = {"yOffset": below, "height": {"band": height}}
    squares = (
        chart_of(cells)
        .mark_rect(aria=False, **place)
        .encode(
            x=alt.X("start:Q", scale=alt.Scale(domain=[0, len(figure.tasks)], nice=False), axis=None),
            x2=alt.X2("end:Q"),
            y=y,
            color=alt.Color(
                "share:Q", scale=alt.Scale(domain=[0, 1], range=[look.none, look.full]), legend=None
            ),
        )
    )
    frames = chart_of(rows).mark_rect(filled=False, stroke=look.rule, width=width, **place)
    rates = chart_of(rows).mark_text(
        align="right", baseline="middle", dy=below, fontSize=TEXT, color=look.ink, aria=False
    )
    layers = [
        squares,
        frames.encode(x=x_at(width / 2), y=y, description=alt.Description("description:N")),
        rates.encode(x=x_at(width + _RATE), y=y, text=alt.Text("rate:N")),
        row_names((value["row"] for value in rows), room, look),
        text_at(_("Easiest task"), 0, -12, Side("left", 0, 0), look.quiet),
        text_at(_("Hardest task"), width, -12, Side("right", 0, 0), look.quiet),
    ]
    return alt.layer(*layers).properties(width=width, height=row_step(lines, look))


def _cells(shares: Any) -> list[dict[str, float]]:
    """Return the cells of a row; neighbours of the same share are one cell."""
    size = 1 if len(shares) <= _MOST_CELLS else -(-len(shares) // _MEANS)
    means = [float(np.mean(shares[start : start + size])) for start in range(0, len(shares), size)]
    cells: list[dict[str, float]] = []
    for place, mean in enumerate(means):
        end = min((place + 1) * size, len(shares))
        if cells and cells[-1]["share"] == mean:
            cells[-1]["end"] = end
        else:
            cells.append({"start": place * size, "end": end, "share": mean})
    return cells


def runs(figure: RunsFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw a line for each system: pass^k by k, with its name at the end."""
    values = [
        {
            "system": str(number),
            "k": k,
            "rate": value,
            "kind": row.standing.kind,
            "description": describe(row.standing.name, f"pass^{k}: {percent(value)}"),
        }
        for number, (row, _spread, passes) in enumerate(figure.lines)
        for k, value in passes
    ]
    most = max(k for *_row, passes in figure.lines for k, _rate in passes)
    up = fit_rates(
        [rate for *_row, passes in figure.lines for _k, rate in passes], most=4 if look.is_narrow else 6
    )
    names = 0 if look.is_narrow else look.names
    width, height = look.width - look.axis_room - names - 30, 330 if look.is_narrow else 440
    x = alt.X(
        "k:Q",
        scale=alt.Scale(domain=[1, most], nice=False, zero=False),
        axis=alt.Axis(
            values=[*range(1, most + 1)], format="d", title=_("Runs k"), grid=False, labelFlush=False
        ),
    )
    y = alt.Y(
        "rate:Q", scale=scale_of(up), axis=rates_up(up, _("Tasks correct in all k runs (pass^k)"), look)
    )
    base = chart_of(values).encode(x=x, y=y)
    # Where the figures between the ends are hidden, the line between them is no measurement.
    is_hidden = any(spread.rounded_to for spread in figure.spreads)
    dash = [4, 3] if is_hidden else [1, 0]
    lines = base.mark_line(color=look.quiet, strokeWidth=1.5, strokeDash=dash, aria=False).encode(
        detail=alt.Detail("system:N")
    )
    dots = base.mark_point(filled=True, size=64, opacity=1).encode(
        color=colour_by_kind(look), shape=shape_by_kind(), description=alt.Description("description:N")
    )

    def at(k: int, value: float) -> tuple[float, float]:
        return (k - 1) / (most - 1) * width, (up.high - value) / (up.high - up.low) * height

    ends = [(row.standing.name, at(*passes[-1])) for row, _spread, passes in figure.lines]
    occupied = [around(*at(k, value)) for _row, _spread, passes in figure.lines for k, value in passes]
    frame = Box(0, 0, look.width - look.axis_room, height)
    labels = label_all(ends, _SIDES, occupied=occupied, frame=frame, look=look)
    return alt.layer(lines, dots, *labels).properties(width=width, height=height)
