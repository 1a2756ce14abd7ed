"""Draw the names of rows to the left of a chart, left-aligned and centred on their rows."""

from collections.abc import Iterable

import altair as alt

from leaderboard.services.charts.drawing.marks import chart_of
from leaderboard.services.charts.drawing.style import Look, columns_of

_LINE = 13  # pixels from one line of a name to the next
ROW = 24  # pixels: the height of a row whose name takes one line


def room_for(rows: Iterable[str], look: Look) -> int:
    """Return the width in pixels that the names need, up to `look.names`.

    rows: keys as `style.row_key` makes them
    """
    letters = max(columns_of(line) for row in rows for line in row[3:].split("\n"))
    return min(look.names, 7 * letters + 12)


def row_names(rows: Iterable[str], room: int, look: Look) -> alt.Chart:
    """Return a layer with the names of `rows`, `room` pixels wide.

    Labels of the axis would not do: their first line is centred on the row, so that a second runs into the
    next row, and in a wider font they are cut at the edge of the picture.
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
    """Return the height of a row with room for a name of `lines` lines."""
    return alt.Step(ROW + (_LINE - 2) * (lines - 1))
