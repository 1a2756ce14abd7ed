"""Read values that a record may hold as JSON text, once or several times over."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from wardboard.scoring.medagentbench.reading.answers import nests_deeper, parse_json

_DEEPEST = 100  # levels of JSON text that is read; deeper text stays text


def decoded(body: Any) -> tuple[str, Any, int]:
    """Return the text of a body, its value, and how many times it was encoded as text."""
    if not isinstance(body, str):
        return json.dumps(body), body, 0
    text, count = body, 0
    while isinstance(value := _json(text), str) and value != text:
        text, count = value, count + 1
    return text, value, count + 1


def value_of(value: Any) -> Any:
    """Return the object or the list that a text holds, and anything else as it is."""
    parsed = decoded(value)[1] if isinstance(value, str) else value
    return parsed if isinstance(parsed, (dict, list)) else value


def first_text(values: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    """Return the first text under one of `keys` that is not empty."""
    return next((values[key] for key in keys if isinstance(values.get(key), str) and values[key]), None)


def is_resource(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("resourceType"), str)


def _json(text: str) -> Any:
    """Return the value of a JSON text; the text itself if it is none."""
    try:
        return text if nests_deeper(text, _DEEPEST) else parse_json(text)
    except ValueError:
        return text
