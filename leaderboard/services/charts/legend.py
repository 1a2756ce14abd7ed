"""Say what the marks of a chart mean, for the page and for the file of the chart."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.models import Kind
from leaderboard.services.charts.differences import DifferenceFigure
from leaderboard.services.charts.figures import (
    ApproachFigure,
    EffortFigure,
    Figure,
    ForestFigure,
    GroupFigure,
    HarnessFigure,
    ProgressFigure,
    ScatterFigure,
    TaskFigure,
)
from leaderboard.services.charts.form import Form
from leaderboard.services.charts.scales import Ends
from leaderboard.services.text import percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Legend:
    """What the marks of a chart mean.

    kinds: kind -> label, of the points that the chart has
    has_intervals: whether a line through a point is its 95% interval
    shades: label of the lightest and of the darkest cell of a heat map; None for other charts
    has_best: whether the highest value of each column is bold
    """

    kinds: dict[str, str]
    has_intervals: bool = False
    shades: tuple[str, str] | None = None
    has_best: bool = False


def legend_of(figure: Figure) -> Legend:
    if isinstance(figure, GroupFigure) and figure.view.form == Form.GROUPS:
        return Legend(kinds={}, shades=_shades(figure.shades), has_best=True)
    if isinstance(figure, ApproachFigure):
        return Legend(kinds={}, shades=_shades(figure.shades), has_best=True)
    if isinstance(figure, TaskFigure):
        return Legend(kinds={}, shades=(_("Wrong"), _("Correct")))
    if isinstance(figure, DifferenceFigure):
        return Legend(kinds=_significance(figure), has_intervals=True)
    if isinstance(figure, ProgressFigure):
        kinds, intervals = [best.kind for best in figure.scores], [best.low for best in figure.scores]
    elif isinstance(figure, GroupFigure | ForestFigure | HarnessFigure | ScatterFigure | EffortFigure):
        # The panels of a view by step leave baselines out.
        is_steps = isinstance(figure, GroupFigure)
        kinds = [row.standing.kind for row in figure.rows if not (is_steps and row.is_baseline)]
        # No interval is known for precision and recall.
        intervals = [] if isinstance(figure, ScatterFigure) else [row.standing.low for row in figure.rows]
    else:
        return Legend(kinds={})
    labels = _labels(kinds)
    if isinstance(figure, ForestFigure | HarnessFigure) and any(
        row.place.shares_first for row in figure.rows
    ):
        labels["tied"] = _("Statistically tied for first")
    return Legend(kinds=labels, has_intervals=any(low is not None for low in intervals))


def _labels(kinds: Iterable[str]) -> dict[str, str]:
    present = set(kinds)
    labels = {
        Kind.RESCORED: _("Verified (scored here)"),
        Kind.REPORTED: _("As published"),
        Kind.BASELINE: _("Baseline"),
    }
    return {str(kind.value): label for kind, label in labels.items() if kind in present}


def _significance(figure: DifferenceFigure) -> dict[str, str]:
    present = {pair.lines[0].is_significant for pair in figure.pairs}
    labels = {"significant": (True, _("Significant")), "not-significant": (False, _("Not significant"))}
    return {kind: label for kind, (value, label) in labels.items() if value in present}


def _shades(ends: Ends) -> tuple[str, str]:
    return percent(ends.low, 0), percent(ends.high, 0)
