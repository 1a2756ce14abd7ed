"""Shapes of traces, and of the tasks that they belong to."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from leaderboard.api.schema.common import Count, NextPage, Positive
from leaderboard.services.traces.tasks import Outcome

_CUT = "Characters at its end that are not stored."


class TracedTaskSchema(Struct, kw_only=True):
    task_id: str
    runs: Annotated[list[Positive], Meta(description="Numbers of the runs with a trace.")]
    url: Annotated[str, Meta(description="Of the trace of its first run.")]


class TracesSchema(Struct, kw_only=True):
    public: Annotated[bool, Meta(description="Whether everyone may read them.")]
    tasks: Annotated[list[TracedTaskSchema], Meta(description="In the order of the file.")]


class TracedCallSchema(Struct, kw_only=True):
    name: str
    arguments: Annotated[Any, Meta(description="JSON, or text where it is long or no JSON.")]
    result: Annotated[Any, Meta(description="Likewise; null without a reply.")]
    cut: Annotated[Count, Meta(description="Characters of both that are not stored.")]


class TracedMessageSchema(Struct, kw_only=True):
    role: Literal["system", "user", "agent"]
    text: str
    calls: Annotated[list[TracedCallSchema], Meta(description="Calls of tools, each with its reply.")]
    cut: Annotated[Count, Meta(description=_CUT)]


class TaskTraceSchema(Struct, kw_only=True):
    task_id: str
    run: Positive
    messages: Annotated[
        list[TracedMessageSchema],
        Meta(description="In order, without the reasoning of a model; `[redacted]` stands for a key."),
    ]
    left_out: Annotated[Count, Meta(description="Messages after these that are not stored.")]


class OwnPostSchema(Struct, kw_only=True):
    target: str
    payload: Annotated[str, Meta(description="As text; JSON is indented.")]
    is_accepted: Annotated[bool, Meta(description="Whether the server accepted it.")]


class ExpectedPostSchema(Struct, kw_only=True):
    target: Annotated[str, Meta(description="The type of the resource.")]
    payload: Annotated[str, Meta(description="One that is right, as indented JSON.")]


class ExpectedWorkSchema(Struct, kw_only=True):
    answers: Annotated[list[str], Meta(description="Any of them is right; empty where no answer is read.")]
    posts: Annotated[list[ExpectedPostSchema], Meta(description="In their order.")]
    notes: Annotated[list[str], Meta(description="Such as a tolerance, or how many resources are missing.")]


class ExplainedAttemptSchema(Struct, kw_only=True):
    runs: Annotated[list[Positive], Meta(description="Numbers of the runs that did the same.")]
    outcome: Annotated[
        Outcome | None,
        Meta(description="Null where verdicts of single runs are hidden: below level by-check."),
    ]
    why: Annotated[
        str,
        Meta(
            description="The check that failed. At level by-task, only what the file alone gives away; at "
            "answers, as exactly as the reference allows. Empty for right answers."
        ),
    ]
    code: Annotated[
        str,
        Meta(
            description="The grading reason of a wrong answer, from level by-check on; empty where it would "
            "say more than `why`."
        ),
    ]
    answer: Annotated[str | None, Meta(description="As in the file; null without one.")]
    posts: list[OwnPostSchema]


class ExplainedTaskSchema(Struct, kw_only=True):
    task_id: str
    group: Annotated[str | None, Meta(description="Null where tasks are not listed by group.")]
    instruction: Annotated[str, Meta(description="Empty where the leaderboard does not hold it.")]
    outcome: Annotated[Outcome, Meta(description="Over all runs; `wrong` is wrong in any.")]
    right_runs: Count
    runs: Positive
    attempts: Annotated[list[ExplainedAttemptSchema], Meta(description="Runs that did the same are one.")]
    expected: Annotated[ExpectedWorkSchema | None, Meta(description="Null below level answers.")]


class ExplainedTasksSchema(Struct, kw_only=True):
    count: Annotated[Count, Meta(description="Tasks on all pages.")]
    page: Positive
    pages: Count
    next: NextPage
    answers_away: Annotated[bool, Meta(description="Whether the submitted file cannot be read now.")]
    tasks: Annotated[list[ExplainedTaskSchema], Meta(description="Wrong ones first, then open ones.")]


class PublishFields(Struct, kw_only=True, forbid_unknown_fields=True):
    confirm_log: Annotated[
        bool | UnsetType,
        Meta(description="Confirm that the result holds, although its log marks samples as invalid."),
    ] = UNSET
    public_traces: Annotated[
        bool | UnsetType,
        Meta(
            description="Whether everyone may read the traces while the result is published, where the "
            "leaderboard offers that. Without it they stay as they are: at first for the team alone."
        ),
    ] = UNSET
