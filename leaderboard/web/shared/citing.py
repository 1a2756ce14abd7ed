"""The citation of a leaderboard, as a sentence and as an address that will always show the same table."""

from django.http import HttpRequest
from django.utils.translation import gettext as _

from leaderboard.services.boards.query import Query
from leaderboard.web.shared.urls import permanent_url
from leaderboard.web.templatetags.languages import day, translated


def cite_table(request: HttpRequest, query: Query) -> dict[str, str]:
    """Return `citation`, a sentence in the language of the page, and `cited_url`, the address in it."""
    board_at = query.board_at
    state = board_at.board.state
    number, at = (
        (board_at.as_of.number, board_at.as_of.at) if board_at.as_of else (state.number, state.changed_at)
    )
    address = permanent_url(request, query, state.number)
    template = _("Wardboard. %(title)s: leaderboard as of %(date)s (event %(number)s). %(address)s")
    values = {"title": translated(board_at.board.title), "date": day(at), "number": number}
    return {"citation": template % {**values, "address": address}, "cited_url": address}
