"""The figures of a result for templates, as far as they are visible."""

from typing import Any

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.rows.means import counted, mean_of, print_figure
from leaderboard.services.visibility import VisibleResult
from leaderboard.web.shared.group_tables import group_tables, metrics_beside
from wardboard.scoring.judging import leaves_open


def figures_context(board: Board, result: VisibleResult) -> dict[str, Any]:
    """Return the context of the templates that show figures and their tables by group."""
    board = board.as_graded_by(result.evaluation.scorer_version)
    metrics = [metric for metric in visibility.visible_metrics(board) if metric.key in result.metrics]
    ranked, *others = metrics
    tasks = result.evaluation.tasks
    tables = group_tables(board, result.breakdowns, result.group_metrics)
    stored = result.evaluation.metrics
    means = [(metric, mean_of(metric, result.metrics, tasks, stored.get(metric.key))) for metric in others]
    lines = [(metric, print_figure(mean.value, metric), mean.note) for metric, mean in means]
    beside = metrics_beside(board, tables)
    # Neither is known where none is wrong or undecided, or the share is too coarse.
    right, counts = result.overall.right, {}
    not_wrong = None if result.upper is None else counted(result.upper, result.overall.total)
    if not_wrong is not None and right is not None:
        counts = {"wrong": result.overall.total - not_wrong, "undecided": not_wrong - right}
    return {
        "result": result,
        "may_be_open": leaves_open(result.evaluation.judge),
        **counts,
        "ranked": ranked,
        "metrics": [line for line in lines if line[0] in beside],
        "more_metrics": [line for line in lines if line[0] not in beside],
        "explained": [metric for metric in metrics if metric.stands_for],
        "tables": tables,
        "has_groups": bool(visibility.visible_breakdowns(board)),
        "is_outdated": result.evaluation.revision_id != board.active_revision_id,
    }
