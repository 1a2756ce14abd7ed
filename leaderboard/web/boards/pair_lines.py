"""The differences between two compared systems, for the table of *Compare*."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.statistics.compare import ComparedPair, ComparedSystem
from leaderboard.services.statistics.pair_words import interval_of
from wardboard.scoring.benchmark import Breakdown, Unit
from wardboard.scoring.statistics.resampling import Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The lead of one system over another: over all tasks, by another metric, or on a group of tasks.

    ahead, other: names of the systems; ahead has the higher score over all tasks, so a lead may be negative
    label: of the metric or the group, in English; "" over all tasks
    breakdown: of the group; None for other lines
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
    tasks: int | None = None
    counts: tuple[int | None, int | None] = (None, None)
    is_small: bool = False

    @property
    def words(self) -> str:
        """The label in the active language."""
        return _(self.label) if self.label else _("All tasks")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLines:
    """The lines of a pair whose interval is shown, that over all tasks first."""

    lines: Sequence[Line]

    @property
    def axis(self) -> tuple[float, float]:
        """The ends of an axis that has all of the intervals, and 0 in its middle."""
        reach = max((abs(end) for line in self.lines for end in (line.low, line.high)), default=1.0)
        # To a whole point, as the drawn ends are rounded.
        reach = ceil(100 * reach or 1) / 100
        return -reach, reach


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
    return PairLines(lines=lines)
