"""Documents of the service: parsed within bounds, and the types of the members that a gate depends on.

What is only shown has no type here; `shown` says how an answer without it ends.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from wardboard.errors import ForeignAnswer

# The service nests its documents far less, and code that recurses over one may rely on this.
_DEEPEST = 32

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Interval = Annotated[list[Share], Meta(min_length=2, max_length=2)]


class LineAnswer(Struct, kw_only=True):
    number: Count
    text: str


class FixAnswer(Struct, kw_only=True):
    before: str
    after: str


class RemarkAnswer(Struct, kw_only=True):
    """A problem or a warning."""

    code: str
    pointer: str
    message: str
    hint: str
    where: str | None = None
    line: int | None = None
    column: int | None = None
    run: Positive | None = None
    file: str | None = None
    quoted: list[LineAnswer] | None = None
    fix: FixAnswer | None = None


class AnswerWithRemarks(Struct, kw_only=True):
    problems: list[RemarkAnswer] | None = None
    problems_total: Count | None = None
    problems_by_code: dict[str, Count] | None = None
    warnings: list[RemarkAnswer] | None = None
    warnings_total: Count | None = None
    warnings_by_code: dict[str, Count] | None = None


class NamedById(Struct, kw_only=True):
    id: UUID


class ProblemAnswer(AnswerWithRemarks, kw_only=True):
    """A refusal (RFC 9457)."""

    code: str
    id: UUID | UnsetType = UNSET
    submission: NamedById | None = None


class CheckAnswer(AnswerWithRemarks, kw_only=True):
    """What a validation answers."""

    valid: bool
    benchmark: str
    warnings: list[RemarkAnswer]
    warnings_total: Count


class NamedAnswer(Struct, kw_only=True):
    name: str


class ResultAnswer(Struct, kw_only=True):
    score: Share
    runs: Positive
    total: Positive
    metric: str
    metrics: dict[str, float | None]
    right: Count | None = None
    rounded_to: Share | None = None
    interval_95: Interval | None = None


class FileAnswer(Struct, kw_only=True):
    sha256: str


class EntryAnswer(Struct, kw_only=True):
    """The result that the leaderboard shows for a system."""

    submission: UUID
    is_this: bool
    score: Share
    explanation: str
    score_upper: Share | None = None


class RevisionAnswer(Struct, kw_only=True):
    revision: Positive


class ScoredByAnswer(Struct, kw_only=True):
    references: RevisionAnswer
    judge: str


class SameAnswersAnswer(Struct, kw_only=True):
    """An earlier submission of the team with the same answers."""

    id: UUID
    version: str
    commit: str


class SubmissionAnswer(AnswerWithRemarks, kw_only=True):
    id: UUID
    url: str
    status: str
    published: bool
    benchmark: str
    unranked: bool = False
    team: str
    system: NamedAnswer
    file: FileAnswer
    version: str
    commit: str
    result: ResultAnswer | None = None
    rank: dict[str, Positive] | None = None
    entry: EntryAnswer | None = None
    scored_by: ScoredByAnswer | None = None
    withdrawn_at: str | None = None
    disqualified_at: str | None = None
    not_applied: list[str] | None = None
    facts_not_applied: list[str] | None = None
    same_answers: SameAnswersAnswer | None = None
    # Only the submission's own team is shown it.
    filename: str | None = None


class EntryComparisonAnswer(Struct, kw_only=True):
    """How a result compares with the entry of its system, task by task."""

    submission: UUID
    entry: UUID | None
    outcome: Literal["better", "worse", "not-different"] | None
    explanation: str
    p: Share | None = None


class TokenAnswer(Struct, kw_only=True):
    scopes: list[str]


class MeAnswer(Struct, kw_only=True):
    token: TokenAnswer


class DeviceCodeAnswer(Struct, kw_only=True):
    """A code that a person approves in a browser (RFC 8628)."""

    device_code: str
    user_code: Annotated[str, Meta(min_length=4, max_length=20)]
    verification_uri: str
    verification_uri_complete: str
    expires_in: Annotated[int, Meta(ge=1, le=3600)]
    interval: Annotated[int, Meta(ge=1, le=60)]


class IssuedTokenAnswer(Struct, kw_only=True):
    access_token: Annotated[str, Meta(pattern="^[!-~]{8,200}$")]


class PageAnswer(Struct, kw_only=True):
    """A page of a list."""

    page: Count
    pages: Count


class BoardAnswer(Struct, kw_only=True):
    benchmark: str


class LimitAnswer(Struct, kw_only=True):
    kind: str
    unit: str
    allowed: Count
    left: Count
    renewals: list[datetime] = []


class BenchmarkAnswer(Struct, kw_only=True):
    """A leaderboard."""

    slug: str
    open: bool = True
    unranked_lane: str | None = None
    unranked_lane_of: str | None = None
    mixes_judges: bool = False
    references: RevisionAnswer | None = None


class LineOfListAnswer(Struct, kw_only=True):
    """A submission in the list of a team."""

    id: UUID
    status: str
    benchmark: str
    system: str
    score: Share | None


class SubmissionsAnswer(Struct, kw_only=True):
    results: list[LineOfListAnswer]


class AllowanceAnswer(Struct, kw_only=True):
    left: Count | None
    limits: list[LimitAnswer]


def parse(content: bytes, hide: Callable[[str], str]) -> Mapping[str, Any] | None:
    """Return the JSON object in `content`, with `hide` applied to each text; None for anything else."""
    try:
        read = json.loads(content, parse_constant=_refuse, object_pairs_hook=_unrepeated)
        document = _hidden(read, hide, _DEEPEST)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def fault_of(document: Mapping[str, Any], shape: type[Struct]) -> str:
    """Return the first error of a document in the types that `shape` declares; "" without one."""
    try:
        msgspec.convert(document, shape)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


@contextmanager
def shown() -> Iterator[None]:
    """Raise ForeignAnswer where a document that is shown is not as the API declares it."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ForeignAnswer(f"the answer is not a document of Wardboard: {error!r}") from error


def fault_of_warnings(document: Mapping[str, Any]) -> str:
    """Return how the warnings of a document contradict their numbers; "" where they do not."""
    listed, total = document.get("warnings"), document.get("warnings_total")
    if listed is None and total is None:
        return ""
    if listed is None or total is None:
        return "it has only one of `warnings` and `warnings_total`"
    if len(listed) > total:
        return f"it lists {len(listed)} warnings and counts {total}"
    by_code = document.get("warnings_by_code")
    if by_code is not None and sum(by_code.values()) != total:
        return f"its warnings are {sum(by_code.values())} by code, and {total} in all"
    return ""


def _hidden(value: Any, hide: Callable[[str], str], depth: int) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict | list) and not depth:
        raise ValueError("the document is nested too deeply")
    if isinstance(value, dict):
        return {hide(name): _hidden(member, hide, depth - 1) for name, member in value.items()}
    return [_hidden(member, hide, depth - 1) for member in value] if isinstance(value, list) else value


def _unrepeated(members: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(members)
    if len(document) != len(members):
        raise ValueError("a member is there twice")
    return document


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
