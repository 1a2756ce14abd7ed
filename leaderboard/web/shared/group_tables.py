"""The figures of a result by group, a table for each breakdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from leaderboard.models import Board, Submission
from leaderboard.services import visibility
from leaderboard.services.access import Reader, may_read_verdicts
from leaderboard.services.visibility import GroupMean
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Breakdown, Metric
from wardboard.scoring.verdicts import Rate, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTable:
    """A breakdown with its figures.

    metrics: the columns beside the rate
    rows: the name of a group, its rate, and each other metric with its figure
    """

    breakdown: Breakdown
    metrics: Sequence[Metric]
    rows: Sequence[tuple[str, Rate | Share, Sequence[tuple[Metric, GroupMean | None]]]]


def group_tables(
    board: Board,
    rates: Mapping[str, Mapping[str, Rate | Share]],
    figures: Mapping[str, Mapping[str, Mapping[str, GroupMean]]],
) -> list[GroupTable]:
    """Return a table for each visible breakdown in which any group has a task; in the first, by rate."""
    tables = [
        _table(board, breakdown, rates.get(breakdown.key, {}), figures.get(breakdown.key, {}))
        for breakdown in visibility.visible_breakdowns(board)
    ]
    tables = [table for table in tables if table.rows]
    if tables and not tables[0].breakdown.ordered:
        by_rate = sorted(tables[0].rows, key=lambda row: -(row[1].rate or 0))
        tables[0] = replace(tables[0], rows=by_rate)
    return tables


def _table(
    board: Board,
    breakdown: Breakdown,
    rates: Mapping[str, Rate | Share],
    figures: Mapping[str, Mapping[str, GroupMean]],
) -> GroupTable:
    by_key = {metric.key: metric for metric in registry.get(board.benchmark).metrics}
    metrics = [by_key[key] for key in breakdown.metrics] if figures else []
    rows = [
        (
            breakdown.groups[group],
            rate,
            [(metric, figures.get(group, {}).get(metric.key)) for metric in metrics],
        )
        for group, rate in rates.items()
        # A group without tasks has no rate. Where the references have no true ids, that is the whole table.
        if rate.total
    ]
    return GroupTable(breakdown=breakdown, metrics=metrics, rows=rows)


def metrics_beside(board: Board, tables: Sequence[GroupTable]) -> Sequence[Metric]:
    """Return the metrics to show beside the score: of the first table, or all columns that are declared."""
    if board.is_declared:
        return [metric for metric in visibility.visible_metrics(board) if metric.column]
    return tables[0].metrics if tables else ()


def links_to_tasks(reader: Reader, submission: Submission) -> dict[str, str]:
    """Return label of a group -> address of its wrong tasks; {} where the reader may not see these."""
    breakdown = visibility.known_breakdown(submission.board)
    if breakdown is None or not may_read_verdicts(reader, submission):
        return {}
    page = reverse("web:tasks", args=[submission.pk])
    return {label: f"{page}?outcome=wrong&group={key}" for key, label in breakdown.groups.items()}
