"""The About page of a board."""

from dataclasses import dataclass
from math import inf
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
from leaderboard.services.statistics.design_effect import difference_effect_of
from leaderboard.services.statistics.p_values import ALPHA
from leaderboard.services.text import percent_range
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.citing import cite_table
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Baseline, Benchmark
from wardboard.scoring.statistics.clusters import Clustering, t_quantile
from wardboard.scoring.statistics.power import smallest_detectable_difference

# Shares of tasks that only one of two systems solves.
_DISCORDANT = (0.1, 0.2, 0.3)


@require_safe
@board_cached
def about(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    tasks = task_count(board.active_revision_id) if board.is_open else None
    benchmark, judge = registry.get(board.benchmark), summary.judge_of_today(board=board)
    board_at = BoardAt(board)
    clustering = _clustering(board)
    context = {
        "board": board,
        "benchmark": benchmark,
        "ranked": visibility.ranked_metric(board),
        "metrics": visibility.visible_metrics(board),
        "tasks": tasks,
        "spreads": board_at.remember("spreads", lambda: summary.task_spreads(board)),
        "is_clustered": clustering is not None or bool(benchmark.clusters and not board.is_open),
        "t": clustering and t_quantile(clustering.degrees_of_freedom, 1 - ALPHA),
        "published_effect": _published_effect(benchmark, tasks),
        "detectable": _detectable(board_at, benchmark, tasks),
        "keeps_back": not visibility.by_group(board),
        "strata": next((b for b in benchmark.breakdowns if b.key == benchmark.strata), None),
        "judge": judge,
        "agreement": benchmark.agreement(judge),
        "constants": _constants(board),
        "baselines": _baselines(board_at),
        "lead_rules": board_at.lead_rules,
        "best": best_known(board_at),
        "unranked": list_unranked(board_at),
        "old_newest": old_newest(board_at),
        "data_terms": data_class,
        "provenance_levels": list(ProvenanceLevel),
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
            percent_range(row.score, visibility.upper_end(ranked, row.score, row.metrics)) if row else "",
        )
        for baseline, row in found
    ]


def _clustering(board: Board) -> Clustering | None:
    """Return the clusters of the board's tasks; None for independent tasks, and without tasks."""
    if not board.is_open:
        return None
    groups = load_task_groups(board=board, revision_id=board.ground_truth.pk)
    labels = groups.cluster_labels
    return None if labels is None else Clustering(labels, groups.strata.size)


def _published_effect(benchmark: Benchmark, tasks: int | None) -> float | None:
    """Return the design effect of a row as published over all tasks; None without one, or known tasks."""
    clusters = benchmark.published_clusters
    effect = clusters.design_effect(tasks) if clusters and tasks is not None else 1.0
    return effect if effect > 1 else None


def _constants(board: Board) -> dict[str, Any]:
    """Return the constants of the board's statistics."""
    return {
        "resamples": bootstrap.RESAMPLES,
        "most_systems": entrants.MOST,
        # Not elsewhere: someone who knows all hidden references but one could test guesses with the seed.
        "seed": bootstrap.seed_of(board.ground_truth) if board.is_open and board.is_demo else None,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest differences that a comparison finds in 80% of cases, in points.

    lines: share of tasks that only one system solves, the difference, and what it would be if tasks were
        independent
    effect: design effect of a difference, 1 or more; None where tasks are independent
    effective: number of independent tasks that are worth as much in a comparison
    is_of_board: whether the effect is that of the pairs on the board, and not that of a published rate
    """

    lines: list[tuple[float, str, str]]
    effect: float | None
    effective: float
    is_of_board: bool


def _detectable(board_at: BoardAt, benchmark: Benchmark, tasks: int | None) -> Detectable | None:
    """Return what the board can detect; None where the number of tasks is not known, or nothing is found."""
    if tasks is None:
        return None
    of_board = board_at.remember("difference-effect", lambda: difference_effect_of(board_at.board))
    clustering = _clustering(board_at.board)
    freedom = clustering.degrees_of_freedom if clustering else inf
    effect = (of_board or _published_effect(benchmark, tasks)) if clustering else None
    effective = tasks / (effect or 1.0)
    differences = [
        (
            share,
            smallest_detectable_difference(effective, share, degrees_of_freedom=freedom),
            smallest_detectable_difference(tasks, share),
        )
        for share in _DISCORDANT
    ]
    lines = [
        (share, f"{100 * found:.1f}", f"{100 * independent:.1f}")
        for share, found, independent in differences
        if found is not None and independent is not None
    ]
    if not lines:
        return None
    return Detectable(lines=lines, effect=effect, effective=effective, is_of_board=of_board is not None)
