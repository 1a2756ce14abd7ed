"""What the page of a submission shows of its result, whatever the benchmark counts."""

from dataclasses import dataclass
from typing import Any

from leaderboard.models import Standing, Submission
from leaderboard.services import visibility
from scoring.benchmark import Breakdown, Metric
from scoring.verdicts import Rate, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A breakdown. metrics: the columns beside the rate; rows: the name of a group, its rate, and the
    figures of its other columns, each with its metric."""

    breakdown: Breakdown
    metrics: list[Metric]
    rows: list[tuple[str, Rate | Share, list[tuple[Metric, float | None]]]]


def shown_result(submission: Submission) -> dict[str, Any]:
    """Return what the template needs of the result, as far as it may be seen; nothing where there is none."""
    evaluation = submission.evaluation
    if evaluation is None:
        return {}
    benchmark = submission.benchmark
    result = visibility.visible_result(benchmark, evaluation)
    ranked, *others = visibility.visible_metrics(benchmark)
    tables = [
        _table(breakdown, result, {metric.key: metric for metric in others})
        for breakdown in visibility.visible_breakdowns(benchmark)
    ]
    return {
        "result": result,
        "ranked": ranked,
        "metrics": [(metric, result.metrics[metric.key]) for metric in others],
        "explained": [metric for metric in (ranked, *others) if metric.stands_for],
        "tables": [table for table in tables if table.rows],
        "has_groups": bool(tables),
        "is_outdated": evaluation.revision_id != benchmark.active_revision_id,
        "on_board": Standing.objects.filter(evaluation=evaluation.pk).exists(),
    }


def _table(breakdown: Breakdown, result: visibility.Result, known: dict[str, Metric]) -> Table:
    figures = result.group_metrics.get(breakdown.key, {})
    metrics = [known[key] for key in breakdown.metrics] if figures else []
    rows = [
        (
            breakdown.groups[group],
            rate,
            [(metric, figures.get(group, {}).get(metric.key)) for metric in metrics],
        )
        for group, rate in result.breakdowns[breakdown.key].items()
        # A rate over nothing says nothing: where the references have no true ids, whole tables would.
        if rate.total
    ]
    return Table(breakdown=breakdown, metrics=metrics, rows=rows)
