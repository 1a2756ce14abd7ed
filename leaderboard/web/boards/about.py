"""Pages about a board: its About page, and the log of its changes."""

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from leaderboard.models import Board, Kind
from leaderboard.services import data_class, visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.read_rows import task_count
from leaderboard.services.boards.reported.cited import list_unranked
from leaderboard.services.judging.judge import current_identity
from leaderboard.services.record.chain import read_heads
from leaderboard.services.record.log import CHOICES, changelog, count_events
from leaderboard.services.statistics.p_values import ALPHA
from leaderboard.web.shared.as_of import as_of_context, query_of
from leaderboard.web.shared.caching import board_cached
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.statistics.power import ASSUMED_DISCORDANT, smallest_detectable_difference


@require_safe
@board_cached
def about(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    tasks = task_count(board.active_revision_id) if board.is_open else None
    benchmark, judge = registry.get(board.benchmark), current_identity(board)
    texts = benchmark.about
    demo = gettext_noop("This is a demonstration: its tasks and reference answers are invented and public.")
    hidden = demo if board.is_demo else texts.published_references
    board_at = BoardAt(board)
    baselines = board_at.rows.filter(kind=Kind.BASELINE)
    score = partial(visibility.score_words, benchmark.metrics[0])
    scores = board_at.remember(
        "baselines", lambda: {row.name: score(row.score, row.metrics) for row in baselines}
    )
    context = {
        "board": board,
        "benchmark": benchmark,
        "methods": [text for text in (*texts.asks, *texts.graded) if text != board.question],
        "keep_in_mind": [*filter(None, (*texts.caveats, hidden, texts.data))],
        "metrics": visibility.visible_metrics(board),
        "tasks": tasks,
        **_detectable(board_at, benchmark, tasks),
        "judge": judge,
        "listed_judge": board_at.compared_judge,
        "agreement": benchmark.agreement(judge),
        # Each with its score; "" where the board has none.
        "baselines": [(baseline, scores.get(baseline.system, "")) for baseline in benchmark.baselines],
        "lead_rules": board_at.lead_rules,
        "unranked": list_unranked(board_at),
        "data_terms": data_class,
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
    most = _("more than %(points)s") % {"points": f"{100 * ASSUMED_DISCORDANT:.0f}"}
    return {"alone": points(1), "here": (points(undecided) or most) if undecided > 1 else ""}


@require_safe
@board_cached
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    query, choice = query_of(request, board), request.GET.get("kind", "")
    choice = choice if choice in CHOICES else ""
    counts = count_events(query.board_at)
    context = {
        "board": board,
        "query": query,
        **as_of_context(query),
        "log": changelog(query.board_at, choice=choice, page=request.GET.get("page", "1")[:10]),
        "choice": choice,
        "choices": [(key, label, counts[key]) for key, (label, _actions) in CHOICES.items() if counts[key]],
        "head": read_heads([slug]).get(slug),
    }
    return render(request, "web/boards/log.html", context)
