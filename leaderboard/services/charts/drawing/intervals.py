"""Draw the rates of the first rows with their 95% intervals, one below the other."""

from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from leaderboard.services.boards.row import Row
from leaderboard.services.charts.drawing.labels import Side
from leaderboard.services.charts.drawing.marks import chart_of, colour_by_kind, shape_by_kind, text_at
from leaderboard.services.charts.drawing.names import room_for, row_names, row_step
from leaderboard.services.charts.drawing.style import (
    Look,
    clean,
    describe,
    interval,
    name_with_kind,
    row_key,
)
from leaderboard.services.charts.figures import ForestFigure
from leaderboard.services.text import percent
from leaderboard.services.visibility import round_figure


def forest(figure: ForestFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw an interval and a point for each row, and the figures if there is room."""
    lines = look.lines(clean(row.standing.name) for row in figure.rows)
    values = [_line(number, row, look, lines) for number, row in enumerate(figure.rows)]
    # To the right of the intervals: rates and ranks. A narrow screen has room for rates only.
    columns_width = 48 if look.is_narrow else 210
    room = room_for((value["row"] for value in values), look)
    width = look.width - room - columns_width + (0 if look.is_narrow else 40)
    grid = alt.Axis(labels=False, title=None, ticks=False, domain=False, grid=True)
    rates = alt.Axis(
        format=".0%",
        title=None,
        orient="top",
        tickCount=3 if look.is_narrow else 8,
        labelFlush=False,
        domain=False,
        ticks=False,
    )
    base = chart_of(values).encode(y=alt.Y("row:N", sort="ascending", axis=grid))
    scale = alt.Scale(domain=_ends(figure), zero=False, nice=not look.is_narrow)
    colour, shape = colour_by_kind(look), shape_by_kind()
    x = alt.X("score:Q", scale=scale, axis=rates)
    # On a narrow screen an interval is hardly longer than the point, which must not hide it.
    thick, size, opacity = (4, 18, 0.45) if look.is_narrow else (5, 64, 0.3)
    spans = base.mark_rule(strokeWidth=thick, opacity=opacity, aria=False)
    dots = base.mark_point(filled=True, size=size, opacity=1)
    layers = [
        spans.encode(x=alt.X("low:Q", scale=scale, axis=rates), x2="high:Q", color=colour),
        dots.encode(x=x, color=colour, shape=shape, description="description:N"),
        row_names((value["row"] for value in values), room, look),
        *_columns(base, width, look),
    ]
    return alt.layer(*layers).properties(width=width, height=row_step(lines))


def _line(number: int, row: Row, look: Look, lines: int) -> dict[str, Any]:
    standing = row.standing
    ranks = ranks_of(row)
    return {
        "row": row_key(number, standing.name, look.letters, lines),
        "score": round_figure(standing.score),
        "low": round_figure(standing.low),
        "high": round_figure(standing.high),
        "kind": standing.kind,
        "rate": percent(standing.score),
        "span": f"{percent(standing.low)} – {percent(standing.high)}",
        "ranks": ranks or "–",
        "description": describe(
            name_with_kind(standing.name, standing.kind),
            percent(standing.score),
            interval(standing.low, standing.high),
            _("Rank %(ranks)s") % {"ranks": ranks} if ranks else "",
        ),
    }


def ranks_of(row: Row) -> str:
    """Return the 95% interval of a rank, or the rank if that has none; "" for an unranked row."""
    if row.place.is_known and row.rank_low != row.rank_high:
        return row.place.span.replace("–", " – ")
    return "" if row.rank is None else str(row.rank)


def _ends(figure: ForestFigure) -> list[float]:
    lows = [row.standing.low for row in figure.rows if row.standing.low is not None]
    highs = [row.standing.high for row in figure.rows if row.standing.high is not None]
    return [max(0.0, min(lows) - 0.01), min(1.0, max(highs) + 0.01)]


def _columns(base: alt.Chart, width: float, look: Look) -> list[alt.Chart]:
    """Return the columns of text to the right of the intervals, with a heading above each."""
    columns = [("rate", width + 46, "")]
    if not look.is_narrow:
        columns = [
            ("rate", width + 54, ""),
            ("span", width + 150, _("95% interval")),
            ("ranks", width + 208, _("Rank")),
        ]
    layers = []
    for field, x, heading in columns:
        mark = base.mark_text(
            align="right", fontSize=11, fontWeight=600 if field == "rate" else 400, color=look.ink, aria=False
        )
        layers.append(mark.encode(x=alt.value(x), text=f"{field}:N"))
        if heading:
            layers.append(text_at(heading, x, -10, Side("right", 0, 0), look.quiet))
    return layers
