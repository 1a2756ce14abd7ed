"""The About page of a board."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Board, Kind, ProvenanceLevel, Standing
from leaderboard.services import data_class, visibility
from leaderboard.services.boards import summary
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import task_count
from leaderboard.services.boards.reported.best_known import best_known, old_newest
from leaderboard.services.boards.reported.cited import list_unranked
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.statistics import bootstrap, entrants
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.citing import cite_table
from scoring import registry
from scoring.benchmark import Baseline
from scoring.statistics import smallest_detectable_difference

# Shares of tasks that only one of two systems solves.
_DISCORDANT = (0.1, 0.2)


@require_safe
@board_cached
def about(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    tasks = task_count(board.active_revision_id) if board.is_open else None
    benchmark, judge = registry.get(board.benchmark), summary.judge_of_today(board=board)
    board_at = BoardAt(board)
    context = {
        "board": board,
        "benchmark": benchmark,
        "ranked": visibility.ranked_metric(board),
        "metrics": visibility.visible_metrics(board),
        "tasks": tasks,
        "is_clustered": _is_clustered(board),
        "detectable": _detectable(tasks),
        "keeps_back": not visibility.by_group(board),
        "strata": next((b for b in benchmark.breakdowns if b.key == benchmark.strata), None),
        "judge": judge,
        "agreement": benchmark.agreement(judge),
        "constants": _constants(board),
        "baselines": _baselines(board_at),
        "best": best_known(board_at),
        "unranked": list_unranked(board_at),
        "old_newest": old_newest(board_at),
        "data_terms": data_class,
        "provenance_levels": list(ProvenanceLevel),
        **cite_table(request, Query(board_at=board_at)),
    }
    return render(request, "web/boards/about.html", context)


def _baselines(board_at: BoardAt) -> list[tuple[Baseline, Standing | None]]:
    """Return the benchmark's baselines, each with its row; None where the board has none of it."""
    rows = board_at.remember(
        "baselines", lambda: {row.name: row for row in board_at.rows.filter(kind=Kind.BASELINE)}
    )
    baselines = registry.get(board_at.board.benchmark).baselines
    return [(baseline, rows.get(baseline.system)) for baseline in baselines]


def _is_clustered(board: Board) -> bool:
    if not board.is_open:
        return False
    groups = load_task_groups(board=board, revision_id=board.ground_truth.pk)
    return groups.cluster_labels is not None


def _constants(board: Board) -> dict[str, Any]:
    """Return the constants of the board's statistics."""
    return {
        "resamples": bootstrap.RESAMPLES,
        "most_systems": entrants.MOST,
        # Not elsewhere: someone who knows all hidden references but one could test guesses with the seed.
        "seed": bootstrap.seed_of(board.ground_truth) if board.is_open and board.is_demo else None,
    }


def _detectable(tasks: int | None) -> list[tuple[float, str]]:
    """Return share of discordant tasks -> smallest difference found in 80% of cases, in points."""
    differences = [
        (share, smallest_detectable_difference(tasks, share)) for share in _DISCORDANT if tasks is not None
    ]
    return [(share, f"{100 * difference:.1f}") for share, difference in differences if difference is not None]
