"""Shapes of traces, and of what becomes public with them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from leaderboard.api.schema.common import Count, Positive
from wardboard.scoring.traces.findings import FindingKind

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
        list[TracedMessageSchema], Meta(description="In order, without the reasoning of a model.")
    ]
    left_out: Annotated[Count, Meta(description="Messages after these that are not stored.")]


class TraceFindingSchema(Struct, kw_only=True):
    kind: FindingKind
    text: str
    count: Annotated[Positive, Meta(description="How often it occurs.")]
    task_ids: Annotated[list[str], Meta(description="The first five tasks with it.")]


class TraceFindingsSchema(Struct, kw_only=True):
    tasks: Annotated[Positive, Meta(description="Tasks with a trace.")]
    total: Annotated[Count, Meta(description="Different texts that look like names or keys.")]
    findings: Annotated[list[TraceFindingSchema], Meta(description="The first 500 of them.")]
    confirmation: Annotated[
        str, Meta(description="What to send as `confirmed` to make the traces public all the same.")
    ]


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
    confirmed: Annotated[
        Annotated[str, Meta(max_length=16)] | UnsetType,
        Meta(description="`confirmation` of `trace-findings/`, once you have read the findings."),
    ] = UNSET
