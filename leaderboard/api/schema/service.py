"""Shapes of what the service says about itself."""

from msgspec import Struct

from leaderboard.http.problems import ProblemTypeSchema


class RootSchema(Struct, kw_only=True):
    benchmarks: str
    submissions: str
    validations: str
    openapi: str
    health: str
    docs: str


class HealthSchema(Struct, kw_only=True):
    status: str


class ReadinessSchema(Struct, kw_only=True):
    """status: `ready` or `not ready`. Each part is `ok`, or a reason."""

    status: str
    database: str
    broker: str
    storage: str
    workers: str
    sweep: str


class ProblemTypesSchema(Struct, kw_only=True):
    problems: list[ProblemTypeSchema]
