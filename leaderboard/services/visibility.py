"""Decide which parts of a result are visible at the leaderboard's feedback level.

The only gate: every page, response, export and sort order uses it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.models import Benchmark, Evaluation, Feedback
from scoring import registry
from scoring.benchmark import Breakdown, Metric
from scoring.verdicts import Rate, Share


def by_group(benchmark: Benchmark) -> bool:
    """Return whether figures of groups of tasks are visible."""
    return benchmark.feedback in (Feedback.BY_TYPE, Feedback.BY_TASK)


def by_task(benchmark: Benchmark) -> bool:
    """Return whether the submitting team may see its verdicts task by task."""
    return benchmark.feedback == Feedback.BY_TASK


def visible_metrics(benchmark: Benchmark) -> list[Metric]:
    """Return the visible metrics of rescored results, the ranked one first."""
    metrics = registry.get(benchmark.family).metrics
    return [metric for metric in metrics if metric.public or by_group(benchmark)]


def ranked_metric(benchmark: Benchmark) -> Metric:
    """Return the metric that the leaderboard is ranked by."""
    return registry.get(benchmark.family).metrics[0]


def visible_breakdowns(benchmark: Benchmark) -> tuple[Breakdown, ...]:
    """Return the breakdowns whose figures are visible."""
    return registry.get(benchmark.family).breakdowns if by_group(benchmark) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLine:
    """What a submitter may see of a task: its verdict, and a remark that follows from the file."""

    task_id: str
    correct: bool
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleResult:
    """The visible part of an evaluation. overall: the rate by `metric`, the ranked one."""

    metric: Metric
    overall: Rate
    metrics: Mapping[str, float | None]
    breakdowns: Mapping[str, Mapping[str, Rate | Share]]
    group_metrics: Mapping[str, Mapping[str, Mapping[str, float | None]]]
    evaluation: Evaluation


def visible_result(benchmark: Benchmark, evaluation: Evaluation) -> VisibleResult:
    """Return the part of `evaluation` that every reader of the submission may see."""
    return VisibleResult(
        metric=ranked_metric(benchmark),
        overall=Rate(right=evaluation.right, total=evaluation.total),
        metrics={m.key: evaluation.metrics.get(m.key) for m in visible_metrics(benchmark)},
        breakdowns=visible_groups(benchmark, evaluation.breakdowns),
        group_metrics=visible_group_metrics(benchmark, evaluation.group_metrics),
        evaluation=evaluation,
    )


def parse_rate(stored: Sequence[Any]) -> Rate | Share:
    """Return the rate that is stored as [right, total], or as [null, total, share]."""
    right, total, *share = stored
    return Share(rate=share[0], total=total) if share else Rate(right=right, total=total)


def visible_groups(benchmark: Benchmark, stored: Mapping[str, Any]) -> dict[str, dict[str, Rate | Share]]:
    """Return the visible breakdowns among the stored ones as rates, in the benchmark's order."""
    return {
        breakdown.key: {
            group: parse_rate(stored[breakdown.key][group])
            for group in breakdown.groups
            if group in stored.get(breakdown.key, {})
        }
        for breakdown in visible_breakdowns(benchmark)
    }


def visible_group_metrics(
    benchmark: Benchmark, stored: Mapping[str, Any]
) -> dict[str, dict[str, dict[str, float | None]]]:
    """Return the visible figures beside the rates of groups, in the benchmark's order."""
    return {
        breakdown.key: {
            group: {key: stored[breakdown.key][group].get(key) for key in breakdown.metrics}
            for group in breakdown.groups
            if group in stored.get(breakdown.key, {})
        }
        for breakdown in visible_breakdowns(benchmark)
        if breakdown.metrics
    }


def visible_tasks(benchmark: Benchmark, evaluation: Evaluation) -> list[TaskLine] | None:
    """Return the verdicts task by task for the submitting team; None where they are not visible.

    Reasons stay hidden: the check that failed would reveal what the reference asks for.
    """
    if not by_task(benchmark):
        return None
    family = registry.get(benchmark.family)
    return [
        TaskLine(
            task_id=task_id,
            correct=bool(family.is_correct(code)),
            remark=family.remarks.get(family.reason(code), ""),
        )
        for task_id, code in zip(evaluation.revision.task_ids, bytes(evaluation.verdicts), strict=True)
    ]
