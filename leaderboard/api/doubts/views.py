"""Report a doubtful reference answer, and list the team's own reports."""

from collections.abc import Mapping
from uuid import UUID

from django.http import HttpResponse
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.base import ApiView, respond, user_of
from leaderboard.api.doubts.schema import DoubtFields, DoubtListSchema, DoubtSchema
from leaderboard.api.schema.operation import Operation, SuccessResponse
from leaderboard.http.rates import PostThrottle
from leaderboard.http.readers import reader_of
from leaderboard.models import Doubt, DoubtKind, DoubtState
from leaderboard.services.access import find_own, may_read_as_team
from leaderboard.services.doubts import reports


class DoubtsView(ApiView):
    fields = DoubtFields
    permission_classes = [IsAuthenticated]
    throttle_classes = [PostThrottle]
    throttle_scope = "submissions"

    @Operation(
        id="listDoubts",
        tag="submissions",
        summary="The team's reports of doubtful reference answers on a submission's leaderboard",
        description="For the submission's own team.",
        answer=DoubtListSchema,
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        submission = find_own(reader_of(request), submission_id, may_read_as_team)
        rows = reports.reports_of(board=submission.board, team=submission.team)
        return respond(DoubtListSchema(doubts=[_show(doubt) for doubt in rows]))

    @Operation(
        id="reportDoubt",
        tag="submissions",
        summary="Report to the organisers that the reference answer of a task may be wrong",
        description="Only the team and the organisers see it, and the answer says nothing about the "
        "reference or the verdict. A second report of a task replaces the first while that is open.",
        answer=[SuccessResponse(status=201, body=DoubtSchema)],
        refusals=["wrong-state", "request-invalid", "quota-spent"],
    )
    def post(self, request: Request, submission_id: UUID) -> HttpResponse:
        sent = request.data if isinstance(request.data, Mapping) else {}
        doubt = reports.report(
            submission_id=submission_id,
            team=find_own(reader_of(request), submission_id).team,
            by=user_of(request),
            task_id=sent.get("task_id", ""),
            kind=sent.get("reason", ""),
            text=sent.get("text", ""),
        )
        return respond(_show(doubt), status=201)


def _show(doubt: Doubt) -> DoubtSchema:
    return DoubtSchema(
        task_id=doubt.task_id,
        reason=DoubtKind(doubt.kind),
        text=doubt.text,
        reported_at=doubt.reported_at,
        state=DoubtState(doubt.state),
        answer=doubt.answer,
        decided_at=doubt.decided_at,
    )
