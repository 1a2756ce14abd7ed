"""What the OpenAPI document says of one method of one address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

# A struct, or a JSON Schema written out.
BodySchema = type[Struct] | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessResponse:
    """A successful response. description: by default the phrase of the status."""

    body: BodySchema
    status: int = 200
    description: str = ""
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A response as it can come."""

    summary: str
    value: Mapping[str, Any]
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one address.

    id: the name that generated clients give it.
    description: the summary by default.
    security: names of SECURITY_SCHEMES, each of them enough; "" for nobody signed in.
    body: what is sent, by media type.
    problems: the statuses with which it can be refused.
    """

    id: str
    tag: str
    summary: str
    description: str = ""
    security: Sequence[str] = ()
    parameters: Sequence[Mapping[str, Any]] = ()
    body: Mapping[str, BodySchema] = field(default_factory=dict)
    responses: Sequence[SuccessResponse]
    problems: Sequence[int] = ()
    examples: Sequence[Example] = ()
