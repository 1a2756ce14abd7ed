"""Draw how many tasks each group has, as bars."""

from typing import Any

import altair as alt
from django.utils.translation import ngettext

from leaderboard.services.charts.drawing.marks import chart_of
from leaderboard.services.charts.drawing.names import SHIFT, room_for, row_names, row_step
from leaderboard.services.charts.drawing.style import TEXT, Look, describe, row_key
from leaderboard.services.charts.figures import SizeFigure, Spread
from leaderboard.services.charts.form import translated
from leaderboard.services.text import percent

_COUNT_WIDTH = 128  # pixels for the number and the share beside a bar


def sizes(figure: SizeFigure, look: Look) -> alt.VConcatChart:
    """Draw one bar chart for each breakdown, one below the other."""
    names = [
        translated(spread.breakdown.groups[group]) for spread in figure.spreads for group in spread.tasks
    ]
    lines = look.lines(names)
    values_by_spread = [_values(spread, lines, look) for spread in figure.spreads]
    # The bars of all breakdowns start at the same edge.
    room = room_for((value["row"] for values in values_by_spread for value in values), look)
    bars = [
        _bars(values, room, lines, look).properties(title=translated(spread.breakdown.label))
        for spread, values in zip(figure.spreads, values_by_spread, strict=True)
    ]
    column = alt.vconcat(*bars, spacing=28)
    chart: alt.VConcatChart = column.resolve_scale(x="independent", y="independent")
    return chart


def _values(spread: Spread, lines: int, look: Look) -> list[dict[str, Any]]:
    return [
        {
            "row": row_key(number, label := translated(spread.breakdown.groups[group]), look.letters, lines),
            "tasks": tasks,
            "count": f"{tasks:,} ({percent(tasks / spread.total)})",
            "description": describe(
                label,
                ngettext("%(tasks)s task", "%(tasks)s tasks", tasks) % {"tasks": f"{tasks:,}"},
                percent(tasks / spread.total),
            ),
        }
        for number, (group, tasks) in enumerate(spread.tasks.items())
    ]


def _bars(values: list[dict[str, Any]], room: int, lines: int, look: Look) -> alt.LayerChart | alt.FacetChart:
    below = SHIFT if look.is_narrow else 0
    base = chart_of(values).encode(
        x=alt.X("tasks:Q", axis=None, scale=alt.Scale(nice=False)),
        y=alt.Y("row:N", sort="ascending", axis=None),
    )
    counts = base.mark_text(align="left", dx=6, dy=below, fontSize=TEXT, color=look.ink, aria=False)
    bars = base.mark_bar(color=look.measured, cornerRadius=2, size=16, yOffset=below, y2Offset=below)
    return alt.layer(
        bars.encode(description=alt.Description("description:N")),
        counts.encode(text=alt.Text("count:N")),
        row_names((value["row"] for value in values), room, look),
    ).properties(width=look.width - room - _COUNT_WIDTH, height=row_step(lines, look))
