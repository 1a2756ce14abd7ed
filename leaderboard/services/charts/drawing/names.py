"""Draw the names of rows and columns: to the left of a chart, on a phone above each row."""

from collections.abc import Iterable

import altair as alt

from leaderboard.services.charts.drawing.marks import chart_of, x_at, y_at
from leaderboard.services.charts.drawing.style import LETTER, LINE, TEXT, Look
from leaderboard.services.text_fitting import columns_of

_ROW, _NARROW_ROW, _SMALL_ROW = 30, 50, 18  # pixels: the height of a row whose name takes one line
SHIFT = 10  # pixels by which the marks of a row are below its middle where the name is above them


def room_for(rows: Iterable[str], look: Look) -> int:
    """Return the width in pixels that the names need, up to `look.names`.

    rows: keys as `style.row_key` makes them
    """
    letters = max(columns_of(line) for row in rows for line in row[3:].split("\n"))
    return min(look.names, round(LETTER * letters) + 12)


def row_names(rows: Iterable[str], room: int, look: Look) -> alt.Chart:
    """Return a layer with the names of `rows`: `room` pixels wide, or above their rows on a phone.

    Labels of the axis would not do: their first line is centred on the row, so that a second runs into the
    next row, and in a wider font they are cut at the edge of the picture.
    """
    values = [{"row": row, "name": row[3:], "lines": row.count("\n") + 1} for row in dict.fromkeys(rows)]
    mark = chart_of(values).mark_text(
        align="left",
        baseline="middle",
        lineBreak="\n",
        lineHeight=LINE,
        dy=-13 if look.is_narrow else alt.ExprRef(f"{-LINE / 2} * (datum.lines - 1)"),
        fontSize=TEXT,
        color=look.ink,
        aria=False,
    )
    names: alt.Chart = mark.encode(
        x=x_at(-room), y=alt.Y("row:N", sort="ascending", axis=None), text=alt.Text("name:N")
    )
    return names


def row_step(lines: int, look: Look) -> alt.Step:
    """Return the height of a row with room for a name of `lines` lines."""
    if look.is_small:
        return alt.Step(_SMALL_ROW)
    return alt.Step(_NARROW_ROW if look.is_narrow else _ROW + (LINE - 4) * (lines - 1))


def row_lines(look: Look) -> alt.Axis:
    """Return an axis of rows without labels: a line between each two rows."""
    return alt.Axis(labels=False, title=None, ticks=False, domain=False, grid=True, tickBand="extent")


def column_heads(columns: Iterable[str], look: Look, *, is_upright: bool) -> alt.Chart:
    """Return a layer with the heads of columns, which end above the first row.

    columns: keys as `style.row_key` makes them
    is_upright: whether they run upwards, for narrow columns
    """
    values = [
        {"column": key, "name": key[3:], "lines": key.count("\n") + 1} for key in dict.fromkeys(columns)
    ]
    # The first line of a text is placed, and the others follow below it, or to the right of upright text.
    before = f"{LINE} * (datum.lines - 1)"
    place = (
        {"align": "left", "baseline": "middle", "angle": 270, "dx": 8, "dy": alt.ExprRef(f"-{before} / 2")}
        if is_upright
        else {"align": "center", "baseline": "bottom", "dy": alt.ExprRef(f"-8 - {before}")}
    )
    mark = chart_of(values).mark_text(
        **place, lineBreak="\n", lineHeight=LINE, fontSize=TEXT, color=look.quiet, aria=False
    )
    heads: alt.Chart = mark.encode(
        x=alt.X("column:N", sort="ascending", axis=None), y=y_at(0), text=alt.Text("name:N")
    )
    return heads
