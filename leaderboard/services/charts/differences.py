"""The differences between compared systems, for the forest of *Compare*, its table and its exports."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.charts.form import Form, View, translated
from leaderboard.services.statistics.compare import ComparedPair, ComparedSystem, Comparison, Outcome
from leaderboard.services.statistics.pair_words import ahead_first, interval_of
from leaderboard.services.visibility import round_figure
from wardboard.scoring.benchmark import Breakdown, Metric, Unit
from wardboard.scoring.statistics.resampling import Difference

VIEW = View(name="compare", form=Form.DIFFERENCES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The lead of one system over another: over all tasks, by another metric, or on a group of tasks.

    ahead, other: names of the systems; ahead has the higher score over all tasks, so a lead may be negative
    label: of the metric or the group, in English; "" over all tasks
    breakdown: of the group; None for other lines
    is_significant: over all tasks, as the leaderboard claims; None for other lines, which are not tested
    counts: number of tasks that each solved; None where they are not counted
    is_small: whether the group has few tasks
    """

    ahead: str
    other: str
    label: str
    difference: float
    low: float
    high: float
    breakdown: Breakdown | None = None
    is_significant: bool | None = None
    tasks: int | None = None
    counts: tuple[int | None, int | None] = (None, None)
    is_small: bool = False

    @property
    def words(self) -> str:
        """The label in the active language."""
        return translated(self.label) or _("All tasks")

    @property
    def contrast(self) -> str:
        return f"{self.ahead} − {self.other}"

    @property
    def part(self) -> str:
        return "group" if self.breakdown else "metric" if self.label else "all tasks"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLines:
    """The lines of a pair whose interval is shown, that over all tasks first."""

    ahead: str
    other: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceFigure:
    """The differences of the pairs of a comparison. metric: that ranks the leaderboard."""

    view: View
    metric: Metric
    pairs: Sequence[PairLines]

    @property
    def drawn(self) -> Sequence[Line]:
        """The lines of the chart: over all tasks, and of a single pair its metrics and one breakdown too."""
        if len(self.pairs) != 1:
            return [pair.lines[0] for pair in self.pairs]
        [pair] = self.pairs
        first = next((line.breakdown for line in pair.lines if line.breakdown), None)
        return [line for line in pair.lines if line.breakdown in (None, first)]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for pair in self.pairs:
            for line in pair.lines:
                yield {
                    "system": line.ahead,
                    "minus": line.other,
                    "of": line.part,
                    "breakdown": line.breakdown.key if line.breakdown else "",
                    "label": line.label,
                    "tasks": line.tasks,
                    "right": line.counts[0],
                    "right_of_other": line.counts[1],
                    "difference": round_figure(line.difference),
                    "low": round_figure(line.low),
                    "high": round_figure(line.high),
                    "significant": line.is_significant,
                }


def read_differences(comparison: Comparison) -> DifferenceFigure:
    """Return the differences that `compare_systems` shows at the board's feedback level."""
    sides = {side.system_id: side for side in comparison.sides}
    return DifferenceFigure(
        view=VIEW,
        metric=visibility.ranked_metric(comparison.board),
        pairs=[
            lines_of(comparison.board, pair, *ahead_first(pair, sides[pair.a], sides[pair.b]))
            for pair in comparison.pairs
            if pair.interval
        ],
    )


def lines_of(board: Board, pair: ComparedPair, ahead: ComparedSystem, other: ComparedSystem) -> PairLines:
    """Return the lines of a pair whose interval is shown. ahead: which of the two has the higher score."""

    def in_order(a: int | None, b: int | None) -> tuple[int | None, int | None]:
        return (a, b) if ahead.system_id == pair.a else (b, a)

    def line(label: str, lead: Difference, **facts: Any) -> Line:
        value, low, high = lead
        return Line(
            ahead=ahead.name, other=other.name, label=label, difference=value, low=low, high=high, **facts
        )

    def turned(difference: Difference) -> Difference:
        value, low, high = difference
        return difference if ahead.system_id == pair.a else Difference(-value, -high, -low)

    # Of several runs, a table does not count tasks as right or wrong.
    table = None if pair.has_runs else pair.table
    counts = in_order(table.both + table.only_a, table.both + table.only_b) if table else (None, None)
    lines = [
        line(
            "",
            Difference(abs(pair.difference), *interval_of(pair)),
            is_significant=pair.outcome != Outcome.NEITHER,
            tasks=sum(pair.table) if pair.table else None,
            counts=counts,
        )
    ]
    metrics = {metric.key: metric for metric in visibility.visible_metrics(board)}
    for key, difference in pair.metrics.items():
        if difference and key in metrics and metrics[key].unit == Unit.SHARE:
            lines.append(line(metrics[key].label, turned(difference)))
    breakdowns = {breakdown.key: breakdown for breakdown in visibility.visible_breakdowns(board)}
    for key, groups in pair.groups.items():
        lines += [
            line(
                breakdowns[key].groups[group.group],
                turned(group.difference),
                breakdown=breakdowns[key],
                tasks=group.tasks,
                counts=in_order(group.right_a, group.right_b),
                is_small=group.is_small,
            )
            for group in groups
        ]
    return PairLines(ahead=ahead.name, other=other.name, lines=lines)


def hidden_groups(pair: ComparedPair) -> int:
    """Return how many groups of the first breakdown are left out to protect the reference answers."""
    return len(next(iter(pair.left_out.values()), ()))
