"""What of a result may be seen. Every page, response, export and sort order asks here and nowhere else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.models import Benchmark, Evaluation, Feedback
from scoring import registry
from scoring.benchmark import Breakdown, Metric
from scoring.verdicts import Rate, Share


def by_group(benchmark: Benchmark) -> bool:
    """Whether figures of groups of tasks may be seen."""
    return benchmark.feedback in (Feedback.BY_TYPE, Feedback.BY_TASK)


def by_task(benchmark: Benchmark) -> bool:
    """Whether the submitting team may see its verdicts task by task."""
    return benchmark.feedback == Feedback.BY_TASK


def visible_metrics(benchmark: Benchmark) -> list[Metric]:
    """Return the metrics of rescored results that may be seen, the ranked one first."""
    metrics = registry.get(benchmark.family).metrics
    return [metric for metric in metrics if metric.public or by_group(benchmark)]


def ranked_metric(benchmark: Benchmark) -> Metric:
    """Return the metric that the board is ranked by."""
    return registry.get(benchmark.family).metrics[0]


def visible_breakdowns(benchmark: Benchmark) -> tuple[Breakdown, ...]:
    return registry.get(benchmark.family).breakdowns if by_group(benchmark) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLine:
    """One task as a submitter may see it: right or wrong, and a word where the file alone gives it."""

    task_id: str
    correct: bool
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """An evaluation as it may be seen at the board's feedback level. metric: what `overall` is a rate of."""

    metric: Metric
    overall: Rate
    metrics: Mapping[str, float | None]
    breakdowns: Mapping[str, Mapping[str, Rate]]
    group_metrics: Mapping[str, Mapping[str, Mapping[str, float | None]]]
    evaluation: Evaluation


def visible_result(benchmark: Benchmark, evaluation: Evaluation) -> Result:
    """Return what of `evaluation` may be seen by anybody who may see the submission."""
    return Result(
        metric=ranked_metric(benchmark),
        overall=Rate(right=evaluation.right, total=evaluation.total),
        metrics={m.key: evaluation.metrics.get(m.key) for m in visible_metrics(benchmark)},
        breakdowns=visible_groups(benchmark, evaluation.breakdowns),
        group_metrics=visible_group_metrics(benchmark, evaluation.group_metrics),
        evaluation=evaluation,
    )


def rate_of(stored: Sequence[Any]) -> Rate | Share:
    """Return what [right, total], or [null, total, share] where only a share was published, stands for."""
    right, total, *share = stored
    return Share(rate=share[0], total=total) if share else Rate(right=right, total=total)


def visible_groups(benchmark: Benchmark, stored: Mapping[str, Any]) -> dict[str, dict[str, Rate | Share]]:
    """Return the stored breakdowns as rates, in the benchmark's order, as far as they may be seen."""
    return {
        breakdown.key: {
            group: rate_of(stored[breakdown.key][group])
            for group in breakdown.groups
            if group in stored.get(breakdown.key, {})
        }
        for breakdown in visible_breakdowns(benchmark)
    }


def visible_group_metrics(
    benchmark: Benchmark, stored: Mapping[str, Any]
) -> dict[str, dict[str, dict[str, float | None]]]:
    """Return the figures that stand beside the rates of groups, in order, as far as they may be seen."""
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
    """Return the verdicts task by task for the submitting team; None where the level keeps them back.

    Reasons stay hidden: which check failed would tell what the reference asks for.
    """
    if not by_task(benchmark):
        return None
    scorer = registry.get(benchmark.family)
    return [
        TaskLine(
            task_id=task_id,
            correct=bool(scorer.is_correct(code)),
            remark=scorer.remarks.get(scorer.reason(code), ""),
        )
        for task_id, code in zip(evaluation.revision.task_ids, bytes(evaluation.verdicts), strict=True)
    ]
