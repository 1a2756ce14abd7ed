"""Draw systems by group and approaches by model as heat maps, and systems by step as panels."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from leaderboard.services.boards.row import Row
from leaderboard.services.charts.drawing.axes import scale_of
from leaderboard.services.charts.drawing.marks import chart_of, colour_by_kind, shape_by_kind
from leaderboard.services.charts.drawing.names import SHIFT, column_heads, room_for, row_names, row_step
from leaderboard.services.charts.drawing.style import (
    LETTER,
    NUMBERED,
    TEXT,
    Look,
    describe,
    interval,
    name_with_kind,
    row_key,
)
from leaderboard.services.charts.figures import ApproachFigure, GroupFigure
from leaderboard.services.charts.form import translated
from leaderboard.services.charts.scales import Ends, fit_rates
from leaderboard.services.charts.views import PANELS
from leaderboard.services.judging.names import judge_name
from leaderboard.services.text import percent
from leaderboard.services.text_fitting import columns_of
from leaderboard.services.visibility import round_figure
from wardboard.scoring.verdicts import Rate, Share

_HEAD_LETTERS = 34  # most letters in the head of a panel
_UPRIGHT_LETTERS = 20  # most letters in a line of an upright head of a column
_ROOMY = 46  # pixels: a narrower cell has no room for the percent sign
_UPRIGHT = 70  # pixels: the heads of narrower columns are set upright
_SHORT_STEP = 6  # letters of the label of a step that fits below its point


def _is_upright(columns: int, look: Look) -> bool:
    return (look.width - look.names) / columns < _UPRIGHT


def _head(place: int, label: str, columns: int, look: Look) -> str:
    """Return the key of a column, whose label takes as many lines as it has room for."""
    if _is_upright(columns, look):
        return row_key(place, label, _UPRIGHT_LETTERS, 2)
    return row_key(place, label, int(((look.width - look.names) / columns - 6) / LETTER), 4)


def _name(row: Row) -> str:
    return name_with_kind(row.standing.name, row.standing.kind)


def _describe_rate(name: str, label: str, rate: Rate | Share) -> str:
    """Return the description of a cell or a point."""
    rate_line = _("%(group)s: %(rate)s") % {"group": label, "rate": percent(rate.rate)}
    count = "" if rate.right is None else _("%(right)s of %(total)s tasks")
    return describe(
        name,
        rate_line,
        count % {"right": rate.right, "total": rate.total} if count else "",
        interval(*(rate.interval or (None, None))),
    )


def grouped(figure: GroupFigure, look: Look) -> alt.TopLevelMixin:
    """Draw the rates of systems by group: panels if the groups are steps, otherwise a heat map."""
    groups = [(group, translated(label)) for group, label in figure.groups.items()]
    if figure.view.grouping.ordered:
        return _panels(figure, groups, look)
    lines = look.lines(map(_name, figure.rows))
    cells = [
        {
            "row": row_key(number, _name(row), look.letters, lines),
            "column": _head(place, label, len(groups), look),
            "kind": row.standing.kind,
            "share": round_figure(rate.rate),
            "description": _describe_rate(_name(row), label, rate),
        }
        for number, row in enumerate(figure.rows)
        for rates in [figure.drawn(row)]
        for place, (group, label) in enumerate(groups)
        if (rate := rates.get(group)) is not None
    ]
    return _heat(_mark_best(cells), len(groups), lines, figure.shades, look)


def _heat(
    cells: Sequence[dict[str, Any]], columns: int, lines: int, shades: Ends, look: Look
) -> alt.LayerChart | alt.FacetChart:
    """Draw a heat map with the rate written in each cell, the best of each column in bold.

    cells: dictionaries with the keys row, column, share (0..1), description, and whether it is the best
    columns: how many columns share the width
    lines: how many lines the longest name of a row takes
    shades: the rates of the lightest and of the darkest cell
    """
    room = room_for((cell["row"] for cell in cells), look)
    cell_width = (look.width - room) / columns
    base = chart_of(cells).encode(
        x=alt.X("column:N", sort="ascending", axis=None), y=alt.Y("row:N", sort="ascending", axis=None)
    )
    # Clamp: a baseline may be below the scale, which is fitted to the systems.
    scale = alt.Scale(domain=shades.domain, range=[look.none, look.full], clamp=True)
    # On a phone a cell is below the name of its row.
    below, height = (SHIFT, 0.5) if look.is_narrow else (0, 0.94)
    squares = base.mark_rect(
        cornerRadius=2, yOffset=below, height={"band": height}, width={"band": 0.97}
    ).encode(
        color=alt.Color("share:Q", scale=scale, legend=None), description=alt.Description("description:N")
    )
    layers = [squares]
    # Narrow cells have room for the digits only; the legend says that they are percentages.
    number = "format(datum.share, '.0%')" if cell_width >= _ROOMY else "format(100 * datum.share, '.0f')"
    for is_best in (False, True):
        text = base.transform_filter("datum.best" if is_best else "!datum.best").transform_calculate(
            label=number
        )
        mark = text.mark_text(
            fontSize=TEXT, fontWeight=700 if is_best else 400, dy=below, color=look.ink, aria=False
        )
        layers.append(mark.encode(text=alt.Text("label:N")))
    layers.append(row_names((cell["row"] for cell in cells), room, look))
    is_upright = _is_upright(columns, look)
    layers.append(column_heads((cell["column"] for cell in cells), look, is_upright=is_upright))
    return alt.layer(*layers).properties(width=alt.Step(cell_width), height=row_step(lines, look))


def _mark_best(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells, each with whether it has the highest rate of its column. Baselines do not count."""
    best: dict[str, float] = {}
    for cell in cells:
        if cell["kind"] != "baseline":
            best[cell["column"]] = max(cell["share"], best.get(cell["column"], 0.0))
    return [
        {**cell, "best": cell["kind"] != "baseline" and cell["share"] == best[cell["column"]]}
        for cell in cells
    ]


def _panels(figure: GroupFigure, groups: Sequence[tuple[str, str]], look: Look) -> alt.FacetChart:
    """Draw a panel for each of the first systems: its rate at each step, with 95% intervals."""
    points: list[dict[str, Any]] = []
    for number, (row, _rates) in enumerate(figure.drawn_rates[:PANELS]):
        rates = figure.drawn(row)
        for group, label in groups:
            rate = rates.get(group)
            if rate is None:
                continue
            low, high = rate.interval or (None, None)
            points.append(
                {
                    "system": row_key(number, _name(row), _HEAD_LETTERS),
                    "step": label,
                    "share": round_figure(rate.rate),
                    "low": round_figure(low),
                    "high": round_figure(high),
                    "kind": row.standing.kind,
                    "description": _describe_rate(_name(row), label, rate),
                }
            )
    # A step that no panel has a point at is no step of the chart.
    labels = [label for _group, label in groups if any(point["step"] == label for point in points)]
    ends = fit_rates([p[k] for p in points for k in ("share", "low", "high") if p[k] is not None], most=5)
    slant = 0 if max(map(columns_of, labels)) <= _SHORT_STEP else -28
    # The steps have no title: that of the page names them, and each column of panels would repeat it.
    base = alt.Chart().encode(
        x=alt.X("step:N", sort=labels, axis=alt.Axis(title=None, labelAngle=slant, labelLimit=110)),
        color=colour_by_kind(look),
    )
    axis = alt.Axis(
        format=".0%", title=translated(figure.metric.label), values=ends.ticks, domain=False, ticks=False
    )
    scale = scale_of(ends)
    share = alt.Y("share:Q", scale=scale, axis=axis)
    bars = base.mark_rule(opacity=0.45, strokeWidth=4, strokeCap="round", aria=False)
    dots = base.mark_point(filled=True, size=48, opacity=1)
    layers = alt.layer(
        bars.encode(y=alt.Y("low:Q", scale=scale, axis=axis), y2=alt.Y2("high:Q")),
        base.mark_line(strokeWidth=1.5, aria=False).encode(y=share),
        dots.encode(y=share, shape=shape_by_kind(), description=alt.Description("description:N")),
        data=alt.Data(values=tuple(points)),  # type: ignore[no-untyped-call]  # Altair leaves it untyped
    )
    columns = 1 if look.is_narrow else 3 if look.is_wide else 2
    header = alt.Header(labelExpr=NUMBERED, labelAnchor="start")
    return layers.properties(width=look.width / columns - 70, height=160).facet(
        facet=alt.Facet("system:N", sort="ascending", header=header),
        columns=columns,
        spacing=24,
    )


def approaches(figure: ApproachFigure, look: Look) -> alt.VConcatChart:
    """Draw a heat map for each judge, since the verdicts of different judges do not compare."""
    cells_by_judge: dict[str, list[dict[str, Any]]] = {}
    lines = look.lines(approach.words for approach in figure.lines)
    for number, (approach, cells) in enumerate(figure.lines.items()):
        for place, model in enumerate(figure.models):
            for row in cells.get(model, ()):
                standing = row.standing
                map_cells = cells_by_judge.setdefault(standing.judge, [])
                # Where the board mixes judges, a cell has one row.
                map_cells.append(
                    {
                        "row": row_key(number, approach.words, look.letters, lines),
                        "place": place,
                        "model": translated(model),
                        "share": round_figure(standing.score) or 0.0,
                        "kind": standing.kind,
                        "description": describe(
                            f"{approach.words} · {translated(model)}",
                            f"{row.score_words} · {_name(row)}",
                            interval(standing.low, standing.high),
                        ),
                    }
                )
    maps = []
    for judge, map_cells in cells_by_judge.items():
        # With fewer than four columns, cells would be too wide: up to the whole page for a single model.
        columns = max(len({cell["place"] for cell in map_cells}), 4)
        for cell in map_cells:
            cell["column"] = _head(cell["place"], cell["model"], columns, look)
        heat = _heat(_mark_best(map_cells), columns, lines, figure.shades, look)
        maps.append(heat.properties(title=judged_by(judge)) if len(cells_by_judge) > 1 else heat)
    column = alt.vconcat(*maps, spacing=28)
    chart: alt.VConcatChart = column.resolve_scale(x="independent", y="independent")
    return chart


def judged_by(judge: str) -> str:
    """Return the title of the heat map of one judge."""
    return _("Judge: %(judge)s") % {"judge": judge_name(judge)}
