"""Find every error of a schema in a value of a file, with jsonschema.

The message of an error of `required` is the missing key. Of a list whose items need only be of a type, the
first wrong item alone is an error. Importing this module takes a tenth of a second.
"""

import re
from collections.abc import Iterator
from contextvars import ContextVar
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from wardboard.scoring.reading.collector import Findings

# The findings of the file that this thread checks.
current_findings: ContextVar[Findings] = ContextVar("current")


def _items(validator: Any, schema: Any, values: Any, _: object) -> Iterator[ValidationError]:
    """Yield the errors of a list, and check the time at every item.

    The caller cannot check the time: a list without errors yields nothing until its end.
    """
    if not validator.is_type(values, "array"):
        return
    findings = current_findings.get()
    numbered: Iterator[tuple[int, Any]] = enumerate(values)
    if schema.keys() == {"type"}:
        # A list can hold a million ids. One value of each type in Python stands for all of its type.
        examples, item = {type(value): value for value in values}, validator.evolve(schema=schema)
        wrong = {kind for kind, value in examples.items() if not item.is_valid(value)}
        numbered = islice((pair for pair in numbered if type(pair[1]) in wrong), 1 if wrong else 0)
    for position, value in numbered:
        findings.check_time()
        yield from validator.descend(value, schema, path=position)


def _additional_properties(validator: Any, schema: Any, value: Any, whole: Any) -> Iterator[ValidationError]:
    """Yield the errors of the values whose keys the schema does not name, in the order of the file."""
    named = whole.get("properties", {})
    for key in value if validator.is_type(value, "object") else ():
        current_findings.get().check_time()
        if key not in named and schema is False:
            # `descend` would leave the key out of the path.
            yield ValidationError(key, path=(key,))
        elif key not in named:
            yield from validator.descend(value[key], schema, path=key)


def _pattern(validator: Any, pattern: str, value: Any, _: object) -> Iterator[ValidationError]:
    # All released patterns have `^` and `$` around them. Python's `$` would let a line break follow.
    if validator.is_type(value, "string") and not re.fullmatch(pattern, value):
        yield ValidationError("pattern")


def _required(validator: Any, keys: Any, value: Any, _: object) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        yield from (ValidationError(key) for key in keys if key not in value)


Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "additionalProperties": _additional_properties,
        "items": _items,
        "pattern": _pattern,
        "required": _required,
    },
)
