"""The teams of a board: requests for approval, and the organiser's decisions."""

from datetime import UTC, datetime, time

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from leaderboard.http.problems import INVALID
from leaderboard.models import ApprovalStatus, TeamApproval, TeamQuota
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing import approvals
from leaderboard.services.publishing.team_quotas import end_quota, grant_quota
from leaderboard.web.organise.access import desk_page, find_board
from leaderboard.web.organise.forms import QuotaForm
from leaderboard.web.organise.words import counted
from leaderboard.web.shared.signed_in_request import SignedInRequest


@desk_page("GET", "POST")
def teams(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show who asks for approval, who was decided on, and limits of single teams; set such limits."""
    board = find_board(request, slug)
    form = QuotaForm(request.POST if request.method == "POST" else None, board=board)
    if form.is_valid():
        data = form.cleaned_data
        replaced = grant_quota(
            board=board,
            team=data["team"],
            limits=form.limits(),
            reason=data["reason"],
            expires_at=datetime.combine(data["until"], time.max, tzinfo=UTC),
            by=request.user,
        )
        text = f"{data['team']} has these limits now."
        if replaced:
            text += f" They replace those set before: “{replaced}”"
        messages.success(request, text)
        return redirect("web:organise-teams", slug=board.slug)
    rows = TeamApproval.objects.filter(board=board).select_related("team", "requested_by", "decided_by")
    context = {
        "board": board,
        "form": form,
        "quotas": TeamQuota.objects.valid_at(timezone.now())
        .filter(board=board)
        .select_related("team", "granted_by"),
        "asking": [
            (approval, approvals.waiting_for(approval).select_related("system", "evaluation"))
            for approval in rows.filter(status=ApprovalStatus.REQUESTED).order_by("requested_at")
        ],
        "decided": rows.exclude(status=ApprovalStatus.REQUESTED).order_by("-decided_at"),
    }
    return render(request, "web/organise/teams.html", context, status=INVALID if form.errors else 200)


@desk_page("POST")
def decide(request: SignedInRequest, slug: str, pk: int, decision: str) -> HttpResponse:
    """Approve a team, or refuse it with an answer that it sees."""
    board = find_board(request, slug)
    approval = get_object_or_404(TeamApproval.objects.select_related("team", "board"), pk=pk, board=board)
    if decision not in ("approve", "refuse"):
        raise Http404
    try:
        messages.success(request, _decide(request, approval, decision))
    except WrongState as error:
        messages.error(request, str(error))
    return redirect("web:organise-teams", slug=board.slug)


def _decide(request: SignedInRequest, approval: TeamApproval, decision: str) -> str:
    """Carry out a decision; return a sentence about it. Raises WrongState where someone was faster."""
    seen = request.POST.get("seen", "")
    if decision == "refuse":
        answer = request.POST.get("answer", "")
        approvals.refuse(approval=approval, by=request.user, answer=answer, seen=seen)
        return f"{approval.team} is not approved."
    published = approvals.approve(approval=approval, by=request.user, seen=seen)
    text = f"{approval.team} is approved."
    if not published:
        return text
    return f"{text} {counted(published, 'result')} of it {'was' if published == 1 else 'were'} published."


@desk_page("POST")
def end_limits(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Let the limits of the board apply to a team again."""
    board = find_board(request, slug)
    quota = TeamQuota.objects.select_related("team", "board").filter(board=board, pk=pk).first()
    if quota is None:
        messages.info(request, "These limits have ended already.")
    else:
        end_quota(quota=quota, by=request.user)
        messages.success(request, f"{quota.team} has the limits of the leaderboard again.")
    return redirect("web:organise-teams", slug=board.slug)
