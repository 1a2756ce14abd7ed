"""Documents of the service: parsed within bounds, and the types of the members that a gate depends on.

What is only shown has no type here; `shown` says how an answer without it ends.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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


class RemarkAnswer(Struct, kw_only=True):
    """A problem or a warning."""

    code: str
    pointer: str
    message: str
    hint: str
    run: Positive | None = None


class AnswerWithRemarks(Struct, kw_only=True):
    problems: list[RemarkAnswer] | None = None
    warnings: list[RemarkAnswer] | None = None
    warnings_total: Count | None = None


class ProblemAnswer(AnswerWithRemarks, kw_only=True):
    """A refusal (RFC 9457)."""

    code: str
    id: UUID | UnsetType = UNSET
    submission: dict[str, str] | None = None


class CheckAnswer(AnswerWithRemarks, kw_only=True):
    """What a validation answers."""

    valid: bool
    benchmark: str
    warnings_total: Count


class ResultAnswer(Struct, kw_only=True):
    score: Share
    runs: Positive
    total: Positive
    metric: str
    metrics: dict[str, float | None]
    right: Count | None = None
    rounded_to: Share | None = None


class EntryAnswer(Struct, kw_only=True):
    """The result that the leaderboard shows for a system."""

    submission: UUID
    is_this: bool
    score: Share
    explanation: str
    score_upper: Share | None = None


class SubmissionAnswer(AnswerWithRemarks, kw_only=True):
    id: UUID
    status: str
    published: bool
    benchmark: str
    unranked: bool = False
    team: str
    system: dict[str, Any]
    file: dict[str, Any]
    version: str
    commit: str
    result: ResultAnswer | None = None
    entry: EntryAnswer | None = None
    not_applied: list[str] | None = None
    # Only the submission's own team is shown it.
    filename: str | None = None


class EntryComparisonAnswer(Struct, kw_only=True):
    """How a result compares with the entry of its system."""

    submission: UUID
    entry: UUID | None
    outcome: Literal["better", "worse", "not-different"] | None
    explanation: str
    p: Share | None = None
    # A service of an earlier release tests by task alone, and does not say so.
    test: str | None = None


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
    """Raise ForeignAnswer where a document that is read is not as the API declares it."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ForeignAnswer(f"the answer is not a document of Wardboard: {error!r}") from error


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
