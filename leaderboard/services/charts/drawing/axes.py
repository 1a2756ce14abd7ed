"""Build the axes of charts from their scales."""

from typing import Any

import altair as alt

from leaderboard.services.charts.drawing.style import Look
from leaderboard.services.charts.scales import Ends

# pixels between an axis across and its labels: less, and its first one would touch that of the axis upwards
BELOW = 12


def scale_of(ends: Ends, **facts: Any) -> alt.Scale:
    return alt.Scale(domain=ends.domain, zero=False, nice=False, **facts)


def rates_across(ends: Ends, title: str, **facts: Any) -> alt.Axis:
    """Return a horizontal axis of rates, titled at its start."""
    return alt.Axis(
        format=".0%",
        values=ends.ticks,
        title=title,
        domain=False,
        ticks=False,
        **{"labelFlush": False, "labelPadding": BELOW, **facts},
    )


def rates_up(ends: Ends, title: str, look: Look) -> alt.Axis:
    """Return a vertical axis of rates. Its title is horizontal, above the ticks, where it is read first."""
    return alt.Axis(
        format=".0%",
        values=ends.ticks,
        title=title,
        titleAngle=0,
        titleAlign="left",
        titleAnchor="end",
        titleBaseline="bottom",
        titleX=-look.axis_room + 4,
        titleY=-14,
        domain=False,
        ticks=False,
        labelPadding=8,
        labelFlush=False,
    )
