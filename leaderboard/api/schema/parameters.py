"""Parameters of operations, for the OpenAPI document."""

from typing import Any

import msgspec
from msgspec import Struct

PAGE = {
    "name": "page",
    "in": "query",
    "description": "From 1. A page past the last is empty.",
    "schema": {"type": "integer", "minimum": 1, "maximum": 999_999_999_999},
}
PAGE_SIZE = 50
LARGEST_PAGE = 200
PER_PAGE = {
    "name": "per_page",
    "in": "query",
    "description": "How many of the list are on a page.",
    "schema": {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": PAGE_SIZE},
}
# For operations whose responses have an `ETag`.
IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The `ETag` of the response that you have: 304 while nothing has changed.",
    "schema": {"type": "string"},
}
WAIT = {
    "name": "wait",
    "in": "query",
    "description": "Answer once the submission is scored, rejected, failed or cancelled, or after so many "
    "seconds; it may be earlier, as few requests may wait at a time, and one of each account. "
    "`Retry-After`: it is in progress.",
    "schema": {"type": "integer", "minimum": 0, "maximum": 60},
}

TEAM = {
    "name": "team",
    "in": "query",
    "description": "Short name of a team that the account is in; without it the account's own team, or that "
    "of the token.",
    "schema": {"type": "string", "maxLength": 40},
}


def in_query(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "schema": {"type": "string"}}


def non_empty_in_query(name: str, description: str) -> dict[str, Any]:
    return in_query(name, description) | {"schema": {"type": "string", "minLength": 1}}


def repeated_in_query(name: str, description: str) -> dict[str, Any]:
    return in_query(name, description) | {"schema": {"type": "array", "items": {"type": "string"}}}


def of_fields(fields: type[Struct]) -> list[dict[str, Any]]:
    """Return the fields as query parameters, for a file that is sent as the body itself."""
    return [
        in_query(name, f"With the file as body. {schema.get('description', '')}".strip())
        for name, schema in msgspec.json.schema_components([fields])[1][fields.__name__]["properties"].items()
        if name != "file"
    ]
