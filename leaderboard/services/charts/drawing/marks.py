"""Build the parts that several charts share: colours and shapes by kind, and labels."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from leaderboard.services.charts.drawing.labels import Side
from leaderboard.services.charts.drawing.style import KINDS, SHAPES, TEXT, Look


def chart_of(values: Sequence[Any]) -> alt.Chart:
    """Return a chart without marks whose data are `values`, one object per mark."""
    return alt.Chart(alt.Data(values=values))  # type: ignore[no-untyped-call]  # Altair leaves it untyped


def colour_by_kind(look: Look) -> alt.Color:
    """Return the colours of rescored, reported and baseline rows."""
    colours = [look.colour(kind) for kind in KINDS]
    return alt.Color("kind:N", scale=alt.Scale(domain=KINDS, range=colours), legend=None)


def shape_by_kind() -> alt.Shape:
    """Return the shapes of rescored, reported and baseline rows."""
    return alt.Shape("kind:N", scale=alt.Scale(domain=KINDS, range=SHAPES), legend=None)


def text_at(text: str, x: float, y: float, side: Side, colour: str) -> alt.Chart:
    """Return a label beside the point `x`, `y`, in pixels."""
    mark = chart_of([{"text": text}]).mark_text(
        align=side.align, baseline="middle", dx=side.dx, dy=side.dy, fontSize=TEXT, color=colour, aria=False
    )
    label: alt.Chart = mark.encode(x=alt.value(x), y=alt.value(y), text="text:N")
    return label
