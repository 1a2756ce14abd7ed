"""Build the parts that several charts share: colours and shapes by kind, and labels.

Encodings are objects of Altair throughout, such as `alt.Text("text:N")`: given a bare string or dictionary,
Altair looks for the class among hundreds, which takes as long as the rest of a chart.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import copysign, hypot
from typing import Any, Literal, NamedTuple

import altair as alt

from leaderboard.services.charts.drawing.labels import Box, Side, place, place_near
from leaderboard.services.charts.drawing.style import KINDS, LINE, SHAPES, TEXT, Look, clean
from leaderboard.services.text_fitting import shorten

_TOUCHES = 20  # pixels: a number further from its point has a line to it
_KEY_COLUMN, _KEY_LINE, _KEY_TOP = 340, 18, 62  # pixels: of the key below a chart, and from its axis
_KEY_LETTERS = 42  # of a name in it


def chart_of(values: Sequence[Any]) -> alt.Chart:
    """Return a chart without marks whose data are `values`, one object per mark."""
    # Use a tuple: for each layer, Altair copies a list value by value, several times.
    data = alt.Data(values=tuple(values))  # type: ignore[no-untyped-call]  # Altair leaves it untyped
    return alt.Chart(data)


def colour_by_kind(look: Look) -> alt.Color:
    """Return the colours of rescored, reported and baseline rows."""
    colours = [look.colour(kind) for kind in KINDS]
    return alt.Color("kind:N", scale=alt.Scale(domain=KINDS, range=colours), legend=None)


def shape_by_kind() -> alt.Shape:
    """Return the shapes of rescored, reported and baseline rows."""
    return alt.Shape("kind:N", scale=alt.Scale(domain=KINDS, range=SHAPES), legend=None)


def points_by_front(values: Sequence[Any], x: alt.X, y: alt.Y, look: Look) -> alt.Chart:
    """Return a point for each of `values`, with half the opacity where it is not on the Pareto front."""
    points: alt.Chart = chart_of(values).mark_point(filled=True, size=64)
    return points.encode(
        x=x,
        y=y,
        color=colour_by_kind(look),
        shape=shape_by_kind(),
        opacity=alt.OpacityValue(0.5, condition={"test": "datum.front", "value": 1}),
        description=alt.Description("description:N"),
    )


def x_at(pixels: float) -> alt.XValue:
    """Return a position in pixels from the left of a chart."""
    return alt.XValue(pixels)  # type: ignore[no-untyped-call]  # Altair leaves it untyped


def y_at(pixels: float) -> alt.YValue:
    """Return a position in pixels from the top of a chart."""
    return alt.YValue(pixels)  # type: ignore[no-untyped-call]  # Altair leaves it untyped


def text_at(text: str, x: float, y: float, side: Side, colour: str) -> alt.Chart:
    """Return a label beside the point `x`, `y`, in pixels."""
    mark = chart_of([{"text": text}]).mark_text(
        align=side.align, baseline="middle", dx=side.dx, dy=side.dy, fontSize=TEXT, color=colour, aria=False
    )
    label: alt.Chart = mark.encode(x=x_at(x), y=y_at(y), text=alt.Text("text:N"))
    return label


def label_all(
    names: Sequence[tuple[str, tuple[float, float]]],
    sides: Sequence[Side],
    *,
    occupied: Iterable[Box],
    frame: Box,
    look: Look,
) -> list[alt.Chart]:
    """Return a label for each point: its name where there is room, else a number, with a key below the chart.

    names: names with the positions of their points, the most important first
    sides, occupied, frame: as for `labels.place`
    """
    occupied = list(occupied)
    texts, lines, key = [], [], []
    numbered: list[tuple[str, float, float]] = []
    for name, (x, y) in names:
        text = shorten(clean(name), look.beside)
        placement = place(text, x, y, sides, occupied=occupied, frame=frame)
        if placement is None:
            numbered.append((name, x, y))
        else:
            side, box = placement
            occupied.append(box)
            texts.append(_Text(text, x + side.dx, y + side.dy, side.align))
    # After the names, so that the line to a number crosses none of them.
    for number, (name, x, y) in enumerate(numbered, 1):
        key.append(shorten(clean(name), _KEY_LETTERS))
        side, box = place_near(f"{number} ", x, y, occupied=occupied, frame=frame)
        occupied.append(box)
        texts.append(_Text(str(number), x + side.dx, y + side.dy, side.align))
        if hypot(side.dx, side.dy) > _TOUCHES:
            end = {"x2": x + side.dx, "y2": y + side.dy + copysign(LINE / 2, -side.dy)}
            lines.append({"x": x, "y": y, **end})
    columns = max(1, int((frame.right + look.axis_room) / _KEY_COLUMN))
    rows = -(-len(key) // columns)
    for number, text in enumerate(key, 1):
        column, row = divmod(number - 1, rows)
        x, y = column * _KEY_COLUMN - look.axis_room, frame.bottom + _KEY_TOP + row * _KEY_LINE
        texts += [_Text(str(number), x + 20, y, "right"), _Text(text, x + 28, y, "left")]
    return [*_leaders(lines, look), *_layers(texts, look)]


class _Text(NamedTuple):
    text: str
    x: float
    y: float
    align: Literal["left", "center", "right"]


def _layers(texts: Sequence[_Text], look: Look) -> list[alt.Chart]:
    """Return texts at positions in pixels, in a layer for each alignment."""
    layers = []
    for align in dict.fromkeys(text.align for text in texts):
        values = [text._asdict() for text in texts if text.align == align]
        mark = chart_of(values).mark_text(
            align=align, baseline="middle", fontSize=TEXT, color=look.ink, aria=False
        )
        layers.append(mark.encode(**_at("x", "y"), text=alt.Text("text:N")))
    return layers


def _leaders(lines: Sequence[dict[str, float]], look: Look) -> list[alt.Chart]:
    """Return thin lines from points to numbers that are not beside them."""
    if not lines:
        return []
    mark = chart_of(lines).mark_rule(color=look.quiet, strokeWidth=0.75, aria=False)
    return [mark.encode(**_at("x", "y", "x2", "y2"))]


def _at(*fields: str) -> dict[str, Any]:
    """Return positions of marks that are fields of their data, in pixels."""
    channels: Mapping[str, Callable[[alt.ExprRef], Any]] = {
        "x": alt.XValue,
        "y": alt.YValue,
        "x2": alt.X2Value,
        "y2": alt.Y2Value,
    }
    return {field: channels[field](alt.ExprRef(f"datum.{field}")) for field in fields}
