"""Check JSON values against the OpenAPI document of the API."""

from typing import Any

from jsonschema import Draft202012Validator

from leaderboard.http import problems


def assert_matches_schema(document: dict, ref: str, value: dict) -> None:
    """Check `value` against the schema `ref`; a member that the schema does not name is an error."""
    schema = {"$ref": ref, "components": _as_json_schema(document["components"])}
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def _as_json_schema(schema: Any) -> Any:
    """Return a schema of OpenAPI 3.0 with its null as a type, and without further members."""
    if isinstance(schema, list):
        return [_as_json_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    read = {key: _as_json_schema(value) for key, value in schema.items() if key != "nullable"}
    if "properties" in read and read.get("type") == "object":
        read["additionalProperties"] = False
    return {"anyOf": [read, {"type": "null"}]} if schema.get("nullable") is True else read


def ref_of(document: dict, path: str, method: str, status: str) -> Any:
    """Return the reference to the schema of a response."""
    ((media_type, content),) = document["paths"][path][method]["responses"][status]["content"].items()
    assert media_type in ("application/json", problems.MEDIA_TYPE)
    return content["schema"]["$ref"]
