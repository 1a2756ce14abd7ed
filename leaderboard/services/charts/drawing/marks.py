"""Build the parts that several charts share: colours and shapes by kind, and labels.

Encodings are objects of Altair throughout, such as `alt.Text("text:N")`: given a bare string or dictionary,
Altair looks for the class among hundreds, which takes as long as the rest of a chart.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt

from leaderboard.services.charts.drawing.labels import Box, Side, place
from leaderboard.services.charts.drawing.style import KINDS, SHAPES, TEXT, Look, clean
from leaderboard.services.text_fitting import shorten


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


def names_beside(
    named: Iterable[tuple[str, tuple[float, float]]],
    sides: Sequence[Side],
    *,
    occupied: Iterable[Box],
    frame: Box,
    look: Look,
) -> list[alt.Chart]:
    """Return the names of points where there is room, the first of `named` first.

    named: names with the positions of their points
    sides, occupied, frame: as for `labels.place`
    """
    occupied, texts = list(occupied), []
    for name, point in named:
        text = shorten(clean(name), look.beside)
        placement = place(text, *point, sides, occupied=occupied, frame=frame)
        if placement is not None:
            side, box = placement
            occupied.append(box)
            texts.append(text_at(text, *point, side, look.ink))
    return texts
