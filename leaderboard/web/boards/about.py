"""The About page of a board."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Board, Kind, Standing
from leaderboard.services import data_class, visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import task_count
from leaderboard.services.boards.reported.cited import list_unranked
from leaderboard.services.boards.task_spread import task_spreads
from leaderboard.services.judging.judge import current_identity
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.urls import cite_table
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Baseline, Benchmark
from wardboard.scoring.statistics.power import ASSUMED_DISCORDANT, smallest_detectable_difference


@require_safe
@board_cached
def about(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    tasks = task_count(board.active_revision_id) if board.is_open else None
    benchmark, judge = registry.get(board.benchmark), current_identity(board)
    board_at = BoardAt(board)
    context = {
        "board": board,
        "benchmark": benchmark,
        "metrics": visibility.visible_metrics(board),
        "tasks": tasks,
        "spreads": board_at.remember("spreads", lambda: task_spreads(board)),
        "detectable": _detectable(benchmark, tasks),
        "judge": judge,
        "agreement": benchmark.agreement(judge),
        "baselines": _baselines(board_at),
        "lead_rules": board_at.lead_rules,
        "unranked": list_unranked(board_at),
        "data_terms": data_class,
        **cite_table(request, Query(board_at=board_at)),
    }
    return render(request, "web/boards/about.html", context)


def _baselines(board_at: BoardAt) -> list[tuple[Baseline, Standing | None, str]]:
    """Return the benchmark's baselines, each with its row and score; None and "" where the board has none."""
    rows = board_at.remember(
        "baselines", lambda: {row.name: row for row in board_at.rows.filter(kind=Kind.BASELINE)}
    )
    benchmark = registry.get(board_at.board.benchmark)
    ranked = benchmark.metrics[0]
    found = [(baseline, rows.get(baseline.system)) for baseline in benchmark.baselines]
    return [
        (
            baseline,
            row,
            visibility.score_words(ranked, row.score, row.metrics) if row else "",
        )
        for baseline, row in found
    ]


def _detectable(benchmark: Benchmark, tasks: int | None) -> str:
    """Return the smallest difference that a comparison finds in 80% of cases, in points; "" where none is.

    Of two systems of which only one solves a fifth of the tasks. Tasks that depend on each other count as
    many as their design effect leaves.
    """
    if not tasks:
        return ""
    clusters = benchmark.published_clusters
    effective = tasks / (clusters.design_effect(tasks) if clusters else 1.0)
    difference = smallest_detectable_difference(effective, ASSUMED_DISCORDANT)
    return "" if difference is None else f"{100 * difference:.1f}"
