"""Compare the payload of a POST with one that was due, field by field, by the checks of the grader alone."""

from collections.abc import Iterator, Mapping
from itertools import islice
from operator import eq
from typing import Any

from wardboard.scoring.explanations import WrongField, compact
from wardboard.scoring.medagentbench.grading.payloads import Rule, holds, payload_due
from wardboard.scoring.medagentbench.grading.references import Reference

_MOST = 20  # wrong fields of an object that is compared as a whole
_ABSENT = object()

Path = tuple[str | int, ...]


def wrong_fields(rule: Rule, payload: Any, reference: Reference) -> Mapping[Path, WrongField]:
    """Return path -> what is wrong there in a payload of any JSON type; {} if it fulfils the rule."""
    due = payload_due(rule, reference)
    found: dict[Path, WrongField] = {}
    for check in rule:
        if not holds((check,), payload, reference):
            # What is not compared for equality is one field.
            parts = _differing(due, payload, check.path, is_whole=check.passes is not eq)
            found |= {path: _field(path, *values) for path, *values in islice(parts, _MOST)}
    return found


def _differing(
    due: Any, sent: Any, ahead: Path, path: Path = (), *, is_whole: bool
) -> Iterator[tuple[Path, Any, Any]]:
    """Yield path, due and sent value of what differs at the end of `ahead`, or where that breaks off."""
    is_end = is_whole and not ahead
    if is_end or type(due) is not type(sent) or not isinstance(due, dict | list):
        if is_end or due != sent:
            yield path, due, sent
        return
    parts_due, parts = map(_parts, (due, sent))
    for step in ahead[:1] or {**parts_due, **parts}:
        part_due, part = parts_due.get(step, _ABSENT), parts.get(step, _ABSENT)
        yield from _differing(part_due, part, ahead[1:], (*path, step), is_whole=is_whole)


def _parts(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else dict(enumerate(value))


def _field(path: Path, due: Any, sent: Any) -> WrongField:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    shown = ("" if value is _ABSENT else compact(value) for value in (due, sent))
    return WrongField("".join(steps).removeprefix("."), *shown)
