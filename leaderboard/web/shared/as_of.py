"""Read `as_of` from a request, and describe the past board for its pages."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.http.problems import as_response, mark_refused, problem_document, status_of
from leaderboard.models import Board
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, read_query, unknown_value
from leaderboard.services.exports.tables import REMOVED
from leaderboard.services.record import past
from leaderboard.services.record.as_of import log_start
from leaderboard.services.record.recorded_board import RecordedBoard

_FORMS = (
    "A day, of which the end (UTC) counts: as_of=2026-11-01; or the number of an event of the leaderboard's "
    "log: as_of=57. Not in the future."
)


class UnknownValues(Exception):
    """Parameters have values that the board does not have.

    A page says so beside its rows, except of `as_of`: today's rows would pass for those of the past. A
    file has no place to say so.
    """

    def __init__(self, query: Query, *, is_of_file: bool) -> None:
        super().__init__(query.unknown_as_of or query.explain_unknown())
        self.query, self.is_of_file = query, is_of_file


def query_of(request: HttpRequest, board: Board, *, is_of_file: bool = False) -> Query:
    """Read the query for a file, or a page, which has to show `unknown` but `as_of`. Raises UnknownValues."""
    query = read_query(request.GET, board)
    if query.unknown_as_of or (is_of_file and query.unknown):
        raise UnknownValues(query, is_of_file=is_of_file)
    return query


def choice_of(request: HttpRequest, board: Board, name: str, choices: Sequence[str]) -> str:
    """Return how a picture is wanted: one of `choices`, by default the first. Raises UnknownValues."""
    value = request.GET.get(name) or choices[0]
    if value not in choices:
        unknown = (unknown_value(name, value, choices),)
        raise UnknownValues(Query(board_at=BoardAt(board), unknown=unknown), is_of_file=True)
    return value


def explain(request: HttpRequest, error: UnknownValues) -> HttpResponse:
    """Return the answer to a request with unknown values: 400 and the values that there are.

    For a file it is text, or for JSON a problem document, in English, since programs read it.

    Source: RFC 9457, section 3.
    """
    query, code = error.query, "parameter-invalid"
    if not error.is_of_file:
        context = {"board": query.board, "unknown_as_of": query.unknown_as_of}
        return render(request, "web/shared/no_such_moment.html", context, status=status_of(code))
    detail, hint = query.explain_unknown(), query.suggest_known()
    if query.unknown_as_of:
        detail, hint = f"as_of={query.unknown_as_of} names no moment of the leaderboard's record.", _FORMS
    if request.path.endswith(".json"):
        return as_response(problem_document(code, detail, request=request, hint=hint))
    return mark_refused(HttpResponse(f"{detail}\n{hint}\n", content_type="text/plain; charset=utf-8"), code)


def as_of_context(query: Query) -> dict[str, Any]:
    """Return the context of a page about its `as_of`.

    as_of_query: the query string of links to other pages as of the same event
    chart_query: the query string of links to charts, which keep the filters
    """
    board, as_of = query.board_at.board, query.board_at.as_of
    today_query = query.as_query_string(as_of="", page=1)
    return {
        "as_of": as_of,
        "as_of_query": query.cleared().as_query_string(),
        "chart_query": query.as_query_string(page=1),
        "form_fields": parse_qsl(today_query.removeprefix("?")),
        "today_query": today_query,
        "log_start": RecordedBoard(board).remember("begins", lambda: log_start(board)),
        "is_before_log": as_of is not None and as_of.number == 0,
        "today": timezone.now().date(),
        "board_today": reverse("web:board", args=[board.slug]),
    }


def describe_removal(removal: past.Removal) -> str:
    """Describe how a row was removed from the board, with the reason."""
    label = _(REMOVED[removal.action])
    return _("%(what)s: %(reason)s") % {"what": label, "reason": removal.reason} if removal.reason else label
