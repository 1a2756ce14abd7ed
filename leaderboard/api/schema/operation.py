"""What a view declares of one of its methods, as a decorator, for the OpenAPI document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import Struct

from leaderboard.http.problems import status_of

# A struct, or a JSON Schema written out.
BodySchema = type[Struct] | Mapping[str, Any]
Handler = TypeVar("Handler", bound=Callable[..., Any])


REPEATED = "Idempotent-Replayed"
_SECONDS = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string", "minLength": 1}
_RATE_LIMIT = "Source: draft-ietf-httpapi-ratelimit-headers-10."
# The headers of responses, each an OpenAPI Header Object.
HEADERS: Mapping[str, Mapping[str, Any]] = {
    "X-Request-ID": {
        "description": "Id of the request, which our log has too; quote it when you report a fault.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{7,63}$"},
    },
    "Location": {
        "description": "Address of the submission.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "ETag": {
        "description": "Send it as `If-None-Match` to get 304 while nothing has changed. Left out where the "
        "response is for one reader.",
        "schema": _TEXT,
    },
    "Retry-After": {
        "description": "Seconds to wait before you ask again. On a submission: it is in progress.",
        "schema": _SECONDS,
    },
    "RateLimit-Policy": {
        "description": f'The limits that hold here: `"submissions";q=60;w=60` is 60 requests in 60 seconds. '
        f"Of a request with a file, those on files too. {_RATE_LIMIT}",
        "schema": _TEXT,
    },
    "RateLimit": {
        "description": f'What is left of each: `"submissions";r=59;t=60` is 59 requests, more in 60 seconds. '
        f"{_RATE_LIMIT}",
        "schema": _TEXT,
    },
    "WWW-Authenticate": {"description": "The scheme of authentication: `Bearer`.", "schema": _TEXT},
    REPEATED: {
        "description": "`true`: an earlier request sent the same files to this leaderboard for this team; "
        "the response is about that submission. Left out of the first response.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessResponse:
    """A successful response. description: by default the phrase of the status."""

    body: BodySchema
    status: int = 200
    description: str = ""
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A response as it can come. A value with a `code` is a problem document."""

    summary: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one address. As a decorator it describes the method of a view.

    The document reads the rest from the view: address, security, body, and the refusals that these bring.

    id: the name that generated clients give it.
    description: the summary by default.
    answer: what it gives; a struct stands for a response of status 200.
    headers: those of its successful responses that not every response has.
    refusals: the codes of its own problems.
    """

    id: str
    tag: str
    summary: str
    description: str = ""
    parameters: Sequence[Mapping[str, Any]] = ()
    answer: type[Struct] | Sequence[SuccessResponse]
    headers: Sequence[str] = ()
    refusals: Sequence[str] = ()
    examples: Sequence[Example] = ()

    def __call__(self, handler: Handler) -> Handler:
        handler.operation = self  # type: ignore[attr-defined]
        return handler

    @property
    def responses(self) -> Sequence[SuccessResponse]:
        """The successful responses."""
        return [SuccessResponse(body=self.answer)] if isinstance(self.answer, type) else self.answer

    def examples_of(self, status: int) -> list[Example]:
        """Return the examples for a status. Those of success are of the first response."""
        first = self.responses[0].status
        return [example for example in self.examples if status == (_refused_with(example.value) or first)]


def _refused_with(value: Any) -> int | None:
    """Return the status of a problem document; None for another value."""
    return status_of(value["code"]) if isinstance(value, Mapping) and "code" in value else None


def operation_of(view: type, method: str) -> Operation | None:
    """Return what a view declares of a method; None where it does not have it, or describes nothing."""
    handler = getattr(view, "get" if method.upper() == "HEAD" else method.lower(), None)
    return getattr(handler, "operation", None)
