"""The charts of the views as Vega-Lite, by Altair: in two colour schemes, for wide and for narrow screens.

Imported lazily, by services/charts.py alone: Altair takes most of a second. Colour carries nothing that is
not written beside it: heat maps have their figures in the cells, and lines have a panel each.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import altair as alt

from leaderboard.services.board import Row
from leaderboard.services.shown import Approaches, Grouped, Sizes
from leaderboard.services.views import PANELS

_FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans TC", "DejaVu Sans", sans-serif'


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Colours (those of the style sheet) and measures in pixels. from_here: figures from which on the text in
    a cell is `on_full`."""

    ink: str
    quiet: str
    rule: str
    none: str
    full: str
    on_full: str
    from_here: float
    width: int
    names: int
    letters: int

    @property
    def is_narrow(self) -> bool:
        return self.width < 500

    def lines(self, names: Iterable[str]) -> int:
        """Return how many lines a name may take: as many as the longest of `names` needs, up to a limit."""
        needed = max(len(wrap(name, self.letters)) for name in names)
        return min(needed, 3 if self.is_narrow else 2)


_SCHEMES = {
    "light": {
        "ink": "#1d2429",
        "quiet": "#566169",
        "rule": "#e2e0d8",
        "none": "#edf3f1",
        "full": "#0b6e69",
        "on_full": "#ffffff",
        "from_here": 0.78,
    },
    "dark": {
        "ink": "#e6e9ea",
        "quiet": "#a0abb2",
        "rule": "#2f383e",
        "none": "#273036",
        "full": "#4fc3b8",
        "on_full": "#0e1719",
        "from_here": 0.53,
    },
}
_WIDE = {"width": 1080, "names": 260, "letters": 40}
_NARROW = {"width": 340, "names": 126, "letters": 20}
_COLUMN = 30  # letters of the head of a column


def look_of(*, scheme: str, narrow: bool) -> Look:
    return Look(**_SCHEMES[scheme], **(_NARROW if narrow else _WIDE))


def spec_of(shown: Grouped | Approaches | Sizes, look: Look) -> dict[str, Any]:
    """Return the Vega-Lite specification of `shown`, which has something to draw."""
    draw = {Grouped: _grouped, Approaches: _approaches, Sizes: _sizes}[type(shown)]
    axis = {
        "labelColor": look.ink,
        "titleColor": look.quiet,
        "gridColor": look.rule,
        "domainColor": look.rule,
        "tickColor": look.rule,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    }
    chart = draw(shown, look).configure(
        font=_FONT,
        background="transparent",
        padding=2,
        axis=axis,
        header={"labelColor": look.ink, "labelFontSize": 12, "labelFontWeight": 600, "title": None},
        title={"color": look.ink, "fontSize": 12, "fontWeight": 600, "anchor": "start"},
        view={"stroke": None},
    )
    return chart.to_dict()


def cut(name: str, letters: int) -> str:
    """Return a name that is short enough to be drawn; the table below has it whole."""
    return name if len(name) <= letters else f"{name[: letters - 1].rstrip()}…"


def _labelled(number: int, name: str, letters: int, lines: int = 1) -> str:
    # Names that are cut may be equal: the number, which is not drawn, keeps them apart and in order.
    said = wrap(name, letters, max_lines=lines, placeholder="…") if lines > 1 else [cut(name, letters)]
    return f"{number:03}{chr(10).join(said)}"


_NUMBERED = "split(slice(datum.label, 3), '\\n')"


def _name(row: Row) -> str:
    return row.system.name + {"reported": " (reported)", "baseline": " (baseline)"}.get(row.standing.kind, "")


def _grouped(shown: Grouped, look: Look) -> alt.TopLevelMixin:
    key = shown.view.breakdown.key
    groups = list(shown.groups.items())
    if shown.view.breakdown.ordered:
        return _panels(shown, groups, look)
    lines = look.lines(map(_name, shown.rows))
    cells = [
        {
            "row": _labelled(number, _name(row), look.letters, lines),
            "column": _labelled(place, label, _COLUMN),
            "share": rate.rate,
        }
        for number, row in enumerate(shown.rows)
        for place, (group, label) in enumerate(groups)
        if (rate := row.groups[key].get(group)) is not None and rate.total
    ]
    return _heat(cells, len(groups), lines, look)


def _heat(cells: Iterable[dict[str, Any]], columns: int, lines: int, look: Look) -> alt.LayerChart:
    """Cells of {row, column, share}, each with its figure in it. lines: that a row's name takes."""
    each = (look.width - look.names) / columns
    axis = alt.Axis(labelExpr=_NUMBERED, labelLimit=look.names, title=None, ticks=False, domain=False)
    # Upright where a label would run into the next.
    top = axis.copy()
    top.orient, top.labelAngle, top.labelLimit, top.labelPadding = "top", -90 if each < 60 else -28, 170, 6
    base = alt.Chart(alt.Data(values=list(cells))).encode(
        x=alt.X("column:N", sort="ascending", axis=top), y=alt.Y("row:N", sort="ascending", axis=axis)
    )
    colour = alt.Color("share:Q", scale=alt.Scale(domain=[0, 1], range=[look.none, look.full]), legend=None)
    # Without the sign, which the caption says: two digits fit a narrow cell.
    figure = alt.Text("share:Q", format=".0%") if each >= 40 else alt.Text("label:N")
    text = (
        base.transform_calculate(label="format(100 * datum.share, '.0f')")
        .mark_text(fontSize=11, fontWeight=600)
        .encode(
            text=figure,
            color=alt.condition(
                f"datum.share >= {look.from_here}", alt.value(look.on_full), alt.value(look.ink)
            ),
        )
    )
    squares = base.mark_rect(cornerRadius=2).encode(color=colour)
    return alt.layer(squares, text).properties(width=alt.Step(each), height=alt.Step(24 + 10 * (lines - 1)))


def _panels(shown: Grouped, groups: Sequence[tuple[str, str]], look: Look) -> alt.FacetChart:
    """A panel a system: its rate from step to step, with 95% intervals."""
    key = shown.view.breakdown.key
    labels = [label for _, label in groups]
    points = []
    for number, row in enumerate([row for row in shown.rows if not row.is_baseline][:PANELS]):
        for group, label in groups:
            rate = row.groups[key].get(group)
            if rate is None or not rate.total:
                continue
            low, high = rate.interval
            points.append(
                {
                    "system": _labelled(number, _name(row), _COLUMN),
                    "step": label,
                    "share": rate.rate,
                    "low": low,
                    "high": high,
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
    layers = alt.layer(
        base.mark_rule(color=look.full, opacity=0.5, strokeWidth=3).encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_line(color=look.full, strokeWidth=1.5).encode(y=share),
        base.mark_point(color=look.full, filled=True, size=36, opacity=1).encode(y=share),
        data=alt.Data(values=points),
    )
    columns = 1 if look.is_narrow else 3
    header = alt.Header(labelExpr=_NUMBERED, labelAnchor="start")
    return layers.properties(width=look.width / columns - 52, height=130).facet(
        facet=alt.Facet("system:N", sort="ascending", header=header),
        columns=columns,
        spacing=18,
    )


def _approaches(shown: Approaches, look: Look) -> alt.VConcatChart:
    """A heat map a judge: verdicts of different ones do not compare."""
    judges: dict[str, list[dict[str, Any]]] = {}
    lines = look.lines(shown.lines)
    for number, (approach, cells) in enumerate(shown.lines.items()):
        for place, model in enumerate(shown.models):
            for row in cells.get(model, ()):
                line = _labelled(number, approach, look.letters, lines)
                column = _labelled(place, model, _COLUMN)
                drawn = judges.setdefault(row.standing.judge, [])
                # Where the board mixes judges, a cell has one row.
                drawn.append({"row": line, "column": column, "share": row.standing.score})
    maps = []
    for judge, cells in judges.items():
        # A single model would make one cell as wide as the page.
        heat = _heat(cells, max(len({cell["column"] for cell in cells}), 4), lines, look)
        maps.append(heat.properties(title=f"Judge: {judge}") if len(judges) > 1 else heat)
    return alt.vconcat(*maps, spacing=24).resolve_scale(x="independent", y="independent")


def _sizes(shown: Sizes, look: Look) -> alt.VConcatChart:
    bars = []
    for spread in shown.spreads:
        values = [
            {"group": _labelled(number, spread.breakdown.groups[group], look.letters), "tasks": tasks}
            for number, (group, tasks) in enumerate(spread.tasks.items())
        ]
        base = alt.Chart(alt.Data(values=values)).encode(
            x=alt.X("tasks:Q", axis=None),
            y=alt.Y(
                "group:N",
                sort="ascending",
                axis=alt.Axis(
                    labelExpr=_NUMBERED, labelLimit=look.names, title=None, ticks=False, domain=False
                ),
            ),
        )
        counts = base.mark_text(align="left", dx=5, fontSize=11, color=look.ink)
        bars.append(
            alt.layer(
                base.mark_bar(color=look.full, cornerRadius=2),
                counts.encode(text=alt.Text("tasks:Q", format=",")),
            ).properties(
                width=look.width - look.names - 50, height=alt.Step(22), title=spread.breakdown.label
            )
        )
    return alt.vconcat(*bars, spacing=20).resolve_scale(x="independent", y="independent")
