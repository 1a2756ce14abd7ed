"""What a view declares of one of its methods, and the OpenAPI document that follows from it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import get_lib_doc_excludes
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.permissions import IsAuthenticated
from rest_framework.serializers import Serializer

from leaderboard.api.serializers.common import ReleaseShape
from leaderboard.api.serializers.fields import Form, PageShape, Shape
from leaderboard.api.serializers.problems import ProblemDocumentSerializer
from leaderboard.http.problems import MEDIA_TYPE, PROBLEM_TYPES, status_of

Handler = TypeVar("Handler", bound=Callable[..., Any])

JSON = "application/json"
# A member of OpenAPI, and not the column of the reference answers.
_CONTENT = "content"
BINARY = "application/octet-stream"
REPEATED = "Idempotent-Replayed"
# What a body may be that no serializer describes.
FREE: Mapping[str, Any] = {"type": "object", "additionalProperties": {}}
# Generated clients give the lines as bytes; they know no type for JSON Lines.
LINES: Mapping[str, Any] = {"type": "string", "format": "binary"}
# What the addresses of a section are about; those of all others, about the service.
_TAGS = {
    "benchmarks": "benchmarks",
    "schemas": "benchmarks",
    "submissions": "submissions",
    "validations": "validations",
}
_IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    location=OpenApiParameter.HEADER,
    description="The `ETag` of the response that you have: 304 while nothing has changed.",
)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    location=OpenApiParameter.HEADER,
    description=f"Up to 255 ASCII characters. The same key and request give the same answer, with "
    f"`{REPEATED}`.",
)
SECURITY_SCHEMES = {
    "apiToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token, of your tokens page or exchanged for the ID token of a CI job: "
        "`Authorization: Bearer wb_…`",
    },
    "browserSession": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sessionid",
        "description": "Signed in to the pages. A browser sends the cookie; POST needs `X-CSRFToken` too.",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one address. As a decorator it describes the method of a view.

    The document reads the rest from the view: address, security, and the refusals that these bring.

    - id: the name that generated clients give it
    - tag: of its group; that of its address by default
    - description: the summary by default
    - query: the form of its parameters; others are refused
    - body: the form of the fields of its body; None for a body without fields
    - answer: the serializer of its JSON, or what it is otherwise
    - statuses: of its successful answers
    - is_conditional: whether it has an `ETag`
    - parameters: those of the header
    """

    id: str
    summary: str
    tag: str = ""
    description: str = ""
    query: type[Serializer[Any]] | None = None
    body: type[Serializer[Any]] | None = None
    answer: type[Serializer[Any]] | Mapping[str, Any]
    media_type: str = JSON
    statuses: Sequence[int] = (200,)
    is_conditional: bool = False
    refusals: Sequence[str] = ()
    parameters: Sequence[OpenApiParameter] = ()

    def __call__(self, handler: Handler) -> Handler:
        handler.operation = self  # type: ignore[attr-defined]
        return handler


def operation_of(view: object, method: str) -> Operation | None:
    """Return what a view declares of a method; None where it does not have it, or describes nothing."""
    handler = getattr(view, "get" if method.upper() == "HEAD" else method.lower(), None)
    return getattr(handler, "operation", None)


class OperationSchema(AutoSchema):
    """Describe the operations of a view; what declares none is not in the document."""

    @property
    def declared(self) -> Operation:
        operation = operation_of(self.view, self.method)
        assert operation is not None, "others are excluded"
        return operation

    def is_excluded(self) -> bool:
        return operation_of(self.view, self.method) is None

    def get_operation_id(self) -> str:
        return self.declared.id

    def get_tags(self) -> list[str]:
        # After /api/v1/.
        return [self.declared.tag or _TAGS.get(self.path.split("/")[3], "service")]

    def get_summary(self) -> str:
        return self.declared.summary

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it
        return self.declared.description or f"{self.declared.summary}."

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the schemes of which each is enough; an empty one for nobody signed in."""
        names = [
            getattr(authenticator, "scheme_name", "") for authenticator in self.view.get_authenticators()
        ]
        is_open = not names or IsAuthenticated not in self.view.permission_classes
        return [*({name: []} for name in names), *([{}] if is_open else [])]

    def get_override_parameters(self) -> list[Any]:
        query = [self.declared.query] if self.declared.query else []
        conditional = [_IF_NONE_MATCH] if self.declared.is_conditional else []
        return [*query, *conditional, *self.declared.parameters]

    def get_request_serializer(self) -> Any:
        media_type = getattr(self.view, "media_type", JSON)
        body = self.declared.body or (OpenApiTypes.BINARY if media_type == BINARY else None)
        return body and {media_type: body}

    def get_response_serializers(self) -> Any:
        operation = self.declared
        answers: dict[Any, Any] = {
            (status, operation.media_type): OpenApiResponse(
                operation.answer, description=HTTPStatus(status).phrase
            )
            for status in operation.statuses
        }
        if operation.is_conditional:
            answers[304] = OpenApiResponse(description="Nothing has changed since that `ETag`.")
        for status in self._refused():
            titles = [known.title for known in PROBLEM_TYPES.values() if known.status == status]
            answers[status, MEDIA_TYPE] = OpenApiResponse(
                ProblemDocumentSerializer, description=f"{'; '.join(titles)}."
            )
        return answers

    def _refused(self) -> list[int]:
        """Return the statuses with which a request can be refused: for its kind, and for its own reasons."""
        codes = ["parameter-invalid", *self.declared.refusals]
        if self.view.authentication_classes:
            codes += ["not-authenticated", "scope-missing"]
        if "{" in self.path:
            codes.append("not-found")
        if self.method == "POST":
            codes += ["file.too-large", "unsupported-media-type"]
        if hasattr(self.view, "throttle_scope"):
            codes.append("too-many-requests")
        return sorted({status_of(code) for code in codes})


def undescribed_classes() -> list[type]:
    """Return the classes whose docstrings are for programmers. drf-spectacular calls it."""
    library: list[type] = get_lib_doc_excludes()  # type: ignore[no-untyped-call]
    return [*library, Shape, Form, PageShape, ReleaseShape]


def finish_document(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add how a request is authenticated, and that a file as the body is needed. drf-spectacular calls it."""
    result["components"]["securitySchemes"] = SECURITY_SCHEMES
    for methods in result["paths"].values():
        for operation in methods.values():
            if BINARY in operation.get("requestBody", {}).get(_CONTENT, {}):
                operation["requestBody"]["required"] = True
    return result
