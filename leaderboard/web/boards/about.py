"""Pages about a board: its About page, and the log of its changes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import Board, Kind
from leaderboard.services import data_class, visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import task_count
from leaderboard.services.boards.reported.cited import list_unranked
from leaderboard.services.boards.task_spread import task_spreads
from leaderboard.services.judging.judge import current_identity
from leaderboard.services.record.chain import read_heads
from leaderboard.services.record.log import changelog
from leaderboard.services.statistics.p_values import ALPHA
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.urls import cite_table
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.statistics.power import ASSUMED_DISCORDANT, smallest_detectable_difference


@require_safe
@board_cached
def about(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    tasks = task_count(board.active_revision_id) if board.is_open else None
    benchmark, judge = registry.get(board.benchmark), current_identity(board)
    board_at = BoardAt(board)
    rows = board_at.remember(
        "baselines", lambda: {row.name: row for row in board_at.rows.filter(kind=Kind.BASELINE)}
    )
    context = {
        "board": board,
        "benchmark": benchmark,
        "metrics": visibility.visible_metrics(board),
        "tasks": tasks,
        "spreads": board_at.remember("spreads", lambda: task_spreads(board)),
        **_detectable(board_at, benchmark, tasks),
        "judge": judge,
        "listed_judge": board_at.compared_judge,
        "agreement": benchmark.agreement(judge),
        # Each with its row and score; None and "" where the board has none.
        "baselines": [
            (
                baseline,
                row := rows.get(baseline.system),
                visibility.score_words(benchmark.metrics[0], row.score, row.metrics) if row else "",
            )
            for baseline in benchmark.baselines
        ],
        "lead_rules": board_at.lead_rules,
        "unranked": list_unranked(board_at),
        "data_terms": data_class,
        **cite_table(request, Query(board_at=board_at)),
    }
    return render(request, "web/boards/about.html", context)


def _detectable(board_at: BoardAt, benchmark: Benchmark, tasks: int | None) -> dict[str, str]:
    """Return the smallest differences that a comparison finds in 80% of cases, in points.

    alone: of two systems that are tested alone; "" where none is found
    here: of two of this leaderboard, at .05 over its `undecided` pairs; "" with fewer than two, and untested
    Only one of the two systems solves a fifth of the tasks. Tasks that depend on each other count as many as
    their design effect leaves.
    """
    if not tasks:
        return {"alone": ""}
    clusters = benchmark.published_clusters
    effective = tasks / (clusters.design_effect(tasks) if clusters else 1.0)

    def points(pairs: int) -> str:
        found = smallest_detectable_difference(effective, ASSUMED_DISCORDANT, level=1 - ALPHA / pairs)
        return "" if found is None else f"{100 * found:.1f}"

    statistics = board_at.statistics_for(board_at.compared_judge)
    undecided = statistics.stored.undecided if statistics else 1
    if undecided <= 1:
        return {"alone": points(1), "here": ""}
    here = points(undecided) or _("more than %(points)s") % {"points": f"{100 * ASSUMED_DISCORDANT:.0f}"}
    return {"alone": points(1), "here": here, "undecided": f"{undecided:,}"}


@require_safe
@board_cached
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    log = changelog(board=board, page=request.GET.get("page", "1")[:10])
    context = {"board": board, "log": log, "head": read_heads([slug]).get(slug)}
    return render(request, "web/boards/log.html", context)
