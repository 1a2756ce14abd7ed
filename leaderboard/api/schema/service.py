"""Shapes of what the service says about itself."""

from typing import Annotated

from msgspec import Meta, Struct

from leaderboard.api.schema.common import Timestamp
from leaderboard.http.problems import ProblemTypeSchema
from leaderboard.services.health.queues import Queue
from leaderboard.services.health.status import State


class RootSchema(Struct, kw_only=True):
    benchmarks: str
    submissions: str
    validations: str
    me: str
    trusted_publishing: str
    openapi: str
    health: str
    status: str
    keys: str
    log: str
    log_head: str
    docs: str


class HealthSchema(Struct, kw_only=True):
    status: str


class ReadinessSchema(Struct, kw_only=True):
    """status: `ready` or `not ready`; also ready without mail. Each part is `ok`, or a reason."""

    status: str
    database: str
    storage: str
    workers: str
    sweep: str
    mail: str


class ProblemTypesSchema(Struct, kw_only=True):
    problems: list[ProblemTypeSchema]


class WaitingSchema(Struct, kw_only=True):
    lane: Queue
    count: Annotated[int, Meta(description="Files that wait; for `statistics`, leaderboards.")]
    since: Annotated[Timestamp | None, Meta(description="When the first of them began to wait.")]


class ServiceStatusSchema(Struct, kw_only=True):
    at: Annotated[Timestamp, Meta(description="When this was found, some seconds ago at most.")]
    submitting: State
    scoring: State
    judging: Annotated[
        State | None, Meta(description="By a language model; null where no leaderboard uses one.")
    ]
    statistics: State
    waiting: Annotated[
        list[WaitingSchema] | None, Meta(description="Null while the database does not answer.")
    ]
    failed_in_24_hours: Annotated[
        int | None, Meta(description="Files that failed through a fault of ours and were not tried again.")
    ]
