"""Boards on other sites: badges, cards and a table for a frame, without cookies."""

from functools import wraps
from typing import Any

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import tasks_of
from leaderboard.services.boards.summary import summary_of
from leaderboard.services.boards.system import find_public_system
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.pictures.badge import badge_json, badge_of, badge_svg
from leaderboard.services.pictures.card import card_of_board, card_of_system, card_png
from leaderboard.services.text import read_key, tasks_words
from leaderboard.services.turns import TooBusy
from leaderboard.web.boards.filters import chosen_filters
from leaderboard.web.boards.summary import describe_finding
from leaderboard.web.shared.as_of import query_of
from leaderboard.web.shared.caching import View, board_cached, picture_cached
from leaderboard.web.shared.error_pages import too_busy
from leaderboard.web.shared.urls import permanent_url
from leaderboard.web.templatetags.languages import translated

_ROWS, _MOST_ROWS = 10, 100
_SCHEMES = ("light", "dark")


@require_safe
@picture_cached
def badge(request: HttpRequest, slug: str, pk: int, form: str) -> HttpResponse:
    """Return the badge of a system, in English. form: `svg`, or `json` for shields.io."""
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    content = badge_of(board=board, system_id=pk)
    if form == "json":
        return JsonResponse(badge_json(content))
    return HttpResponse(badge_svg(content), content_type="image/svg+xml")


@require_safe
@picture_cached
def board_card(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    board_at = BoardAt(board)
    finding = describe_finding(summary_of(Query(board_at=board_at)))
    sentence = finding.sentence if finding else translated(board.question)
    return _picture(card_of_board(board_at=board_at, finding=sentence))


@require_safe
@picture_cached
def system_card(request: HttpRequest, pk: int) -> HttpResponse:
    return _picture(card_of_system(find_public_system(pk=pk)))


def _picture(card: str) -> HttpResponse:
    try:
        body = card_png(card)
    except TooBusy:
        return too_busy()
    return HttpResponse(body, content_type="image/png")


def for_frames(view: View) -> View:
    """Decorate a page that any site may frame, but for its errors."""
    allow_any_frame = csp_replace({"frame-ancestors": ["*"]})

    @wraps(view)
    def framed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if response.status_code in (200, 304):
            # Each decorator marks the response that the view returns.
            xframe_options_exempt(allow_any_frame(lambda request: response))(request)
        return response

    return framed


@require_safe
@for_frames
@board_cached
def embed(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the first rows of a board, on the only page that another site may frame."""
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    query = query_of(request, board).of_one_judge()
    page = read_board(query, size=min(read_key(request.GET.get("rows", "")), _MOST_ROWS) or _ROWS)
    scheme = request.GET.get("scheme", "")
    context = {
        "board": board,
        "query": query,
        "page": page,
        "chosen": [text for text, _rest in chosen_filters(query.with_filters(judge=""), with_search=True)],
        "judge": query.judge or query.board_at.compared_judge,
        "score": visibility.ranked_metric(board),
        "tasks": tasks_words(tasks_of(query.board_at)),
        "axis": axis_of([row.standing for row in page.rows]),
        "has_places": any(row.place.is_known for row in page.rows),
        "provenance": query.board_at.provenance,
        "page_url": reverse("web:board", args=[slug]) + query.as_query_string(page=1),
        "cited": permanent_url(request, query),
        "scheme": scheme if scheme in _SCHEMES else "",
    }
    return render(request, "web/sharing/embed.html", context)
