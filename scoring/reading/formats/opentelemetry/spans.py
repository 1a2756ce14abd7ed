"""The spans of a record, whoever exported them: their ids, times, and attributes by name.

Source: OpenTelemetry, the console exporter, and OTLP in JSON. Logfire, MLflow and Phoenix export the same
attributes in other places.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Steps
from wardboard.scoring.reading.formats.values import decoded, moment, value_at

# Where containers have their spans.
_WITHIN = (
    "resourceSpans",
    "scopeSpans",
    "resource_spans",
    "scope_spans",
    "batches",
    "spans",
    "data",
    "trace",
)
_TRACE, _SPAN = ("traceId", "trace_id", "context.trace_id"), ("spanId", "span_id", "context.span_id")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id")
_STARTED = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "start_timestamp")
_ENDED = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "end_timestamp", *_STARTED)
# Fields that may be texts of JSON, and how long the name of an attribute, or an id, is at most.
_OF_JSON, _LONGEST = ("attributes.", "metadata.", "tags."), 200
# An id of a task of our benchmarks, names of attributes that hold one of any form, and ids of other things.
_TASK_ID = re.compile(r"task\d{1,2}_\d{1,6}|[0-9a-f]{24}")
_TASK_NAME = re.compile(r"(?:.*[^a-z])?(?:task|question)[._-]?id", re.DOTALL | re.IGNORECASE)
_OTHER_ID = re.compile(r"[0-9a-fA-F-]{32,36}")
# Times since 1970 above these are in nanoseconds, microseconds or milliseconds.
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))


class Span(NamedTuple):
    """A span. task: the id that it, or the resource around it, states. Times: in seconds, 0 if unknown.

    values: attributes, and fields such as `status.code`, by name
    """

    here: Findings
    trace: str
    id: str
    parent: str
    started: float
    ended: float
    task: str
    values: Mapping[str, Any]


def has_spans(record: Any) -> bool:
    """Return whether `record` is a span, or a container with one."""
    return any(True for _ in _spans_in(record))


def spans_of(record: Any, here: Findings) -> Iterator[Span]:
    """Yield the spans that a record is or holds."""
    for steps, span, task in _spans_in(record):
        values = {name.rpartition("attributes.")[2]: value for name, value in _flat(span)}
        trace, own, parent = (str(first_of(values, names) or "") for names in (_TRACE, _SPAN, _PARENT))
        started, ended = (_seconds(first_of(values, names)) for names in (_STARTED, _ENDED))
        yield Span(here.at(*steps), trace, own, parent, started, ended, _task(values) or task, values)


def first_of(values: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first value of `names` that is not empty; None without one."""
    return next((values[name] for name in names if values.get(name)), None)


def _spans_in(value: Any, steps: Steps = (), task: str = "") -> Iterator[tuple[Steps, dict[str, Any], str]]:
    """Yield the place of each span, the span, and the task that is stated around it."""
    if isinstance(value, list):
        for position, item in enumerate(value):
            yield from _spans_in(item, (*steps, position), task)
    elif isinstance(value, dict):
        context = value.get("context")
        keys = (
            {*value, *(f"context.{key}" for key in context if isinstance(context, dict))}
            if context
            else value.keys()
        )
        if not keys.isdisjoint(_TRACE) and not keys.isdisjoint(_SPAN):
            yield steps, value, task
        elif within := [key for key in _WITHIN if isinstance(value.get(key), dict | list)]:
            task = _task(dict(_flat({key: value.get(key) for key in ("resource", "info")}))) or task
            for key in within:
                yield from _spans_in(value[key], (*steps, key), task)


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of an object by their dotted names; those of a list of attributes by theirs."""
    value = plain(decoded(value, value) if isinstance(value, str) and prefix.endswith(_OF_JSON) else value)
    if isinstance(value, dict) and value:
        for key, item in value.items() if len(prefix) < _LONGEST else ():
            yield from _flat(item, f"{prefix}{key}.")
    else:
        yield prefix[:-1], value


def plain(value: Any) -> Any:
    """Return a value of OTLP as JSON has it; another one as it is."""
    if isinstance(value, list) and value and all(isinstance(value_at(pair, "key"), str) for pair in value):
        return {pair["key"]: plain(pair.get("value")) for pair in value}
    kind, within = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else ("", None)
    match kind.replace("_v", "V"):
        case "arrayValue" | "kvlistValue":
            items = plain(value_at(within, "values"))
            return [plain(item) for item in items] if isinstance(items, list) else items
        case "intValue" if isinstance(within, str) and within.isdecimal():
            return int(within[:20])
        case "stringValue" | "boolValue" | "intValue" | "doubleValue":
            return within
    return value


def _task(values: Mapping[str, Any]) -> str:
    """Return the id of a task among values: one in the form of ours, or of an attribute with such a name."""
    texts = {name: value.strip('"') for name, value in values.items() if isinstance(value, str)}
    stated = {name: text for name, text in texts.items() if 0 < len(text) < _LONGEST}
    ids = {text for text in stated.values() if _TASK_ID.fullmatch(text)}
    named = {
        text for name, text in stated.items() if _TASK_NAME.fullmatch(name) and not _OTHER_ID.fullmatch(text)
    }
    best = ids & named or ids or named
    # Of several, none says that it is that of the task.
    return best.pop() if len(best) == 1 else ""


def _seconds(value: Any) -> float:
    """Return a time in ISO 8601, or in any unit since 1970, in seconds; 0 for what is none."""
    text = str(value)[:40]
    found = float(text) if text.replace(".", "", 1).isdecimal() else moment(text) or 0.0
    return next((found / unit for least, unit in _UNITS if found > least), found)
