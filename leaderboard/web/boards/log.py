"""The log of a board: a page of its changes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services.record.chain import read_heads
from leaderboard.services.record.log import changelog
from leaderboard.web.shared.caching import board_cached


@require_safe
@board_cached
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    log = changelog(board=board, page=request.GET.get("page", "1")[:10])
    context = {"board": board, "log": log, "head": read_heads([slug]).get(slug)}
    return render(request, "web/boards/log.html", context)
