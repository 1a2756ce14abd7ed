"""Names of rows to the left of a chart, beginning at one edge and centred on their rows."""

from collections.abc import Iterable

import altair as alt

from leaderboard.services.charts.drawing.marks import chart_of
from leaderboard.services.charts.drawing.style import Look, columns_of

_LINE = 13  # pixels from a line to the next
ROW = 24  # pixels of a row whose name takes one line


def room_for(rows: Iterable[str], look: Look) -> int:
    """Return the pixels that the names of `rows`, which are keys of look.labelled, need."""
    letters = max(columns_of(line) for row in rows for line in row[3:].split("\n"))
    return min(look.names, 7 * letters + 12)


def row_names(rows: Iterable[str], room: int, look: Look) -> alt.Chart:
    """Return the names of `rows` as a layer, in `room` pixels.

    Not as labels of the axis: those begin in the middle of the row and run into the next, and where letters
    are wider than ours they would be cut at the edge of the picture.
    """
    values = [{"row": row, "name": row[3:], "lines": row.count("\n") + 1} for row in dict.fromkeys(rows)]
    mark = chart_of(values).mark_text(
        align="left",
        baseline="middle",
        lineBreak="\n",
        lineHeight=_LINE,
        dy=alt.ExprRef(f"{-_LINE / 2} * (datum.lines - 1)"),
        fontSize=11,
        color=look.ink,
        aria=False,
    )
    names: alt.Chart = mark.encode(
        x=alt.value(-room), y=alt.Y("row:N", sort="ascending", axis=None), text="name:N"
    )
    return names


def row_step(lines: int) -> alt.Step:
    """Return the height of a row in which a name may take so many lines."""
    return alt.Step(ROW + (_LINE - 2) * (lines - 1))
