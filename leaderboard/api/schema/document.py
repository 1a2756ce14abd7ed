"""Builds the OpenAPI document from the operations and the structs that they take and give."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from http import HTTPStatus
from typing import Any

import msgspec

from leaderboard.api.schema.operation import BodySchema, Operation
from leaderboard.api.schema.operations import (
    OPERATIONS,
    SECURITY_SCHEMES,
    TAGS,
)
from leaderboard.api.schema.parameters import PATH_PARAMETERS
from leaderboard.http.json_encoding import encode
from leaderboard.http.problems import MEDIA_TYPE, PROBLEM_TYPES, ProblemDocument

_SUFFIX = "Schema"
_REFERENCE = "#/components/schemas/"


@cache
def openapi_json() -> bytes:
    """Return the document as JSON. It is the same for everyone for as long as the process lives."""
    return encode(openapi_document())


def openapi_document() -> dict[str, Any]:
    """Build the document. Source: OpenAPI Specification 3.1.1, section 4.8."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Wardboard API",
            "version": "1",
            "description": "Check, score and publish benchmark results, and read the leaderboards.",
        },
        "servers": [{"url": "/", "description": "The service that this document comes from."}],
        "tags": [{"name": name, "description": description} for name, description in TAGS.items()],
        "paths": {
            path: {method: _operation(path, operation) for method, operation in methods.items()}
            for path, methods in OPERATIONS.items()
        },
        "components": {"schemas": _components(), "securitySchemes": SECURITY_SCHEMES},
    }


def _operation(path: str, operation: Operation) -> dict[str, Any]:
    in_path = [
        {"name": name, "in": "path", "required": True, **PATH_PARAMETERS[name]}
        for name in re.findall(r"{(\w+)}", path)
    ]
    described = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description or f"{operation.summary}.",
        "parameters": [*in_path, *operation.parameters],
        "security": [{name: []} if name else {} for name in operation.security],
        "responses": {str(status): content for status, content in _responses(operation)},
    }
    if operation.body:
        content = {media_type: {"schema": _schema(body)} for media_type, body in operation.body.items()}
        described["requestBody"] = {"content": content}
    return described


# Gunicorn, or a proxy in front of it, answers this before the service reads the request.
_TOO_LONG = {
    "description": "The address is too long for the server.",
    "content": {"text/html": {"schema": {"type": "string"}}},
}


def _responses(operation: Operation) -> Iterator[tuple[int, dict[str, Any]]]:
    for success in operation.responses:
        content = {success.media_type: _content(operation, success.status, success.body)}
        yield (
            success.status,
            {"description": success.description or HTTPStatus(success.status).phrase, "content": content},
        )
    for status in operation.problems:
        titles = [
            problem_type.title for problem_type in PROBLEM_TYPES.values() if problem_type.status == status
        ]
        content = {MEDIA_TYPE: _content(operation, status, ProblemDocument)}
        yield status, {"description": f"{'; '.join(titles)}.", "content": content}
    yield 414, _TOO_LONG


def _content(operation: Operation, status: int, body: BodySchema) -> dict[str, Any]:
    """Return the schema of a body, with the examples of the operation for that status."""
    examples = {
        "".join(word.capitalize() for word in example.summary.split()): {
            "summary": example.summary,
            "value": example.value,
        }
        for example in operation.examples
        if example.status == status
    }
    return {"schema": _schema(body)} | ({"examples": examples} if examples else {})


def _schema(body: BodySchema) -> Mapping[str, Any]:
    if isinstance(body, type):
        return {"$ref": _REFERENCE + _name(body.__name__)}
    return body


def _name(struct_name: str) -> str:
    return struct_name.removesuffix(_SUFFIX)


def _bodies() -> Iterator[BodySchema]:
    for methods in OPERATIONS.values():
        for operation in methods.values():
            yield from operation.body.values()
            yield from (success.body for success in operation.responses)


def _components() -> dict[str, Any]:
    """Return, by name, the schemas of the structs that operations name and of those within."""
    structs = {ProblemDocument, *(body for body in _bodies() if isinstance(body, type))}
    enumerations: dict[str, Any] = {}

    def refer_to(choices: type) -> dict[str, str]:
        # msgspec knows the enumerations of the standard library, but not Django's.
        if not issubclass(choices, StrEnum):
            raise NotImplementedError
        enumerations[choices.__name__] = {"enum": [choice.value for choice in choices]}
        return {"$ref": _REFERENCE + choices.__name__}

    _, schemas = msgspec.json.schema_components(
        structs, schema_hook=refer_to, ref_template=_REFERENCE + "{name}"
    )
    return {_name(name): _finished(schema) for name, schema in sorted((schemas | enumerations).items())}


def _finished(component: Mapping[str, Any]) -> Any:
    if "enum" in component:
        # The docstring of an enumeration is for programmers.
        return {"type": "string", "enum": component["enum"]}
    return _without_suffixes(component)


def _without_suffixes(schema: Any) -> Any:
    """Rename components, and leave out titles, which only repeat the names."""
    if isinstance(schema, list):
        return [_without_suffixes(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    renamed = {key: _without_suffixes(value) for key, value in schema.items() if not _is_title(key, value)}
    if "$ref" in schema:
        renamed["$ref"] = _name(schema["$ref"])
    return renamed


def _is_title(key: str, value: Any) -> bool:
    # Of a schema, and not of a property that is called so.
    return key == "title" and isinstance(value, str)
