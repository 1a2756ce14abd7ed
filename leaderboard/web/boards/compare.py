"""The page that compares two systems of a board."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.http.problems import status_of
from leaderboard.models import Board, Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.rows.conditions import side_by_side
from leaderboard.services.statistics.compare import COMPARED, Comparison, NotComparable, compare_systems
from leaderboard.services.statistics.pair_words import answer_of
from leaderboard.services.text import fold_case, read_key
from leaderboard.web.boards.pairs import hidden_of, needed_of, note_of, report_of
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.templatetags.languages import translated

_OFFERED = 6
_MOST_READ = 8  # parameters of a request beyond this are ignored


@require_safe
@board_cached
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare the first two systems of a request, with links to compare the first with others."""
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    systems = read_systems(request)
    text = "".join(c for c in request.GET.get("q", "") if c.isprintable()).strip()[:100]
    by_system = {row.system_id: row for row in _comparable(board).filter(system__in=systems)}
    chosen = [by_system[key] for key in systems if key in by_system]
    context: dict[str, Any] = {"board": board, "text": text, "chosen": chosen}
    status = 200
    try:
        context |= _results(compare_systems(board=board, systems=systems[:COMPARED]), _read_points(request))
    except NotComparable:
        if systems and len(chosen) < min(len(systems), COMPARED):
            status = status_of("not-found")
            context["refusal"] = _("Not all of these systems are on this leaderboard; one may be withdrawn.")
        elif chosen:
            context["hint"] = _("You chose one system. Choose one more.")
    metric = visibility.ranked_metric(board)
    context["offered"] = [
        (row, visibility.score_words(metric, row.score, row.metrics))
        for row in (*chosen[COMPARED:], *_offered(board, text, chosen))
    ]
    return render(request, "web/boards/compare.html", context, status=status)


def read_systems(request: HttpRequest) -> list[int]:
    """Return the distinct primary keys of systems in a request; anything else is ignored."""
    values = request.GET.getlist("system")[: 8 * _MOST_READ]
    return list(dict.fromkeys(filter(None, map(read_key, values))))[:_MOST_READ]


def _comparable(board: Board) -> StandingQuerySet[Standing]:
    return Standing.objects.filter(board=board).defer("breakdowns", "group_metrics", "search").best_first()


def _offered(board: Board, text: str, chosen: Sequence[Standing]) -> list[Standing]:
    """Return rows to choose from: those that match `text`, or the first of the board."""
    rows = _comparable(board)
    if term := fold_case(text):
        rows = rows.exclude(kind=Kind.BASELINE).filter(search__contains=term)
    else:
        rows = rows.filter(kind=Kind.RESCORED)
    return list(rows.exclude(pk__in=[row.pk for row in chosen])[:_OFFERED])


def _read_points(request: HttpRequest) -> float:
    """Return the difference that matters to the reader, in points from 0.5 to 100; 5 without one."""
    try:
        points = round(float(request.GET.get("difference", "")), 1)
    except ValueError:
        return 5.0
    return points if 0.5 <= points <= 100 else 5.0


def _results(comparison: Comparison, points: float) -> dict[str, Any]:
    rows = [side.standing for side in comparison.sides]
    conditions = side_by_side(rows, translated)
    return {
        "sides": comparison.sides,
        "headline": answer_of(comparison),
        "note": note_of(comparison),
        "hidden": hidden_of(comparison),
        "report": report_of(comparison),
        "points": f"{points:g}",
        "needed": needed_of(comparison, points),
        "differing": [line for line in conditions if len(set(line[1])) > 1],
        "same": [line for line in conditions if len(set(line[1])) == 1],
        "score": visibility.ranked_metric(comparison.board),
        "names_kind": any(row.kind != Kind.RESCORED for row in rows),
        "names_judge": any(row.judge for row in rows),
    }
