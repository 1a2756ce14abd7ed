"""Examples of bodies, made from their JSON Schemas, so that each shape has one and none contradicts it."""

from collections.abc import Mapping
from typing import Any

from leaderboard.api.schema import examples

Schema = Mapping[str, Any]

_REFERENCE = "#/components/schemas/"
_OF_FORMATS = {
    "uuid": examples.ID,
    "date-time": "2026-03-02T09:30:01.211870Z",
    "date": "2026-03-01",
    "binary": '{"results": [{"task_id": "task1_1", "answer": "[\\"S6534835\\"]"}]}',
}
# Files as bodies of their own. Those that no JSON text can hold have no example.
BINARY = {
    "application/json": _OF_FORMATS["binary"],
    "application/x-ndjson": '{"task_id": "task1_1", "answer": "[\\"S6534835\\"]"}\n',
}


def sample(schema: Schema, components: Mapping[str, Schema]) -> Any:
    """Return a value that a schema allows: of an object, the members that are always there.

    components: the schemas that `schema` may refer to, by name.

    An example that a person wrote comes before one that follows from the schema. A text without any is the
    name of its field in angle brackets; a test looks for these.
    """
    return _sample(schema, components, "", "")


def _sample(schema: Schema, components: Mapping[str, Schema], owner: str, name: str) -> Any:
    """owner, name: the component and the field that the value is of; "" outside of any."""
    for key in (f"{owner}.{name}", name):
        if key in examples.OF_FIELDS:
            return examples.OF_FIELDS[key]
    if "anyOf" in schema:
        return _sample(schema["anyOf"][0], components, owner, name)
    if "$ref" in schema:
        shape = schema["$ref"].removeprefix(_REFERENCE)
        return examples.OF_SHAPES.get(shape) or _sample(components[shape], components, shape, "")
    if schema.get("type") == "object":
        fields = {field: schema["properties"][field] for field in schema.get("required", ())}
        return {field: _sample(value, components, owner, field) for field, value in fields.items()}
    if schema.get("type") == "array":
        return [_sample(schema["items"], components, owner, name)] * schema.get("minItems", 1)
    return _simple(schema, name)


def _simple(schema: Schema, name: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "string":
        return _OF_FORMATS.get(schema.get("format", ""), f"<{name}>")
    # Of numbers the smallest that is not 0, if that is allowed.
    return {"boolean": False, "null": None}.get(schema.get("type", ""), max(1, schema.get("minimum", 1)))
