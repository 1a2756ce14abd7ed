"""Boards as they stood at a moment: reading `as_of`, and what pages say of it and of the time since."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.http.problems import problem_document, respond
from leaderboard.models import Benchmark, BoardAction
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, read_query
from leaderboard.services.record import past
from leaderboard.services.record.as_of import first_event
from leaderboard.services.record.board_at import RecordedBoard

View = Callable[..., HttpResponse]
_NAMED = 5


class UnknownAsOf(Exception):
    """`as_of` names no event of the board; the rows of today would be taken for those of the past."""

    def __init__(self, benchmark: Benchmark, said: str) -> None:
        super().__init__(said)
        self.benchmark, self.said = benchmark, said


def query_of(request: HttpRequest, benchmark: Benchmark) -> Query:
    """Return what the request asks of the board. Raises UnknownAsOf."""
    query = read_query(request.GET, benchmark)
    if query.unknown_as_of:
        raise UnknownAsOf(benchmark, query.unknown_as_of)
    return query


def moments_told(view: View) -> View:
    """Decorate a view that calls `query_of`: where no moment is named, 400 and how one is."""

    @wraps(view)
    def told(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except UnknownAsOf as error:
            context = {"benchmark": error.benchmark, "said": error.said, "first": first_of(error.benchmark)}
            return render(request, "web/shared/no_such_moment.html", context, status=400)

    return told


_WAYS = (
    "A day, of which the end (UTC) counts: as_of=2026-11-01; a time: as_of=2026-11-01T14:30Z; or the number "
    "of an event of the board's log: as_of=57. Not in the future."
)


def moments_told_in_files(view: View) -> View:
    """The same of a view that makes a file, for programs: as text; of JSON as a problem document. In English.

    Source: RFC 9457, section 3.
    """

    @wraps(view)
    def told(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except UnknownAsOf as error:
            detail = f"as_of={error.said} names no moment of the board's record."
            if not request.path.endswith(".json"):
                said = f"{detail}\n{_WAYS}\n"
                return HttpResponse(said, status=400, content_type="text/plain; charset=utf-8")
            return respond(problem_document("parameter-invalid", detail, request=request, hint=_WAYS))

    return told


def first_of(benchmark: Benchmark) -> datetime | None:
    """Return when the board's record begins; None where there is none."""

    def make() -> datetime | None:
        event = first_event(benchmark)
        return event.at if event else None

    return RecordedBoard(benchmark).remember("begins", make)


def about_as_of(query: Query) -> dict[str, Any]:
    """Return what a page says of the moment that it shows. at: what links to other pages of the same moment
    end with; carried: those to views, which take the filters along. kept: what goes along to another moment;
    as_today: the same for a link to now. gone: the name of each row that stands no longer, and why, up to
    five; gone_more: the others."""
    benchmark, as_of = query.board.benchmark, query.board.as_of
    gone = _gone(query.board)
    as_today = query.as_query_string(as_of="", page=1, compare=())
    return {
        "moment": as_of,
        "at": query.cleared().as_query_string(),
        "carried": query.as_query_string(columns=None, page=1, compare=()),
        "kept": parse_qsl(as_today.removeprefix("?")),
        "as_today": as_today,
        "began": first_of(benchmark),
        "is_before": as_of is not None and as_of.number == 0,
        "today": timezone.now().date(),
        "board_today": reverse("web:board", args=[benchmark.slug]),
        "gone": gone[:_NAMED],
        "gone_more": gone[_NAMED:],
    }


def _gone(board: BoardAt) -> list[tuple[str, str]]:
    found = board.removals
    if not found:
        return []
    rows = board.rows.filter(system__in=found)
    names = rows.best_first().values_list("system", "name")
    return [(name, words_on_gone(found[system])) for system, name in names]


def words_on_gone(gone: past.Removal) -> str:
    """Return what became of a row since, with the reason."""
    words = {
        BoardAction.WITHDRAWN: _("withdrawn since"),
        BoardAction.DISQUALIFIED: _("disqualified since"),
        BoardAction.UNLISTED: _("taken off since"),
    }
    said = words[gone.action]
    return _("%(what)s: %(reason)s") % {"what": said, "reason": gone.reason} if gone.reason else said
