"""The first page of the desk: what needs the organiser now. And the page of each board."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from leaderboard.models import Status, Submission
from leaderboard.services.desk import attention
from leaderboard.services.desk.attention import Need, NeedKind
from leaderboard.services.health.queues import Queue
from leaderboard.services.notifications.words import need_path, need_words
from leaderboard.web.organise.access import boards_of, desk_page, find_board
from leaderboard.web.organise.words import describe_queue, tools_of
from leaderboard.web.shared.signed_in_request import SignedInRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedLine:
    """A need in words, and the page where the organiser acts on it."""

    need: Need
    text: str
    action: str
    address: str
    is_urgent: bool


@desk_page("GET")
def overview(request: SignedInRequest) -> HttpResponse:
    boards = boards_of(request)
    state = attention.service_state()
    context = {
        "lines": [_line(need) for need in attention.list_needs(boards)],
        "organised": boards,
        "state": state,
        "queues": [
            describe_queue(queue, waiting)
            for queue, waiting in state.waiting
            if waiting.count or queue in (Queue.SHORT, Queue.STATISTICS)
        ],
        "tab": "now",
    }
    return render(request, "web/organise/overview.html", context)


@desk_page("GET")
def board(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show a board's settings, and what its organiser can do."""
    board = find_board(request, slug)
    submissions = Submission.objects.filter(board=board)
    context = {
        "board": board,
        "tools": tools_of(board),
        "scored": submissions.filter(status=Status.SCORED).count(),
        "published": submissions.published().count(),
        "lines": [_line(need) for need in attention.list_needs(boards_of(request).filter(pk=board.pk))],
        "organisers": board.organisers.select_related("user").order_by("user__email"),
    }
    return render(request, "web/organise/board.html", context)


@desk_page("GET")
def similar(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the families of similar files among the last ones of a board."""
    board = find_board(request, slug)
    families = attention.similar_files(board)
    members = (
        {submission.pk for family in families.families for submission in family.submissions}
        if families
        else set()
    )
    context = {
        "board": board,
        "found": families,
        "reviewed": attention.reviewed_among(members),
    }
    return render(request, "web/organise/similar.html", context)


def _line(need: Need) -> NeedLine:
    return NeedLine(
        need=need,
        text=need_words(need.kind, need.count),
        action=_action(need.kind),
        address=need_path(need.kind, need.board.slug),
        is_urgent=need.kind in (NeedKind.FAILED, NeedKind.STUCK, NeedKind.STORAGE),
    )


def _action(kind: NeedKind) -> str:
    """Return what the link says beside a need."""
    actions = {
        NeedKind.FAILED: _("Look, and try again"),
        NeedKind.STUCK: _("Look, and resume"),
        NeedKind.APPROVALS: _("Decide"),
        NeedKind.DOUBTS: _("Decide"),
        NeedKind.OUTDATED: _("Rescore"),
        NeedKind.STORAGE: _("See the leaderboard"),
    }
    return actions.get(kind) or _("Review")
