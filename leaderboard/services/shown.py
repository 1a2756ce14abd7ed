"""What the views of a board show: values that a page draws and an export writes.

`records` are the figures of a view, one a line: page, chart, CSV and JSON have the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.core.paginator import Page

from leaderboard.services.board import Row
from scoring.benchmark import Breakdown, Metric
from scoring.verdicts import Rate, Share


class Form(StrEnum):
    """What a view is drawn as."""

    GROUPS = "groups"
    STEPS = "steps"
    APPROACHES = "approaches"
    SIZES = "sizes"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view that a board has. name: in its address. breakdown: of those by group or step."""

    name: str
    title: str
    form: Form
    breakdown: Breakdown | None = None

    @property
    def short(self) -> str:
        """Its title without what comes after a comma, for a list of views."""
        return self.title.split(",")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """Systems by group: a page of the board's rows that have such figures. metrics: beside the rate."""

    view: View
    metric: Metric
    metrics: Sequence[Metric]
    rows: Sequence[Row]
    page: Page

    @property
    def groups(self) -> Mapping[str, str]:
        """Key -> label of the groups that some row has a task in."""
        key = self.view.breakdown.key
        return {
            group: label
            for group, label in self.view.breakdown.groups.items()
            if any(row.groups[key][group].total for row in self.rows if group in row.groups[key])
        }

    def records(self) -> Iterator[dict[str, Any]]:
        key = self.view.breakdown.key
        for row in self.rows:
            for group, label in self.groups.items():
                rate = row.groups[key].get(group)
                figures = row.group_metrics.get(key, {}).get(group, {})
                yield {
                    **_who(row),
                    "group": group,
                    "label": label,
                    **_rate(rate),
                    **{metric.key: figures.get(metric.key) for metric in self.metrics},
                }


@dataclass(frozen=True, slots=True, kw_only=True)
class Approaches:
    """The best system of each approach on each model, of each judge unless the board mixes them.

    lines: approach -> model -> rows, in the order of their judges. has_more: whether more models are there
    than are shown.
    """

    view: View
    metric: Metric
    metrics: Sequence[Metric]
    models: Sequence[str]
    lines: Mapping[str, Mapping[str, Sequence[Row]]]
    has_more: bool

    def records(self) -> Iterator[dict[str, Any]]:
        for approach, cells in self.lines.items():
            for model in self.models:
                for row in cells.get(model, ()):
                    standing = row.standing
                    yield {
                        "approach": approach,
                        "model": model,
                        **_who(row),
                        "right": standing.right,
                        "total": standing.total,
                        self.metric.key: standing.score,
                        "low": standing.low,
                        "high": standing.high,
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
class Sizes:
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


def _who(row: Row) -> dict[str, Any]:
    return {
        "system": row.system.name,
        "models": ", ".join(row.system.model_names),
        "kind": row.standing.kind,
        "judge": row.standing.judge,
    }


def _rate(rate: Rate | Share | None) -> dict[str, Any]:
    if rate is None:
        return dict.fromkeys(("right", "total", "rate", "low", "high"))
    low, high = rate.interval or (None, None)
    return {"right": rate.right, "total": rate.total, "rate": rate.rate, "low": low, "high": high}
