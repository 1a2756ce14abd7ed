"""Checks of a JSON value against the API's OpenAPI document."""

import json

from jsonschema import Draft4Validator

from leaderboard.api import problems


def assert_matches_schema(document: dict, ref: str, value: dict) -> None:
    """Check `value` against the schema that `ref` names; what the schema does not name is an error too."""
    components = json.loads(json.dumps(document["components"]))
    for schema in components["schemas"].values():
        _translate(schema)
    Draft4Validator({"$ref": ref, "components": components}).validate(value)


def _translate(schema: dict) -> None:
    # OpenAPI 3.0 says `nullable` where JSON Schema says a type more.
    if schema.get("type") == "object" and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    for inner in [
        *schema.get("properties", {}).values(),
        schema.get("items"),
        schema.get("additionalProperties"),
    ]:
        if isinstance(inner, dict):
            _translate(inner)
    if schema.pop("nullable", False):
        inner = dict(schema)
        schema.clear()
        schema["anyOf"] = [inner, {"enum": [None]}]


def ref_of(document: dict, path: str, method: str, status: str) -> str:
    ((kind, content),) = document["paths"][path][method]["responses"][status]["content"].items()
    assert kind in ("application/json", problems.MEDIA_TYPE)
    return content["schema"]["$ref"]
