"""Whole addresses, for what is read elsewhere: citations, exports, feeds, badges."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation

from leaderboard.services.boards.query import Query


def whole(request: HttpRequest, name: str, *args: object) -> str:
    """Return the address of a page in the language of the request."""
    return request.build_absolute_uri(reverse(name, args=args))


def cited(request: HttpRequest, query: Query, event: int) -> str:
    """Return the address, in English, at which the table for `query` stays as it is at the event."""
    board = query.board
    number = board.as_of.number if board.as_of else event
    asked = query.as_query_string(as_of=str(number) if number else "", page=1, compare=())
    with translation.override("en"):
        return whole(request, "web:board", board.benchmark.slug) + asked
