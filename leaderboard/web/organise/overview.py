"""The first page of the desk: what needs the organiser now. And the page of each board."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import ApprovalStatus, Status, Submission, TeamApproval
from leaderboard.services.desk import attention
from leaderboard.services.desk.attention import Need, NeedKind
from leaderboard.services.desk.submissions import SubmissionState
from leaderboard.services.health.queues import Queue
from leaderboard.web.organise.access import boards_of, desk_page, find_board
from leaderboard.web.organise.words import tools_of
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
    labels = {
        Queue.SHORT: _("Files, for their score"),
        Queue.LONG: _("Large files, and files that a language model judges"),
        Queue.JUDGE: _("Files that a judge could not finish yet"),
        Queue.STATISTICS: _("Leaderboards, for their statistics"),
    }
    context = {
        "lines": [_line(need) for need in attention.needs(boards)],
        "organised": boards,
        "state": state,
        "queues": [(labels[queue], waiting) for queue, waiting in state.waiting],
        "tab": "now",
    }
    return render(request, "web/organise/overview.html", context)


@desk_page("GET")
def board(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show a board's settings, and what its organiser can do."""
    found = find_board(request, slug)
    submissions = Submission.objects.filter(benchmark=found)
    asked = TeamApproval.objects.filter(benchmark=found, status=ApprovalStatus.REQUESTED)
    context = {
        "benchmark": found,
        "tools": tools_of(found),
        "scored": submissions.filter(status=Status.SCORED).count(),
        "published": submissions.published().count(),
        "asked": asked.count(),
        "organisers": found.organisers.select_related("user").order_by("user__email"),
    }
    return render(request, "web/organise/board.html", context)


@desk_page("GET")
def similar(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the families of similar files among the last ones of a board."""
    found = find_board(request, slug)
    families = attention.similar_files(found)
    members = {one.pk for family in families.families for one in family.submissions} if families else set()
    context = {
        "benchmark": found,
        "found": families,
        "reviewed": attention.reviewed_among(members),
    }
    return render(request, "web/organise/similar.html", context)


def _line(need: Need) -> NeedLine:
    text, action = _words(need)
    return NeedLine(
        need=need,
        text=text,
        action=action,
        address=_address(need),
        is_urgent=need.kind in (NeedKind.FAILED, NeedKind.STUCK, NeedKind.STORAGE),
    )


def _words(need: Need) -> tuple[str, str]:
    """Return what a need is, and what its link says."""
    n = need.count
    match need.kind:
        case NeedKind.FAILED:
            text = ngettext("%(n)s submission failed", "%(n)s submissions failed", n)
            return text % {"n": n}, _("Look, and try again")
        case NeedKind.STUCK:
            text = ngettext(
                "%(n)s submission has waited too long", "%(n)s submissions have waited too long", n
            )
            return text % {"n": n}, _("Look, and resume")
        case NeedKind.APPROVALS:
            text = ngettext("%(n)s team asks for approval", "%(n)s teams ask for approval", n)
            return text % {"n": n}, _("Decide")
        case NeedKind.SUSPECTS:
            text = ngettext(
                "%(n)s submission has answers that address the judge",
                "%(n)s submissions have answers that address the judge",
                n,
            )
            return text % {"n": n}, _("Review")
        case NeedKind.SIMILAR:
            text = ngettext("%(n)s group of similar files", "%(n)s groups of similar files", n)
            return text % {"n": n}, _("Review")
        case NeedKind.STORAGE:
            return _("%(n)s%% of the room for files is taken") % {"n": n}, _("See the leaderboard")


def _address(need: Need) -> str:
    slug = need.board.slug
    states = {
        NeedKind.FAILED: SubmissionState.NEEDS_ACTION,
        NeedKind.STUCK: SubmissionState.STUCK,
        NeedKind.SUSPECTS: SubmissionState.SUSPECT,
    }
    if state := states.get(need.kind):
        query = urlencode({"board": slug, "state": state.value})
        return f"{reverse('web:organise-submissions')}?{query}"
    if need.kind == NeedKind.SIMILAR:
        return reverse("web:organise-similar", args=[slug])
    if need.kind == NeedKind.APPROVALS:
        return reverse("web:organise-teams", args=[slug])
    return reverse("web:organise-board", args=[slug])
