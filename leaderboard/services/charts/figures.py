"""What the views of a board show: values that a page draws and an export writes.

`records` are the figures of a view, one a line: page, chart, CSV and JSON have the same. Labels in them are
English, as exports are; a page translates them where it shows them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.core.paginator import Page
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.services.boards.best_scores import BestScore, BestScoreHistory
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.rows import removal_fields
from leaderboard.services.record.past import Removal
from scoring.benchmark import Breakdown, Metric
from scoring.verdicts import Rate, Share


class Form(StrEnum):
    """What a view is drawn as."""

    GROUPS = "groups"
    STEPS = "steps"
    APPROACHES = "approaches"
    SIZES = "sizes"
    PROGRESS = "progress"
    FOREST = "forest"
    SCATTER = "scatter"


_TITLES = {
    Form.APPROACHES: gettext_noop("Approach by model"),
    Form.SIZES: gettext_noop("How the tasks are spread"),
    Form.PROGRESS: gettext_noop("Best score over time"),
    Form.FOREST: gettext_noop("Intervals of the first 25"),
    Form.SCATTER: gettext_noop("Precision against recall"),
}
_SHORT = {
    Form.APPROACHES: gettext_noop("By model"),
    Form.SIZES: gettext_noop("Spread of tasks"),
    Form.PROGRESS: gettext_noop("Over time"),
    Form.FOREST: gettext_noop("Intervals"),
    Form.SCATTER: gettext_noop("Precision and recall"),
}


def translated(text: str) -> str:
    """Return a text that a benchmark or a model gives, in the language of the page."""
    # The catalogue has its own head under the empty text.
    return _(text) if text else ""


def inner(label: str) -> str:
    """A label inside of a sentence: `Answer correctness` as `answer correctness`, `F1` as it is."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view that a board has. name: in its address. breakdown: of those by group or step."""

    name: str
    form: Form
    breakdown: Breakdown | None = None

    @property
    def grouping(self) -> Breakdown:
        """The breakdown of a view by group or step. Raises ValueError for any other view."""
        if self.breakdown is None:
            raise ValueError(f"{self.name} is not a view by group")
        return self.breakdown

    @property
    def title(self) -> str:
        if self.breakdown is None:
            return _(_TITLES[self.form])
        return _("By %(groups)s") % {"groups": inner(translated(self.breakdown.label))}

    @property
    def short(self) -> str:
        """What it is called in a list of views: some words of its title."""
        return _(_SHORT[self.form]) if self.form in _SHORT else re.split("[,，（]", self.title)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigure:
    """Systems by group: a page of the board's rows that have such figures. metrics: beside the rate."""

    view: View
    metric: Metric
    metrics: Sequence[Metric]
    rows: Sequence[Row]
    page: Page[int]

    @property
    def groups(self) -> Mapping[str, str]:
        """Key -> label of the groups that some row has a task in."""
        key = self.view.grouping.key
        known = {group for row in self.rows for group, rate in row.groups.get(key, {}).items() if rate.total}
        return {group: label for group, label in self.view.grouping.groups.items() if group in known}

    def records(self) -> Iterator[dict[str, Any]]:
        key = self.view.grouping.key
        groups = self.groups
        for row in self.rows:
            rates, beside = row.groups.get(key, {}), row.group_metrics.get(key, {})
            for group, label in groups.items():
                rate, figures = rates.get(group), beside.get(group, {})
                yield {
                    **who(row),
                    "group": group,
                    "label": label,
                    **_rate(rate),
                    **{metric.key: figures.get(metric.key) for metric in self.metrics},
                }


@dataclass(frozen=True, slots=True, kw_only=True)
class Approach:
    """What a system does, in English words; parts that nobody said are named as such."""

    interaction: str
    retrieval: str
    reasoning: str

    def __str__(self) -> str:
        return f"{self.interaction}, {self.retrieval}, {self.reasoning}"

    @property
    def words(self) -> str:
        """It in the language of the page."""
        return _("%(interaction)s, %(retrieval)s, %(reasoning)s") % {
            "interaction": translated(self.interaction),
            "retrieval": translated(self.retrieval),
            "reasoning": translated(self.reasoning),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproachFigure:
    """The best system of each approach on each model, of each judge unless the board mixes them.

    lines: approach -> model -> rows, in the order of their judges. has_more: whether more models are there
    than are shown. among: of how many of the first rows these are the best; None: of all.
    """

    view: View
    metric: Metric
    metrics: Sequence[Metric]
    models: Sequence[str]
    lines: Mapping[Approach, Mapping[str, Sequence[Row]]]
    has_more: bool
    among: int | None = None

    def records(self) -> Iterator[dict[str, Any]]:
        for approach, cells in self.lines.items():
            for model in self.models:
                for row in cells.get(model, ()):
                    yield {
                        "approach": str(approach),
                        "model": model,
                        **who(row),
                        **figures_of(row, self.metric),
                        **{metric.key: row.metrics.get(metric.key) for metric in self.metrics},
                    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How many tasks a breakdown's groups have. published: as a publication tells it."""

    breakdown: Breakdown
    tasks: Mapping[str, int]
    published: bool

    @property
    def total(self) -> int:
        return sum(self.tasks.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeFigure:
    """How the tasks are spread over the groups of each fixed breakdown that is known."""

    view: View
    spreads: Sequence[Spread]

    def records(self) -> Iterator[dict[str, Any]]:
        for spread in self.spreads:
            for group, tasks in spread.tasks.items():
                yield {
                    "breakdown": spread.breakdown.key,
                    "group": group,
                    "label": spread.breakdown.groups[group],
                    "tasks": tasks,
                    "share": tasks / spread.total if spread.total else None,
                }


def who(row: Row) -> dict[str, Any]:
    """Return whose figures a line has, and whether they still stand."""
    standing = row.standing
    return {
        "system": standing.name,
        "models": ", ".join(standing.model_names),
        "kind": standing.kind,
        "judge": standing.judge,
        **removal_fields(row.gone),
    }


def figures_of(row: Row, metric: Metric) -> dict[str, Any]:
    """Return the ranked figure of a row with its counts and 95% interval."""
    standing = row.standing
    return {
        "right": standing.right,
        "total": standing.total,
        metric.key: standing.score,
        "low": standing.low,
        "high": standing.high,
    }


def _rate(rate: Rate | Share | None) -> dict[str, Any]:
    if rate is None:
        return dict.fromkeys(("right", "total", "rate", "low", "high"))
    low, high = rate.interval or (None, None)
    return {"right": rate.right, "total": rate.total, "rate": rate.rate, "low": low, "high": high}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressFigure:
    """How the best score rose. kinds of records: rescored, at their publication here, and reported. gone: of
    records of the past that stand no longer, why."""

    view: View
    metric: Metric
    course: BestScoreHistory
    gone: Mapping[BestScore, Removal] = field(default_factory=dict)

    @property
    def held(self) -> Sequence[BestScore]:
        return self.course.held

    @property
    def gains(self) -> Sequence[tuple[BestScore, float | None]]:
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
                **removal_fields(self.gone.get(record)),
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestFigure:
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
class ScatterFigure:
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
        """Return the position of a row: across and up, in 0..1."""
        across, up = row.metrics[self.across.key], row.metrics[self.up.key]
        if across is None or up is None:
            raise ValueError("a row of this view has both figures")
        return across, up

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


Figure = GroupFigure | ApproachFigure | SizeFigure | ProgressFigure | ForestFigure | ScatterFigure
