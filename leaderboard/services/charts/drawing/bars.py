"""How the tasks are spread, as bars."""

from typing import Any

import altair as alt
from django.utils.translation import ngettext

from leaderboard.services.charts.drawing.marks import chart_of
from leaderboard.services.charts.drawing.names import room_for, row_names, row_step
from leaderboard.services.charts.drawing.style import Look, describe, row_key
from leaderboard.services.charts.figures import SizeFigure, Spread, translated
from leaderboard.services.text import percent

_COUNTS = 44  # pixels of the figure beside a bar


def sizes(shown: SizeFigure, look: Look) -> alt.VConcatChart:
    named = [translated(spread.breakdown.groups[group]) for spread in shown.spreads for group in spread.tasks]
    lines = look.lines(named)
    drawn = [_values(spread, lines, look) for spread in shown.spreads]
    # One edge for all of them.
    room = room_for((value["row"] for values in drawn for value in values), look)
    bars = [
        _bars(values, room, lines, look).properties(title=translated(spread.breakdown.label))
        for spread, values in zip(shown.spreads, drawn, strict=True)
    ]
    column = alt.vconcat(*bars, spacing=20)
    chart: alt.VConcatChart = column.resolve_scale(x="independent", y="independent")
    return chart


def _values(spread: Spread, lines: int, look: Look) -> list[dict[str, Any]]:
    return [
        {
            "row": row_key(number, label := translated(spread.breakdown.groups[group]), look.letters, lines),
            "tasks": tasks,
            "said": describe(
                label,
                ngettext("%(tasks)s task", "%(tasks)s tasks", tasks) % {"tasks": f"{tasks:,}"},
                percent(tasks / spread.total),
            ),
        }
        for number, (group, tasks) in enumerate(spread.tasks.items())
    ]


def _bars(values: list[dict[str, Any]], room: int, lines: int, look: Look) -> alt.LayerChart | alt.FacetChart:
    base = chart_of(values).encode(
        x=alt.X("tasks:Q", axis=None, scale=alt.Scale(nice=False)),
        y=alt.Y("row:N", sort="ascending", axis=None),
    )
    counts = base.mark_text(align="left", dx=5, fontSize=11, color=look.ink, aria=False)
    return alt.layer(
        base.mark_bar(color=look.full, cornerRadius=2, size=16).encode(description="said:N"),
        counts.encode(text=alt.Text("tasks:Q", format=",")),
        row_names((value["row"] for value in values), room, look),
    ).properties(width=look.width - room - _COUNTS, height=row_step(lines))
