"""Check JSON values against the OpenAPI document of the API."""

import copy
from typing import Any

from jsonschema import Draft202012Validator

from leaderboard.http import problems


def assert_matches_schema(document: dict, ref: str, value: dict) -> None:
    """Check `value` against the schema `ref`; a member that the schema does not name is an error."""
    components = copy.deepcopy(document["components"])
    for schema in components["schemas"].values():
        if "properties" in schema:
            schema["additionalProperties"] = False
    schema = {"$ref": ref, "components": components}
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def ref_of(document: dict, path: str, method: str, status: str) -> Any:
    """Return the reference to the schema of a response."""
    ((media_type, content),) = document["paths"][path][method]["responses"][status]["content"].items()
    assert media_type in ("application/json", problems.MEDIA_TYPE)
    return content["schema"]["$ref"]
