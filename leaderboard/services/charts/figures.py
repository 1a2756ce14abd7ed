"""Hold the figures of each view of a board, for its page, its chart and its exports.

The method `export_rows` yields a view's figures as the rows of its CSV and JSON exports; the page and the
chart show the same ones. Their labels are English, like the exports; a page translates what it shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page
from django.utils.translation import gettext as _

from leaderboard.services.boards.best_scores import BestScore, BestScoreHistory
from leaderboard.services.boards.row import Row
from leaderboard.services.charts.differences import DifferenceFigure
from leaderboard.services.charts.form import Form, View, translated
from leaderboard.services.charts.scales import Ends, fit_rates
from leaderboard.services.exports.rows import removal_fields
from leaderboard.services.record.past import Removal
from leaderboard.services.rows.conditions import CONDITIONS
from leaderboard.services.visibility import (
    FEWEST_TASKS,
    VisibleSpread,
    round_figure,
    visible_rate,
    visible_score,
)
from wardboard.scoring.benchmark import Breakdown, Metric
from wardboard.scoring.verdicts import Rate, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigure:
    """The rates of systems by group, or by step.

    metrics: the metrics by group that are shown beside the rate
    rows: a page of the board's rows that have figures by group
    """

    view: View
    metric: Metric
    metrics: Sequence[Metric]
    rows: Sequence[Row]
    page: Page[int]

    @property
    def groups(self) -> Mapping[str, str]:
        """Return key -> label of the groups in which any of the rows has a task."""
        key = self.view.grouping.key
        keys = {group for row in self.rows for group, rate in row.groups.get(key, {}).items() if rate.total}
        return {group: label for group, label in self.view.grouping.groups.items() if group in keys}

    def drawn(self, row: Row) -> dict[str, Rate | Share]:
        """Return the rates of a row in the chart, by group: a step over a few tasks is in the table alone."""
        rates, least = row.groups.get(self.view.grouping.key, {}), 1
        if self.view.form == Form.STEPS:
            least = FEWEST_TASKS
        return {
            group: rate
            for group in self.groups
            if (rate := rates.get(group)) is not None and rate.total // getattr(rate, "runs", 1) >= least
        }

    @property
    def drawn_rates(self) -> list[tuple[Row, dict[str, float]]]:
        """Return the rates in the chart of each system that has any, by group; baselines do not count."""
        systems = [(row, self.drawn(row)) for row in self.rows if not row.is_baseline]
        return [
            (row, {group: rate.rate for group, rate in rates.items() if rate.rate is not None})
            for row, rates in systems
            if rates
        ]

    @property
    def shades(self) -> Ends:
        """Return the rates of the lightest and of the darkest cell of its heat map, fitted to the systems."""
        return fit_rates((rate for _, rates in self.drawn_rates for rate in rates.values()), most=5)

    def export_rows(self) -> Iterator[dict[str, Any]]:
        key = self.view.grouping.key
        groups, keys = self.groups, [metric.key for metric in self.metrics]
        for row in self.rows:
            rates, beside = row.groups.get(key, {}), row.group_metrics.get(key, {})
            for group, label in groups.items():
                rate, figures = rates.get(group), beside.get(group, {})
                yield {
                    **system_fields(row),
                    "group": group,
                    "label": label,
                    **_rate(rate),
                    **{key: figures[key].value if key in figures else None for key in keys},
                }


@dataclass(frozen=True, slots=True, kw_only=True)
class Approach:
    """The approach of a system, in English words; parts that are not known say so."""

    interaction: str
    retrieval: str
    reasoning: str

    def __str__(self) -> str:
        return f"{self.interaction}, {self.retrieval}, {self.reasoning}"

    @property
    def words(self) -> str:
        """Return the approach in the active language."""
        return _("%(interaction)s, %(retrieval)s, %(reasoning)s") % {
            "interaction": translated(self.interaction),
            "retrieval": translated(self.retrieval),
            "reasoning": translated(self.reasoning),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproachFigure:
    """The best system of each approach on each model, and of each judge unless they are mixed.

    lines: approach -> model -> rows, in the order of their judges
    has_more: whether there are more models than are shown
    among: the number of first rows from which the best were chosen; None if all rows were considered
    """

    view: View
    metric: Metric
    metrics: Sequence[Metric]
    models: Sequence[str]
    lines: Mapping[Approach, Mapping[str, Sequence[Row]]]
    has_more: bool
    among: int | None = None

    @property
    def shades(self) -> Ends:
        """Return the rates of the lightest and of the darkest cell of its heat maps."""
        return fit_rates((row.standing.score or 0.0 for *_cell, row in self.cells), most=5)

    @property
    def cells(self) -> list[tuple[Approach, str, Row]]:
        """Return the approach, the model and the row of each cell."""
        return [
            (approach, model, row)
            for approach, models in self.lines.items()
            for model, rows in models.items()
            for row in rows
        ]

    @property
    def best(self) -> tuple[Approach, str, Row]:
        """Return the cell with the highest score."""
        return max(self.cells, key=lambda cell: cell[2].standing.score or 0.0)

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for approach, cells in self.lines.items():
            for model in self.models:
                for row in cells.get(model, ()):
                    yield {
                        "approach": str(approach),
                        "model": model,
                        **system_fields(row),
                        **figures_of(row, self.metric),
                        **{metric.key: row.metrics.get(metric.key) for metric in self.metrics},
                    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The number of tasks in each group of a breakdown.

    tasks: group -> number of tasks
    published: whether the numbers are from a publication and not from the ground truth
    """

    breakdown: Breakdown
    tasks: Mapping[str, int]
    published: bool

    @property
    def total(self) -> int:
        return sum(self.tasks.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeFigure:
    """The numbers of tasks in the groups of each fixed breakdown, where they are known."""

    view: View
    spreads: Sequence[Spread]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for spread in self.spreads:
            for group, tasks in spread.tasks.items():
                yield {
                    "breakdown": spread.breakdown.key,
                    "group": group,
                    "label": spread.breakdown.groups[group],
                    "tasks": tasks,
                    "share": round_figure(tasks / spread.total) if spread.total else None,
                }


def system_fields(row: Row) -> dict[str, Any]:
    """Return the system, kind and judge of a row, and the removal of its result, if any."""
    standing = row.standing
    return {
        "system": standing.name,
        "models": ", ".join(standing.model_names),
        "kind": standing.kind,
        "judge": standing.judge,
        **removal_fields(row.removal),
    }


def figures_of(row: Row, metric: Metric) -> dict[str, Any]:
    """Return the ranked figure of a row with its counts and 95% interval."""
    standing = row.standing
    return {
        "right": standing.right,
        "total": standing.total,
        metric.key: visible_score(standing.score, standing.kind),
        "low": round_figure(standing.low),
        "high": round_figure(standing.high),
    }


def _rate(rate: Rate | Share | None) -> dict[str, Any]:
    if rate is None:
        return dict.fromkeys(("right", "total", "rate", "low", "high"))
    low, high = rate.interval or (None, None)
    return {
        "right": rate.right,
        "total": rate.total,
        "rate": visible_rate(rate),
        "low": round_figure(low),
        "high": round_figure(high),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressFigure:
    """The best score over time.

    history: rescored results at their publication here, reported ones at their publication elsewhere
    removals: the removals of scores that were best at a past event and are no longer on the board
    """

    view: View
    metric: Metric
    history: BestScoreHistory
    removals: Mapping[BestScore, Removal] = field(default_factory=dict)

    @property
    def scores(self) -> Sequence[BestScore]:
        return self.history.scores

    @property
    def has_open(self) -> bool:
        """Whether a judge left answers of some best score open."""
        return any(best.upper is not None for best in self.scores)

    @property
    def gains(self) -> Sequence[tuple[BestScore, float | None]]:
        """Return each score with its gain over the one before; the gain of the first is None."""
        before = (None, *self.scores)
        return [
            (best, None if last is None else best.score - last.score)
            for last, best in zip(before, self.scores, strict=False)
        ]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for best, gain in self.gains:
            yield {
                "date": best.at.date().isoformat(),
                "system": best.name,
                "kind": best.kind,
                "judge": best.judge,
                self.metric.key: visible_score(best.score, best.kind),
                **({self.metric.upper_key: round_figure(best.upper)} if self.metric.upper_key else {}),
                "low": round_figure(best.low),
                "high": round_figure(best.high),
                "gain": round_figure(gain),
                **removal_fields(self.removals.get(best)),
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestFigure:
    """The rates of the first rows with their 95% intervals.

    judge: the judge of these rows; None for rows of all judges
    has_more: whether more rows have an interval than are shown
    """

    view: View
    metric: Metric
    rows: Sequence[Row]
    judge: str | None
    has_more: bool

    @property
    def labels(self) -> Sequence[str]:
        return [row.standing.name for row in self.rows]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            yield {
                "rank": row.rank,
                "rank_low": row.rank_low,
                "rank_high": row.rank_high,
                "tied_for_first": row.place.is_tied_for_first,
                **system_fields(row),
                **figures_of(row, self.metric),
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessFigure:
    """The scores of models that ran under several harnesses, with their 95% intervals.

    models: model -> its best row under each harness, best first; both in the order of the board
    judge: as of `ForestFigure`
    has_more: whether more models ran under several harnesses than are shown
    """

    view: View
    metric: Metric
    models: Mapping[str, Sequence[Row]]
    judge: str | None
    has_more: bool

    @property
    def rows(self) -> Sequence[Row]:
        return [row for rows in self.models.values() for row in rows]

    @property
    def labels(self) -> Sequence[str]:
        """The model and the harness of each row; the harness by its own name, which tells rows apart."""
        return [
            f"{model} · {row.standing.harness_name or harness_words(row)}"
            for model, rows in self.models.items()
            for row in rows
        ]

    @property
    def widest(self) -> tuple[str, Row, Row]:
        """The model whose scores are furthest apart, with its best row and its last."""
        model, rows = max(
            self.models.items(),
            key=lambda item: (item[1][0].standing.score or 0.0) - (item[1][-1].standing.score or 0.0),
        )
        return model, rows[0], rows[-1]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for model, rows in self.models.items():
            for row in rows:
                yield {
                    "model": model,
                    "harness": row.standing.harness,
                    "harness_name": row.standing.harness_name,
                    **system_fields(row),
                    **figures_of(row, self.metric),
                }


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFigure:
    """The verdicts on each task, of the first rows that were scored against the active ground truth.

    tasks: ids, from the easiest to the hardest for these rows
    shares: of the runs of each row in which each task is right, in 0..1; rows x tasks
    has_more: whether more rows have verdicts than are shown
    """

    view: View
    metric: Metric
    rows: Sequence[Row]
    tasks: Sequence[str]
    shares: Sequence[Sequence[float]]
    has_more: bool

    @property
    def solvers(self) -> Sequence[tuple[str, int]]:
        """Return each task with the number of rows that are right in all of their runs, hardest first."""
        by_task = zip(self.tasks, zip(*self.shares, strict=True), strict=True)
        return [(task, shares.count(1.0)) for task, shares in by_task][::-1]

    @property
    def compact(self) -> list[Any]:
        """Return what `export_rows` tells, each system and task once: there may be 75,000 rows."""
        return [self.tasks, self.shares, [system_fields(row) for row in self.rows]]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for row, shares in zip(self.rows, self.shares, strict=True):
            system = system_fields(row)
            for task, share in zip(self.tasks, shares, strict=True):
                yield {**system, "task": task, "right": round_figure(share)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsFigure:
    """How many tasks are right in all of k runs (pass^k), of the first rows with several runs.

    spreads: of the rows, in their order
    has_more: whether more rows have several runs than are shown
    """

    view: View
    metric: Metric
    rows: Sequence[Row]
    spreads: Sequence[VisibleSpread]
    has_more: bool

    @property
    def lines(self) -> Sequence[tuple[Row, VisibleSpread, Sequence[tuple[int, float]]]]:
        """Return each row with its spread, and k and pass^k where that is visible."""
        return [
            (row, spread, [(k, value) for k, value in enumerate(spread.passes, 1) if value is not None])
            for row, spread in zip(self.rows, self.spreads, strict=True)
        ]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for row, spread, passes in self.lines:
            for k, value in passes:
                yield {
                    **system_fields(row),
                    "runs": len(spread.passes),
                    "k": k,
                    "pass_k": value,
                    "rounded_to": spread.rounded_to if k > 1 else None,
                }


def harness_words(row: Row) -> str:
    """Return the harness of a row in the active language."""
    return CONDITIONS["harness"].words(row.standing, translated)


def _front(rows: Sequence[Row], points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the indexes of the rows that no other dominates, from the one that takes least.

    A row dominates another if it is at least as good in both and better in one. Baselines do not count.

    points: what each row takes, and what it achieves
    """
    front: list[int] = []
    for number in sorted(range(len(rows)), key=lambda number: (points[number][0], -points[number][1])):
        if rows[number].is_baseline:
            continue
        # Rows at the same point do not dominate each other.
        last = points[front[-1]] if front else None
        if last is None or points[number][1] > last[1] or points[number] == last:
            front.append(number)
    return front


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterFigure:
    """Precision against recall of the first rows that have both.

    across, up: the metrics on the two axes
    has_more: whether more rows have both figures than are shown
    """

    view: View
    metric: Metric
    across: Metric
    up: Metric
    rows: Sequence[Row]
    has_more: bool

    @property
    def front(self) -> Sequence[Row]:
        """Return the rows that no other dominates, from the highest precision to the highest recall."""
        points = [(-up, across) for across, up in map(self.at, self.rows)]
        return [self.rows[number] for number in _front(self.rows, points)]

    def at(self, row: Row) -> tuple[float, float]:
        """Return the position of a row, across and up, in 0..1. Raises ValueError if one is missing."""
        across, up = row.metrics[self.across.key], row.metrics[self.up.key]
        if across is None or up is None:
            raise ValueError("a row of this view has both figures")
        return across, up

    @property
    def lines(self) -> Sequence[tuple[Row, bool]]:
        """Return each row with whether it is in the front."""
        front = {id(row) for row in self.front}
        return [(row, id(row) in front) for row in self.rows]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for row, is_front in self.lines:
            across, up = self.at(row)
            yield {
                **system_fields(row),
                self.up.key: up,
                self.across.key: across,
                self.metric.key: visible_score(row.standing.score, row.standing.kind),
                "on_front": is_front,
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortFigure:
    """The ranked score against what a task takes, of the first rows whose cost or time is known.

    efforts: what a task takes in each row, in `unit`, 0 or more; in the order of `rows`
    unit: US dollars or seconds, as a key of the exports
    from_files: the metric of the files that takes precedence over what is stated; None without one
    has_more: whether more rows have both figures than are shown
    """

    view: View
    metric: Metric
    rows: Sequence[Row]
    efforts: Sequence[float]
    unit: str
    from_files: Metric | None
    has_more: bool

    @property
    def lines(self) -> Sequence[tuple[Row, float, bool]]:
        """Return each row with what a task takes, and whether no other row dominates it."""
        scores = [row.standing.score or 0.0 for row in self.rows]
        front = set(_front(self.rows, list(zip(self.efforts, scores, strict=True))))
        lines = zip(self.rows, self.efforts, strict=True)
        return [(row, effort, number in front) for number, (row, effort) in enumerate(lines)]

    def is_from_file(self, row: Row) -> bool:
        """Return whether what a task takes is from the file of the row, and not stated."""
        return self.from_files is not None and row.metrics.get(self.from_files.key) is not None

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for row, effort, is_front in self.lines:
            yield {
                **system_fields(row),
                self.metric.key: visible_score(row.standing.score, row.standing.kind),
                self.unit: effort,
                "known_from": "file" if self.is_from_file(row) else "stated",
                "harness": row.standing.harness,
                "not_dominated": is_front,
            }


Figure = (
    GroupFigure
    | ApproachFigure
    | SizeFigure
    | ProgressFigure
    | ForestFigure
    | ScatterFigure
    | EffortFigure
    | DifferenceFigure
    | HarnessFigure
    | TaskFigure
    | RunsFigure
)
