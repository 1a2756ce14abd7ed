"""The teams of a board: requests for approval, and the organiser's decisions."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from leaderboard.models import ApprovalStatus, Board, TeamApproval
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing import approvals
from leaderboard.services.publishing.disqualify import ReasonRefused
from leaderboard.web.organise.access import desk_page
from leaderboard.web.organise.words import counted
from leaderboard.web.shared.signed_in_request import SignedInRequest


@desk_page("GET")
def teams(request: SignedInRequest, board: Board) -> HttpResponse:
    """Show who asks for approval, who was decided on."""
    rows = TeamApproval.objects.filter(board=board).select_related("team", "requested_by", "decided_by")
    context = {
        "board": board,
        "asking": [
            (approval, approvals.waiting_for(approval).select_related("system", "evaluation"))
            for approval in rows.filter(status=ApprovalStatus.REQUESTED).order_by("requested_at")
        ],
        "decided": rows.exclude(status=ApprovalStatus.REQUESTED).order_by("-decided_at"),
    }
    return render(request, "web/organise/teams.html", context)


@desk_page("POST")
def decide(request: SignedInRequest, board: Board, pk: int, decision: str) -> HttpResponse:
    """Approve a team, or refuse it with an answer that it sees."""
    approval = get_object_or_404(TeamApproval.objects.select_related("team", "board"), pk=pk, board=board)
    if decision not in ("approve", "refuse"):
        raise Http404
    try:
        messages.success(request, _decide(request, approval, decision))
    except (ReasonRefused, WrongState) as error:
        messages.error(request, error.detail)
    return redirect("web:organise-teams", slug=board.slug)


def _decide(request: SignedInRequest, approval: TeamApproval, decision: str) -> str:
    """Carry out a decision; return a sentence about it. Raises WrongState where someone was faster."""
    seen = request.POST.get("seen", "")
    if decision == "refuse":
        answer = request.POST.get("answer", "")
        approvals.refuse(approval=approval, by=request.user, answer=answer, seen=seen)
        return f"{approval.team} is not approved."
    published, refusals = approvals.approve(approval=approval, by=request.user, seen=seen)
    text = f"{approval.team} is approved."
    if published:
        text += f" {counted(published, 'result')} of it {'was' if published == 1 else 'were'} published."
    if refusals:
        text += f" Not published: {counted(len(refusals), 'result')}. {' '.join(dict.fromkeys(refusals))}"
    return text
