"""Systems by group, approaches by model: heat maps with their figures in the cells; by step: a panel each."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from leaderboard.services.boards.row import Row
from leaderboard.services.charts.drawing.marks import chart_of
from leaderboard.services.charts.drawing.names import room_for, row_names, row_step
from leaderboard.services.charts.drawing.style import (
    NUMBERED,
    Look,
    describe,
    interval,
    name_with_kind,
    row_key,
)
from leaderboard.services.charts.figures import ApproachFigure, GroupFigure, translated
from leaderboard.services.charts.views import PANELS
from leaderboard.services.text import percent
from scoring.verdicts import Rate, Share

_COLUMN = 30  # letters of the head of a column, or of a panel
_ROOMY = 26  # pixels of a cell from which on its figure may be as large as others
_UPRIGHT = 60  # pixels of a column from which on its head need not stand upright


def _head(place: int, label: str, columns: int, look: Look) -> str:
    """Return the key of a column: in two lines where there is room for them."""
    if (look.width - look.names) / columns < _UPRIGHT:
        return row_key(place, label, _COLUMN)
    return row_key(place, label, _COLUMN * 3 // 4, 2)


def _name(row: Row) -> str:
    return name_with_kind(row.standing.name, row.standing.kind)


def _told(name: str, label: str, rate: Rate | Share) -> str:
    """Return the description of a cell or a point."""
    figure = _("%(group)s: %(rate)s") % {"group": label, "rate": percent(rate.rate)}
    count = "" if rate.right is None else _("%(right)s of %(total)s tasks")
    return describe(
        name,
        figure,
        count % {"right": rate.right, "total": rate.total} if count else "",
        interval(*(rate.interval or (None, None))),
    )


def grouped(shown: GroupFigure, look: Look) -> alt.TopLevelMixin:
    key = shown.view.grouping.key
    groups = [(group, translated(label)) for group, label in shown.groups.items()]
    if shown.view.grouping.ordered:
        return _panels(shown, groups, look)
    lines = look.lines(map(_name, shown.rows))
    cells = [
        {
            "row": row_key(number, _name(row), look.letters, lines),
            "column": _head(place, label, len(groups), look),
            "share": rate.rate,
            "said": _told(_name(row), label, rate),
        }
        for number, row in enumerate(shown.rows)
        for rates in [row.groups.get(key, {})]
        for place, (group, label) in enumerate(groups)
        if (rate := rates.get(group)) is not None and rate.total
    ]
    return _heat(cells, len(groups), lines, look)


def _heat(
    cells: Sequence[dict[str, Any]], columns: int, lines: int, look: Look
) -> alt.LayerChart | alt.FacetChart:
    """Cells of {row, column, share, said}, each with its figure in it. lines: that a row's name takes."""
    room = room_for((cell["row"] for cell in cells), look)
    each = (look.width - room) / columns
    top = alt.Axis(
        labelExpr=NUMBERED,
        title=None,
        ticks=False,
        domain=False,
        orient="top",
        # Upright where a label would run into the next.
        labelAngle=-90 if (look.width - look.names) / columns < _UPRIGHT else -28,
        labelLimit=170,
        labelPadding=14 if any("\n" in cell["column"] for cell in cells) else 6,
    )
    base = chart_of(cells).encode(
        x=alt.X("column:N", sort="ascending", axis=top), y=alt.Y("row:N", sort="ascending", axis=None)
    )
    colour = alt.Color("share:Q", scale=alt.Scale(domain=[0, 1], range=[look.none, look.full]), legend=None)
    # Without the sign, which the caption says: two digits fit a narrow cell.
    figure = alt.Text("share:Q", format=".0%") if each >= 40 else alt.Text("label:N")
    text = (
        base.transform_calculate(label="format(100 * datum.share, '.0f')")
        # Three digits must not run into their neighbours.
        .mark_text(fontSize=11 if each >= _ROOMY else 9, fontWeight=600, aria=False)
        .encode(
            text=figure,
            color=alt.condition(
                f"datum.share >= {look.from_here}", alt.value(look.on_full), alt.value(look.on_none)
            ),
        )
    )
    squares = base.mark_rect(cornerRadius=2).encode(color=colour, description="said:N")
    names = row_names((cell["row"] for cell in cells), room, look)
    return alt.layer(squares, text, names).properties(width=alt.Step(each), height=row_step(lines))


def _panels(shown: GroupFigure, groups: Sequence[tuple[str, str]], look: Look) -> alt.FacetChart:
    """A panel a system: its rate from step to step, with 95% intervals."""
    key = shown.view.grouping.key
    labels = [label for _, label in groups]
    points = []
    for number, row in enumerate([row for row in shown.rows if not row.is_baseline][:PANELS]):
        rates = row.groups.get(key, {})
        for group, label in groups:
            rate = rates.get(group)
            if rate is None or not rate.total:
                continue
            low, high = rate.interval or (None, None)
            points.append(
                {
                    "system": row_key(number, _name(row), _COLUMN),
                    "step": label,
                    "share": rate.rate,
                    "low": low,
                    "high": high,
                    "said": _told(_name(row), label, rate),
                }
            )
    base = alt.Chart().encode(
        x=alt.X("step:N", sort=labels, axis=alt.Axis(title=None, labelAngle=-28, labelLimit=90))
    )
    share = alt.Y(
        "share:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", title=None, tickCount=5, domain=False),
    )
    bars = base.mark_rule(color=look.full, opacity=0.5, strokeWidth=3, aria=False)
    dots = base.mark_point(color=look.full, filled=True, size=36, opacity=1)
    layers = alt.layer(
        bars.encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_line(color=look.full, strokeWidth=1.5, aria=False).encode(y=share),
        dots.encode(y=share, description="said:N"),
        data=alt.Data(values=points),  # type: ignore[no-untyped-call]  # Altair leaves it untyped
    )
    columns = 1 if look.is_narrow else 3
    header = alt.Header(labelExpr=NUMBERED, labelAnchor="start")
    return layers.properties(width=look.width / columns - 52, height=130).facet(
        facet=alt.Facet("system:N", sort="ascending", header=header),
        columns=columns,
        spacing=18,
    )


def approaches(shown: ApproachFigure, look: Look) -> alt.VConcatChart:
    """A heat map a judge: verdicts of different ones do not compare."""
    judges: dict[str, list[dict[str, Any]]] = {}
    lines = look.lines(approach.words for approach in shown.lines)
    for number, (approach, cells) in enumerate(shown.lines.items()):
        for place, model in enumerate(shown.models):
            for row in cells.get(model, ()):
                standing = row.standing
                drawn = judges.setdefault(standing.judge, [])
                # Where the board mixes judges, a cell has one row.
                drawn.append(
                    {
                        "row": row_key(number, approach.words, look.letters, lines),
                        "column": _head(place, translated(model), max(len(shown.models), 4), look),
                        "share": standing.score,
                        "said": describe(
                            f"{approach.words} · {translated(model)}",
                            f"{percent(standing.score)} · {_name(row)}",
                            interval(standing.low, standing.high),
                        ),
                    }
                )
    maps = []
    for judge, drawn in judges.items():
        # A single model would make one cell as wide as the page.
        heat = _heat(drawn, max(len({cell["column"] for cell in drawn}), 4), lines, look)
        maps.append(heat.properties(title=judged_by(judge)) if len(judges) > 1 else heat)
    column = alt.vconcat(*maps, spacing=24)
    chart: alt.VConcatChart = column.resolve_scale(x="independent", y="independent")
    return chart


def judged_by(judge: str) -> str:
    return _("Judge: %(judge)s") % {"judge": judge}
