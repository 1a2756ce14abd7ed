"""List the traces of a submission, and show that of a task."""

from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.urls import reverse
from rest_framework.request import Request

from leaderboard.api.base import ApiView, respond
from leaderboard.api.parameters.query import invalid_value
from leaderboard.api.schema.operation import Operation
from leaderboard.api.traces.schema import (
    TaskTraceSchema,
    TracedMessageSchema,
    TracedTaskSchema,
    TracesSchema,
)
from leaderboard.http.readers import reader_of
from leaderboard.services.traces.read import find_traced, read_trace, traced_runs
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
            TracedTaskSchema(task_id=task, runs=[*runs], url=reverse("api:trace", args=[submission.pk, task]))
            for task, runs in traced_runs(submission).items()
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
        hint = "GET the list of traces to see the runs of each task."
        return [invalid_value("run", "`run` is not a number from 1 to 99.", hint)]

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
