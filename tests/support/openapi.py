"""Check JSON values against the OpenAPI document of the API."""

import copy
from typing import Any

from jsonschema import Draft202012Validator

from leaderboard.http import problems


def assert_matches_schema(document: dict, ref: str, value: dict) -> None:
    """Check `value` against the schema `ref`; a member that the schema does not name is an error."""
    assert_allowed(document, {"$ref": ref}, value)


def assert_allowed(document: dict, schema: dict, value: Any) -> None:
    """Check `value` against a schema of the document, as `assert_matches_schema` does."""
    components = copy.deepcopy(document["components"])
    for component in components["schemas"].values():
        if "properties" in component:
            component["additionalProperties"] = False
    schema = {**schema, "components": components}
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def ref_of(document: dict, path: str, method: str, status: str) -> Any:
    """Return the reference to the schema of a response."""
    ((media_type, content),) = document["paths"][path][method]["responses"][status]["content"].items()
    assert media_type in ("application/json", problems.MEDIA_TYPE)
    return content["schema"]["$ref"]
