"""Build each chart as a Vega-Lite specification, in two colour schemes and four widths.

Only services/charts/render.py imports this package, and only when it draws: importing Altair takes most of a
second.

Whatever colour conveys, a shape or a text conveys too. A mark that represents figures has a description for
screen readers: the first line names the mark, the others give its figures. Everything else is hidden from
screen readers.
"""

from collections.abc import Callable, Mapping
from typing import Any

from leaderboard.services.charts import figures
from leaderboard.services.charts.differences import DifferenceFigure
from leaderboard.services.charts.drawing.bars import sizes
from leaderboard.services.charts.drawing.differences import differences
from leaderboard.services.charts.drawing.effort import effort
from leaderboard.services.charts.drawing.heat import approaches, grouped
from leaderboard.services.charts.drawing.intervals import forest
from leaderboard.services.charts.drawing.scatter import scatter
from leaderboard.services.charts.drawing.steps import progress
from leaderboard.services.charts.drawing.style import FONT, TEXT, Look
from leaderboard.services.charts.drawing.tasks import runs, tasks
from leaderboard.services.charts.figures import Figure

_DRAWN_BY: Mapping[type[Any], Callable[[Any, Look], Any]] = {
    figures.GroupFigure: grouped,
    figures.ApproachFigure: approaches,
    figures.SizeFigure: sizes,
    figures.ProgressFigure: progress,
    figures.ForestFigure: forest,
    figures.HarnessFigure: forest,
    figures.TaskFigure: tasks,
    figures.RunsFigure: runs,
    figures.ScatterFigure: scatter,
    figures.EffortFigure: effort,
    DifferenceFigure: differences,
}


def spec_of(figure: Figure, look: Look) -> dict[str, Any]:
    """Return the Vega-Lite specification of a figure for which `render.is_drawn` is true."""
    axis = {
        "labelColor": look.quiet,
        "titleColor": look.quiet,
        "gridColor": look.rule,
        "domainColor": look.rule,
        "tickColor": look.rule,
        "labelFontSize": TEXT,
        "titleFontSize": TEXT,
        "titleFontWeight": "normal",
        "aria": False,
    }
    chart = _DRAWN_BY[type(figure)](figure, look).configure(
        font=FONT,
        background="transparent",
        padding=2,
        axis=axis,
        header={"labelColor": look.ink, "labelFontSize": TEXT, "labelFontWeight": 600, "title": None},
        title={"color": look.ink, "fontSize": TEXT, "fontWeight": 600, "anchor": "start"},
        view={"stroke": None},
    )
    # Skip the validation: the tests draw every chart, and checking the schema takes as long as drawing.
    spec: dict[str, Any] = chart.to_dict(validate=False)
    return spec
