"""What a team may still send to a board."""

from datetime import datetime

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.base import ApiView, get_board, respond, user_of, viewer_of
from leaderboard.api.operation import Operation
from leaderboard.api.serializers.accounts import AllowanceSerializer
from leaderboard.api.serializers.forms import TeamQuery
from leaderboard.http.addresses import sender_digest
from leaderboard.models import Board, Team, TeamApproval
from leaderboard.services.submissions import quotas


class AllowanceView(ApiView):
    permission_classes = [IsAuthenticated]

    @Operation(
        id="getAllowance",
        tag="submissions",
        summary="How many files your team may still send to a leaderboard, and when each limit renews",
        query=TeamQuery,
        answer=AllowanceSerializer,
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        board, team, now = get_board(slug), viewer_of(request), timezone.now()
        allowance = _allowance(request, board, team, now)
        approval = TeamApproval.objects.filter(board=board, team=team).first() if team else None
        status = approval.status if approval else "not-requested"
        lane = Board.objects.filter(unranked_lane_of=board).first()
        of_lane = _allowance(request, lane, team, now) if lane else None
        shown = {
            "left": allowance.left,
            "limits": allowance.limits,
            "approval": status if board.needs_approval else "not-needed",
            "answer": approval.answer if approval else "",
            "needs_verified_email": allowance.needs_verified_email,
            "unranked_lane": {"benchmark": lane.slug, "left": of_lane.left, "limits": of_lane.limits}
            if lane and of_lane
            else None,
        }
        return respond(AllowanceSerializer(shown).data)


def _allowance(request: Request, board: Board, team: Team | None, now: datetime) -> quotas.Allowance:
    return quotas.allowance(board, team, user_of(request), now, digest=sender_digest(request))
