"""Views of a board that are drawn as points: records over time, intervals, precision against recall.

Values, as those of services/shown.py are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaderboard.services.boards.best_scores import Course, Record
from leaderboard.services.boards.board import Row
from leaderboard.services.exports.rows import told_gone
from leaderboard.services.record.past import Gone
from leaderboard.services.shown import Approaches, Grouped, Sizes, View, figures_of, who
from scoring.benchmark import Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How the best score rose. kinds of records: rescored, at their publication here, and reported. gone: of
    records of the past that stand no longer, why."""

    view: View
    metric: Metric
    course: Course
    gone: Mapping[Record, Gone] = field(default_factory=dict)

    @property
    def held(self) -> Sequence[Record]:
        return self.course.held

    @property
    def gains(self) -> Sequence[tuple[Record, float | None]]:
        """Each record with how much it is above the one before; None of the first."""
        before = (None, *self.held)
        return [
            (record, None if last is None else record.score - last.score)
            for last, record in zip(before, self.held, strict=False)
        ]

    def records(self) -> Iterator[dict[str, Any]]:
        for record, gain in self.gains:
            yield {
                "date": record.at.date().isoformat(),
                "system": record.name,
                "kind": record.kind,
                "judge": record.judge,
                self.metric.key: record.score,
                "low": record.low,
                "high": record.high,
                "gain": gain,
                **told_gone(self.gone.get(record)),
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Rates of the first rows with their 95% intervals, side by side. judge: whose rows they are; None:
    those of all."""

    view: View
    metric: Metric
    rows: Sequence[Row]
    judge: str | None
    has_more: bool

    def records(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            yield {
                "rank": row.rank,
                "rank_low": row.rank_low,
                "rank_high": row.rank_high,
                **who(row),
                **figures_of(row, self.metric),
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """Precision against recall of the first rows that have both. front: the rows that no other one outdoes,
    being as good in both and better in one."""

    view: View
    metric: Metric
    across: Metric
    up: Metric
    rows: Sequence[Row]
    has_more: bool

    @property
    def front(self) -> Sequence[Row]:
        """From the highest precision to the highest recall."""
        found: list[Row] = []
        ordered = sorted(self.rows, key=lambda row: (-self.at(row)[1], -self.at(row)[0]))
        for row in ordered:
            if row.is_baseline:
                continue
            # Those at the same point stand together.
            if not found or self.at(row)[0] > self.at(found[-1])[0] or self.at(row) == self.at(found[-1]):
                found.append(row)
        return found

    def at(self, row: Row) -> tuple[float, float]:
        """Return where a row is: across and up."""
        return row.metrics[self.across.key], row.metrics[self.up.key]

    @property
    def lines(self) -> Sequence[tuple[Row, bool]]:
        """Each row, and whether it is of the front."""
        front = {id(row) for row in self.front}
        return [(row, id(row) in front) for row in self.rows]

    def records(self) -> Iterator[dict[str, Any]]:
        for row, is_front in self.lines:
            across, up = self.at(row)
            yield {
                **who(row),
                self.up.key: up,
                self.across.key: across,
                self.metric.key: row.standing.score,
                "on_front": is_front,
            }


Shown = Grouped | Approaches | Sizes | Progress | Forest | Scatter
