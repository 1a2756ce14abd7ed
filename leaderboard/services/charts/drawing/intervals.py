"""Draw the rates of the first rows with their 95% intervals, one below the other."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from leaderboard.services.boards.row import Row
from leaderboard.services.charts.drawing.axes import rates_across, scale_of
from leaderboard.services.charts.drawing.labels import Side
from leaderboard.services.charts.drawing.marks import chart_of, colour_by_kind, shape_by_kind, text_at, x_at
from leaderboard.services.charts.drawing.names import SHIFT, room_for, row_lines, row_names, row_step
from leaderboard.services.charts.drawing.style import (
    TEXT,
    Look,
    clean,
    describe,
    interval,
    name_with_kind,
    row_key,
)
from leaderboard.services.charts.figures import ForestFigure, HarnessFigure
from leaderboard.services.charts.form import translated
from leaderboard.services.charts.scales import Ends, fit_rates
from leaderboard.services.text import percent
from leaderboard.services.visibility import round_figure

_COLUMNS = {
    "wide": 286,
    "medium": 182,
    "narrow": 96,
    "small": 150,
}  # pixels for the figures to the right of the intervals


def forest(figure: ForestFigure | HarnessFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw an interval and a point for each row, and its figures beside them."""
    labelled = [*zip(figure.rows, figure.labels, strict=True)]
    if look.is_small:
        # The head beside it is about the results that were not removed since.
        labelled = [each for each in labelled if each[0].removal is None] or labelled
    rows, labels = zip(*labelled[: look.rows_most], strict=True)
    lines = look.lines(map(clean, labels))
    best = max(row.standing.score or 0.0 for row in rows)
    values = [
        _line(number, row, look, label=label, lines=lines, best=best)
        for number, (row, label) in enumerate(zip(rows, labels, strict=True))
    ]
    columns = _COLUMNS[_size_of(look)]
    room = room_for((value["row"] for value in values), look)
    width = look.width - room - columns
    ends = _ends(rows, 4 if look.is_narrow else 9 if look.is_wide else 5)
    title = _("%(metric)s, %% of tasks") % {"metric": translated(figure.metric.label)}
    at_start = {
        "orient": "top",
        "titleAnchor": "start",
        "titleAlign": "left",
        "titlePadding": 8,
        "labelPadding": 2,
    }
    rates = None
    if not look.is_small:
        rates = rates_across(ends, title, offset=10 if look.is_narrow else 0, **at_start)
    base = chart_of(values).encode(y=alt.Y("row:N", sort="ascending", axis=row_lines(look)))
    scale = scale_of(ends)
    colour, shape = colour_by_kind(look), shape_by_kind()
    x = alt.X("score:Q", scale=scale, axis=rates)
    below = SHIFT if look.is_narrow else 0
    spans = base.mark_rule(
        strokeWidth=4, opacity=0.45, strokeCap="round", yOffset=below, y2Offset=below, aria=False
    )
    dots = base.mark_point(filled=True, size=64, opacity=1, yOffset=below)
    rings = base.transform_filter("datum.tied").mark_point(
        shape="circle", filled=False, size=230, strokeWidth=1.5, opacity=1, yOffset=below, aria=False
    )
    layers = [
        spans.encode(x=alt.X("low:Q", scale=scale, axis=rates), x2=alt.X2("high:Q"), color=colour),
        # In the small one, the table beside it has the marks.
        *([] if look.is_small else [rings.encode(x=x, color=alt.value(look.ink))]),
        dots.encode(x=x, color=colour, shape=shape, description=alt.Description("description:N")),
        row_names((value["row"] for value in values), room, look),
        *(_narrow_columns if look.is_narrow else _columns)(values, width, look),
    ]
    return alt.layer(*layers).properties(width=width, height=row_step(lines, look))


def _line(number: int, row: Row, look: Look, *, label: str, lines: int, best: float) -> dict[str, Any]:
    standing = row.standing
    ranks = ranks_of(row)
    digits = 0 if look.is_narrow else 1
    return {
        "row": row_key(number, label, look.letters, lines),
        "score": round_figure(standing.score),
        "low": round_figure(standing.low),
        "high": round_figure(standing.high),
        "kind": standing.kind,
        "rate": row.score_words,
        "best": standing.score == best,
        "span": f"{percent(standing.low, digits)}–{percent(standing.high, digits)}".replace("%–", "–"),
        "ranks": ranks or "–",
        "tied": row.place.shares_first,
        "description": describe(
            name_with_kind(standing.name, standing.kind),
            label if label != standing.name else "",
            row.score_words,
            interval(standing.low, standing.high),
            _("Rank %(ranks)s") % {"ranks": ranks} if ranks else "",
            _("Statistically tied for first") if row.place.shares_first else "",
        ),
    }


def ranks_of(row: Row) -> str:
    """Return the 95% interval of a rank, or the rank if that has none; "" for an unranked row."""
    if row.place.is_known and row.rank_low != row.rank_high:
        return row.place.span.replace(" ", "")
    return row.rank_words


def _size_of(look: Look) -> str:
    if look.is_small:
        return "small"
    return "wide" if look.is_wide else "narrow" if look.is_narrow else "medium"


def _ends(rows: Sequence[Row], most: int) -> Ends:
    ends = [end for row in rows for end in (row.standing.low, row.standing.high) if end is not None]
    return fit_rates(ends, most=most)


def _text(
    values: list[dict[str, Any]], field: str, x: float, look: Look, *, dy: int = 0, is_quiet: bool = False
) -> list[alt.Chart]:
    """Return a column of text that ends at `x`. The best rate is bold."""
    layers = []
    for is_bold in (False, True):
        chosen = [value for value in values if (field == "rate" and value["best"]) == is_bold]
        if chosen:
            mark = chart_of(chosen).mark_text(
                align="right",
                baseline="middle",
                dy=dy,
                fontSize=TEXT,
                fontWeight=700 if is_bold else 400,
                color=look.quiet if is_quiet else look.ink,
                aria=False,
            )
            y = alt.Y("row:N", sort="ascending", axis=None)
            layers.append(mark.encode(x=x_at(x), y=y, text=alt.Text(f"{field}:N")))
    return layers


def _columns(values: list[dict[str, Any]], width: float, look: Look) -> list[alt.Chart]:
    """Return the columns to the right of the intervals, with a heading above each."""
    columns = [("rate", 62, ""), ("span", 158, _("95% CI")), ("ranks", 282, _("Rank (95% CI)"))]
    if look.is_small:
        columns = [("rate", 90, ""), ("ranks", 146, _("Rank (95% CI)"))]
    layers = []
    for field, x, heading in columns[: None if look.is_wide else 2]:
        layers += _text(values, field, width + x, look, is_quiet=field != "rate")
        if heading:
            layers.append(text_at(heading, width + x, -12, Side("right", 0, 0), look.quiet))
    return layers


def _narrow_columns(values: list[dict[str, Any]], width: float, look: Look) -> list[alt.Chart]:
    """Return the figures of a phone: the rate beside the name, and the interval beside its drawing."""
    return [
        *_text(values, "rate", width + 92, look, dy=-13),
        *_text(values, "span", width + 92, look, dy=SHIFT, is_quiet=True),
    ]
