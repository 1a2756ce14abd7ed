"""Builds the OpenAPI document from the addresses of the API, and from what their views declare."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec
from django.urls import URLPattern, get_resolver
from django.urls.converters import UUIDConverter
from rest_framework.permissions import IsAuthenticated

from leaderboard.api.authentication import ApiTokenAuthentication
from leaderboard.api.base import ApiView, UploadView
from leaderboard.api.reference.samples import BINARY, sample
from leaderboard.api.schema import examples
from leaderboard.api.schema.forms import MULTIPART, RAW_TYPES
from leaderboard.api.schema.operation import HEADERS, REPEATED, BodySchema, Operation, operation_of
from leaderboard.api.schema.parameters import IF_NONE_MATCH, of_fields
from leaderboard.http.json_encoding import encode
from leaderboard.http.problems import MEDIA_TYPE, PROBLEM_TYPES, ProblemDocument, status_of

TAGS = {
    "submissions": "Sending files in, and looking after what was sent.",
    "validations": "Checking files without an account.",
    "benchmarks": "Leaderboards, their rows and their past.",
    "service": "The service about itself.",
}
SECURITY_SCHEMES = {
    "apiToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token, made on your Tokens page or exchanged for the ID token of a CI job: "
        "`Authorization: Bearer wb_…`",
    },
    "browserSession": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sessionid",
        "description": "Signed in to the pages. A browser sends the cookie; POST needs `X-CSRFToken` too.",
    },
}
_TEXT = {"type": "string"}
# Of parameters of addresses, by their converters.
_TYPES: Mapping[type, Mapping[str, str]] = {UUIDConverter: {"type": "string", "format": "uuid"}}
_BINARY = {"type": "string", "format": "binary"}
_HEADERS_OF = {
    status_of("not-authenticated"): ("WWW-Authenticate",),
    **dict.fromkeys((status_of("too-many-requests"), status_of("unavailable")), ("Retry-After",)),
}
_OF_FILE = "A form, or the file alone with the fields as query parameters."
# Generators of clients choose among several types of one body badly, so the document has one.
_OF_FIELDS = "A form is taken too: `application/x-www-form-urlencoded` or `multipart/form-data`."
_SUFFIX = "Schema"
_REFERENCE = "#/components/schemas/"
_EXAMPLE = r"#/components/examples/(\w+)"


@cache
def openapi_json() -> bytes:
    """Return the document as JSON. It is the same for everyone for as long as the process lives."""
    return encode(openapi_document())


def openapi_document() -> dict[str, Any]:
    """Build the document. Source: OpenAPI Specification 3.1.1, section 4.8."""
    paths = {
        address.path: {
            method: _described(address, method, operation) for method, operation in address.operations.items()
        }
        for address in _described_addresses()
    }
    named = sorted(set(re.findall(_EXAMPLE, encode(paths).decode())))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Wardboard API",
            "version": "1",
            "description": "Check, score and publish benchmark results, and read the leaderboards. Every "
            "refusal is a problem document (RFC 9457, `application/problem+json`). `Accept` is not looked "
            "at: each address has one format, whatever is asked for. A proxy in front of the service may "
            "answer by itself, such as with 414 or 502, and with a page of its own.",
        },
        "servers": [{"url": "/", "description": "The service that this document comes from."}],
        "tags": [{"name": name, "description": description} for name, description in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": _components(),
            "headers": HEADERS,
            "examples": {
                name: {"value": sample({"$ref": _REFERENCE + name}, _components())} for name in named
            },
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


class _Address(NamedTuple):
    """An address of the API. converters: of the parameters in it, by name."""

    path: str
    converters: Mapping[str, object]
    view: type[ApiView]

    @property
    def operations(self) -> dict[str, Operation]:
        """What the view declares, by method."""
        operations = {method: operation_of(self.view, method) for method in ("get", "post")}
        return {method: operation for method, operation in operations.items() if operation}


def _described_addresses() -> list[_Address]:
    """Return the addresses whose views declare operations."""
    addresses = [
        _Address(
            path=re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", f"/api/{address.pattern}"),
            converters=address.pattern.converters,
            view=getattr(address.callback, "cls", ApiView),
        )
        for address in get_resolver("leaderboard.api.urls").url_patterns
        if isinstance(address, URLPattern)
    ]
    return [address for address in addresses if address.operations]


def _described(address: _Address, method: str, operation: Operation) -> dict[str, Any]:
    view = address.view
    in_path = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": _TYPES.get(type(converter), _TEXT),
            "example": examples.IN_PATHS[name],
        }
        for name, converter in address.converters.items()
    ]
    body = _body(view) if method == "post" else {}
    conditional = [IF_NONE_MATCH] if "ETag" in operation.headers else []
    of_body = of_fields(view.fields) if body and view.fields and issubclass(view, UploadView) else []
    responses = {**_successes(operation, view), **_refusals(address, method, operation)}
    description = operation.description or f"{operation.summary}."
    described = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": description,
        "parameters": [*in_path, *of_body, *operation.parameters, *conditional],
        "security": [{name: []} if name else {} for name in _security(view)],
        "responses": {str(status): response for status, response in responses.items()},
    }
    if body:
        content = {media_type: _taken(media_type, schema) for media_type, schema in body.items()}
        described["requestBody"] = {
            "description": _OF_FILE if issubclass(view, UploadView) else _OF_FIELDS,
            "required": _is_required(view),
            "content": content,
        }
    return described


def _security(view: type[ApiView]) -> list[str]:
    """Return the schemes of which each is enough; "" for nobody signed in."""
    schemes = [
        "apiToken" if issubclass(authentication, ApiTokenAuthentication) else "browserSession"
        for authentication in view.authentication_classes
    ]
    return schemes if IsAuthenticated in view.permission_classes or not schemes else [*schemes, ""]


def _body(view: type[ApiView]) -> dict[str, BodySchema]:
    """Return what a view takes, by media type."""
    if view.fields is None:
        return {}
    if issubclass(view, UploadView):
        return {MULTIPART: view.fields, **dict.fromkeys(RAW_TYPES, _BINARY)}
    return {"application/json": view.fields}


def _taken(media_type: str, schema: BodySchema) -> dict[str, Any]:
    """Return what a body may be, with an example."""
    if schema is _BINARY:
        value = BINARY.get(media_type)
        return {"schema": schema} | ({} if value is None else {"example": value})
    return {"schema": _schema(schema), "examples": _samples(schema)}


def _is_required(view: type[ApiView]) -> bool:
    """Return whether a request needs a body: a file, or a field that cannot be left out."""
    fields = msgspec.structs.fields(view.fields) if view.fields else ()
    return issubclass(view, UploadView) or any(field.required for field in fields)


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-ID", *names)}


def _limits(view: type[ApiView]) -> list[str]:
    return ["RateLimit-Policy", "RateLimit"] if view.throttle_classes else []


def _successes(operation: Operation, view: type[ApiView]) -> dict[int, dict[str, Any]]:
    headers = _headers(*operation.headers, *_limits(view))
    responses: dict[int, dict[str, Any]] = {
        success.status: {
            "description": success.description or HTTPStatus(success.status).phrase,
            "headers": headers,
            "content": {success.media_type: _content(operation, success.status, success.body)},
        }
        for success in operation.responses
    }
    if "ETag" in operation.headers:
        description = "Nothing has changed since the response with this `ETag`."
        responses[304] = {"description": description, "headers": _headers("ETag")}
    return responses


def _refusals(address: _Address, method: str, operation: Operation) -> dict[int, dict[str, Any]]:
    """Return the problems with which a request can be answered: those of its kind, and its own."""
    codes = ["parameter-invalid", *operation.refusals]
    if address.view.authentication_classes:
        codes += ["not-authenticated", "scope-missing"]
    if address.converters:
        codes.append("not-found")
    if method == "post":
        codes += ["file.too-large", "unsupported-media-type"]
        codes += ["too-many-requests"] if address.view.throttle_classes else []
    refusals: dict[int, dict[str, Any]] = {}
    for status in sorted(map(status_of, codes)):
        titles = [known.title for known in PROBLEM_TYPES.values() if known.status == status]
        content = {MEDIA_TYPE: _content(operation, status, ProblemDocument)}
        headers = _headers(*_HEADERS_OF.get(status, ()), *_limits(address.view))
        if status == status_of("file-rejected"):
            headers |= {name: _headers(name)[name] for name in operation.headers if name == REPEATED}
        refusals[status] = {
            "description": f"{'; '.join(titles)}.",
            "headers": headers,
            "content": content,
        }
    return refusals


def _content(operation: Operation, status: int, body: BodySchema) -> dict[str, Any]:
    """Return the schema of a body, with an example.

    Those of the operation for that status, or else one that follows from the schema.
    """
    examples: dict[str, Any] = {
        "".join(word.capitalize() for word in example.summary.split()): {
            "summary": example.summary,
            "value": example.value,
        }
        for example in operation.examples_of(status)
    }
    if not examples and body is not ProblemDocument:
        return {"schema": _schema(body), "examples": _samples(body)}
    return {"schema": _schema(body)} | ({"examples": examples} if examples else {})


def _samples(body: BodySchema) -> dict[str, Any]:
    """Return the example of a struct, which is among the components."""
    assert isinstance(body, type), "a schema that is written out has examples of its own"
    name = _name(body.__name__)
    return {name: {"$ref": f"#/components/examples/{name}"}}


def _schema(body: BodySchema) -> Mapping[str, Any]:
    if isinstance(body, type):
        return {"$ref": _REFERENCE + _name(body.__name__)}
    return body


def _name(struct_name: str) -> str:
    return struct_name.removesuffix(_SUFFIX)


def _bodies() -> Iterator[BodySchema]:
    for address in _described_addresses():
        yield from _body(address.view).values()
        for operation in address.operations.values():
            yield from (success.body for success in operation.responses)


@cache
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
