"""List the traces of a submission, show that of a task, and what looks like a name or a key in them."""

from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.urls import reverse
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.base import ApiView, respond
from leaderboard.api.schema.operation import Operation
from leaderboard.api.traces.schema import (
    TaskTraceSchema,
    TracedMessageSchema,
    TracedTaskSchema,
    TraceFindingsSchema,
    TracesSchema,
)
from leaderboard.http.rates import PostThrottle
from leaderboard.http.readers import reader_of
from leaderboard.models import Submission
from leaderboard.services.access import find_own, may_read_as_team
from leaderboard.services.traces.read import find_traced, read_trace, traced_runs
from leaderboard.services.traces.sharing import preview
from wardboard.scoring.reading.problems import Problem

_RUN = {
    "name": "run",
    "in": "query",
    "description": "Number of the run, from 1; without it the first with a trace.",
    "schema": {"type": "integer", "minimum": 1, "maximum": 99},
}


class TracesView(ApiView):
    @Operation(
        id="listTraces",
        tag="submissions",
        summary="The tasks of a submission that have a trace",
        description="For the submission's own team and organisers, and for everyone where the team made them "
        "public.",
        answer=TracesSchema,
        refusals=["storage-away"],
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        submission = find_traced(reader_of(request), submission_id)
        tasks = [
            TracedTaskSchema(task_id=task_id, runs=[*runs], url=_address(submission, task_id))
            for task_id, runs in traced_runs(submission).items()
        ]
        return respond(TracesSchema(public=submission.has_public_traces, tasks=tasks))


class TraceView(ApiView):
    run: int | None = None

    def read_parameters(self, request: Request) -> list[Problem]:
        stated = request.query_params.get("run", "")
        if not stated:
            return []
        if stated.isascii() and stated.isdecimal() and 0 < int(stated) < 100:
            self.run = int(stated)
            return []
        message = "`run` is not a number from 1 to 99."
        hint = "GET the list of traces to see the runs of each task."
        return [Problem(code="request.value-invalid", pointer="/run", message=message, hint=hint)]

    @Operation(
        id="getTrace",
        tag="submissions",
        summary="What the agent did at a task: messages, calls of tools and their replies",
        description="For the same readers as the list of traces.",
        parameters=[_RUN],
        answer=TaskTraceSchema,
        refusals=["storage-away"],
    )
    def get(self, request: Request, submission_id: UUID, task_id: str) -> HttpResponse:
        submission = find_traced(reader_of(request), submission_id)
        run = self.run or min(traced_runs(submission).get(task_id, ()), default=1)
        trace = read_trace(submission, task_id=task_id, run=run)
        messages = msgspec.convert(trace.messages, list[TracedMessageSchema], from_attributes=True)
        return respond(TaskTraceSchema(task_id=task_id, run=run, messages=messages, left_out=trace.left_out))


class TraceFindingsView(ApiView):
    permission_classes = [IsAuthenticated]
    throttle_classes = [PostThrottle]
    throttle_scope = "submissions"

    @Operation(
        id="listTraceFindings",
        tag="submissions",
        summary="What looks like a name or a key in the traces that would become public",
        description="For the submission's own team: read it before you publish with `public_traces`.",
        answer=TraceFindingsSchema,
        refusals=["wrong-state", "busy", "storage-away"],
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        submission = find_own(reader_of(request), submission_id, may_read_as_team)
        return respond(msgspec.convert(preview(submission), TraceFindingsSchema, from_attributes=True))


def _address(submission: Submission, task_id: str) -> str:
    return reverse("api:trace", args=[submission.pk, task_id])
