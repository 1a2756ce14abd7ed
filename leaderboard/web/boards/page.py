"""The page of a board: its table and everything around it."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from leaderboard.http.conditional import is_anonymous, stamp
from leaderboard.models import Board, System
from leaderboard.services.boards.page import BoardPage, read_divided
from leaderboard.services.boards.query import Query, filter_choices
from leaderboard.services.judging.judge import current_identity
from leaderboard.web.boards.filters import chosen_filters, filters
from leaderboard.web.boards.summary import describe_finding
from leaderboard.web.boards.tables import Tables
from leaderboard.web.shared.as_of import as_of_context, query_of
from leaderboard.web.shared.caching import board_cached


@require_safe
@board_cached
def board(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    query = query_of(request, board)
    address = reverse("web:board", args=[slug])
    canonical = address + query.as_query_string()
    is_partial = request.headers.get("HX-Request") == "true"
    # A form without script is submitted with its empty fields.
    if "" in request.GET.values() and not is_partial:
        return HttpResponseRedirect(canonical)
    page = read_divided(query)
    context = _context(request, page, address)
    if is_partial:
        response = render(request, "web/boards/partials/results.html", {**context, "is_partial": True})
        # The canonical address, without the empty fields of the form.
        response["HX-Push-Url"] = canonical
        return response
    context |= {
        "canonical": canonical,
        "judge_of_files": current_identity(board),
        "filters": filters(query, filter_choices(query.board_at)),
        "explained": page.explained,
        "second_table": board.is_season and not query.board_at.is_past,
        "cache_key": _cache_key(query),
        **as_of_context(query),
    }
    return render(request, "web/boards/page.html", context)


def _context(request: HttpRequest, page: BoardPage, action: str) -> dict[str, Any]:
    query = page.query
    tables = Tables(page=page, own=_own_systems(request, page), action=action)
    return {
        "board": page.board,
        "query": query,
        "page": page,
        "tables": tables,
        # Rendered here and not deep in the templates, where CPython may fetch memory for each call.
        "rows": tables.main.body,
        "action": action,
        "finding": describe_finding(page.finding, is_one_look=query.board_at.is_one_look),
        "chosen_filters": chosen_filters(query),
        "as_of_query": query.cleared().as_query_string(),
        "query_params": QueryDict(query.as_query_string(page=1)[1:]),
    }


def _own_systems(request: HttpRequest, page: BoardPage) -> frozenset[int]:
    """Return the systems on the page that belong to teams of the reader; none for a visitor."""
    # A visitor has no session, and the page without marks is the one that caches keep.
    if is_anonymous(request) or not request.user.is_authenticated:
        return frozenset()
    rows = [*page.rows, *(row for section in page.sections for row in section.rows)]
    keys = [row.standing.system_id for row in rows]
    own = System.objects.filter(pk__in=keys, team__members=request.user.pk)
    return frozenset(own.values_list("pk", flat=True))


def _cache_key(query: Query) -> str:
    """Return the cache key of the parts of the page that no query changes."""
    board, as_of = query.board_at.board, query.board_at.as_of
    state, at = board.state, (as_of.number, query.as_of) if as_of else ""
    parts = (
        *(stamp(), board.pk, state.revision, state.changed_at.timestamp(), at, get_language()),
        # These raise the revision too, but hidden figures must not depend on that alone.
        *(board.feedback, board.active_revision_id, board.judge_mode),
    )
    return ":".join(map(str, parts))
