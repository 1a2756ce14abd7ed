"""What a view declares of one of its methods, as a decorator, for the OpenAPI document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import Struct

from leaderboard.http.problems import status_of

# A struct, or a JSON Schema written out.
BodySchema = type[Struct] | Mapping[str, Any]
Handler = TypeVar("Handler", bound=Callable[..., Any])


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
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one address. As a decorator it describes the method of a view.

    The document reads the rest from the view: address, security, body, and the refusals that these bring.

    id: the name that generated clients give it.
    description: the summary by default.
    answer: what it gives; a struct stands for a response of status 200.
    refusals: the codes of its own problems.
    """

    id: str
    tag: str
    summary: str
    description: str = ""
    parameters: Sequence[Mapping[str, Any]] = ()
    answer: type[Struct] | Sequence[SuccessResponse]
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
        return [
            example
            for example in self.examples
            if status == (status_of(example.value["code"]) if "code" in example.value else first)
        ]


def operation_of(view: type, method: str) -> Operation | None:
    """Return what a view declares of a method; None where it does not have it, or describes nothing."""
    handler = getattr(view, "get" if method.upper() == "HEAD" else method.lower(), None)
    return getattr(handler, "operation", None)
