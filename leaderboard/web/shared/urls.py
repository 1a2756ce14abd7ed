"""Absolute URLs, for citations, exports, feeds and badges, which are read elsewhere."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from leaderboard.services.boards.query import Query
from leaderboard.web.templatetags.languages import day, translated


def absolute_url(request: HttpRequest, name: str, *args: object) -> str:
    """Return the URL of a page, with scheme and host, in the language of the request."""
    return request.build_absolute_uri(reverse(name, args=args))


def permanent_url(request: HttpRequest, query: Query) -> str:
    """Return the English URL that will always show the table for `query` as it is now."""
    board_at = query.board_at
    number = board_at.number
    params = query.as_query_string(as_of=str(number) if number else "", page=1)
    with translation.override("en"):
        return absolute_url(request, "web:board", board_at.board.slug) + params


def cite_table(request: HttpRequest, query: Query) -> dict[str, str]:
    """Return `citation`, a sentence in the language of the page, and `cited_url`, the address in it."""
    board_at = query.board_at
    at = board_at.as_of.at if board_at.as_of else board_at.board.state.changed_at
    address = permanent_url(request, query)
    template = _("Wardboard. %(title)s: leaderboard as of %(date)s (event %(number)s). %(address)s")
    values = {"title": translated(board_at.board.title), "date": day(at), "number": board_at.number}
    return {"citation": template % {**values, "address": address}, "cited_url": address}
