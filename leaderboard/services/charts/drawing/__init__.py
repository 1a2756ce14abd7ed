"""The charts of the views as Vega-Lite, by Altair: in two colour schemes, for wide and for narrow screens.

Imported lazily, by services/charts.py alone: Altair takes most of a second. Colour carries nothing that is
not written beside it or told by a shape. A mark that stands for figures says them in its description: the
first line names it, the others have its figures. All else is hidden from who listens.
"""

from collections.abc import Callable, Mapping
from typing import Any

from leaderboard.services.charts.drawing.bars import sizes
from leaderboard.services.charts.drawing.heat import approaches, grouped
from leaderboard.services.charts.drawing.intervals import forest
from leaderboard.services.charts.drawing.scatter import scatter
from leaderboard.services.charts.drawing.steps import progress
from leaderboard.services.charts.drawing.style import FONT, Look
from leaderboard.services.charts.figures import (
    ApproachFigure,
    Figure,
    ForestFigure,
    GroupFigure,
    ProgressFigure,
    ScatterFigure,
    SizeFigure,
)

_DRAWN_BY: Mapping[type[Any], Callable[[Any, Look], Any]] = {
    GroupFigure: grouped,
    ApproachFigure: approaches,
    SizeFigure: sizes,
    ProgressFigure: progress,
    ForestFigure: forest,
    ScatterFigure: scatter,
}


def spec_of(shown: Figure, look: Look) -> dict[str, Any]:
    """Return the Vega-Lite specification of `shown`, which has something to draw."""
    axis = {
        "labelColor": look.quiet if isinstance(shown, ProgressFigure | ScatterFigure) else look.ink,
        "titleColor": look.quiet,
        "gridColor": look.rule,
        "domainColor": look.rule,
        "tickColor": look.rule,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "aria": False,
    }
    chart = _DRAWN_BY[type(shown)](shown, look).configure(
        font=FONT,
        background="transparent",
        padding=2,
        axis=axis,
        header={"labelColor": look.ink, "labelFontSize": 12, "labelFontWeight": 600, "title": None},
        title={"color": look.ink, "fontSize": 12, "fontWeight": 600, "anchor": "start"},
        view={"stroke": None},
    )
    # What is drawn is ours, and tests draw it: checking it against the schema takes as long as drawing.
    spec: dict[str, Any] = chart.to_dict(validate=False)
    return spec
