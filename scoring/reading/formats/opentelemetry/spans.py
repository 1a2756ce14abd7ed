"""The spans of a record, whoever exported them: their attributes by name.

Source: OpenTelemetry, the console exporter, and OTLP in JSON. Logfire, MLflow and Phoenix export the same
attributes in other places.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.values import decoded, moment, value_at

# Where containers have their spans; names of parts of a span, one for each exporter.
_WITHIN = (
    *("resourceSpans", "scopeSpans", "resource_spans", "scope_spans", "batches"),
    *("spans", "rows", "data", "trace"),
)
_TRACE, _SPAN = ("traceId", "trace_id", "context.trace_id"), ("spanId", "span_id", "context.span_id")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id", "parentObservationId")
_START = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_timestamp")
_END = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "end_timestamp", *_START)
# A span as Langfuse exports it has only these ids.
_OBSERVATION = {"traceId", "id", "parentObservationId"}
# An id of a task of our benchmarks, names of attributes that hold one of any form, and other ids.
_TASK_ID = re.compile(r"task\d{1,2}_\d{1,6}|[0-9a-f]{24}")
_TASK_NAME = re.compile(r"(?:.*[^a-z])?(?:task|question)[._-]?id", re.DOTALL | re.IGNORECASE)
_OTHER_ID = re.compile(r"[0-9a-fA-F-]{32,36}|")
_LONGEST = 200  # characters of the name of an attribute, or of an id
# Times since 1970 above these are in nanoseconds, microseconds or milliseconds.
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))

# The attributes and fields of a span by name, and what `spans_of` adds.
Span = Mapping[str, Any]


def has_spans(record: Any) -> bool:
    """Return whether `record` is a span, or a container with one."""
    return any(True for _ in _spans_in(record))


def spans_of(record: Any, here: Findings) -> Iterator[Span]:
    """Yield the spans that a record is or holds. Of each there is added:

    - here, trace, span, parent: its place, and ids
    - task: id of the task that it, or the resource around it, states; "" for none
    - started, ended: in seconds since 1970, 0 if unknown
    """
    for fields, task in _spans_in(record):
        span = {name.rpartition("attributes.")[2]: value for name, value in _flat(fields)}
        ids = {
            "trace": first_of(span, _TRACE),
            "span": first_of(span, (*_SPAN, "id")),
            "parent": first_of(span, _PARENT),
        }
        times = {"started": _seconds(first_of(span, _START)), "ended": _seconds(first_of(span, _END))}
        yield {
            **span,
            **{name: str(value) for name, value in ids.items()},
            **times,
            "task": _task(span) or task,
            "here": here,
        }


def _spans_in(value: Any, task: str = "") -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each span, and the task that is stated around it."""
    if isinstance(value, list):
        for item in value:
            yield from _spans_in(item, task)
    elif isinstance(value, dict):
        context = value.get("context")
        names = {*value, *(f"context.{key}" for key in (context if isinstance(context, dict) else ()))}
        if names.intersection(_TRACE) and (names.intersection(_SPAN) or names >= _OBSERVATION):
            yield value, task
        elif within := [value[key] for key in _WITHIN if key in value]:
            around = {key: value.get(key) for key in ("resource", "info")}
            yield from _spans_in(within, _task(dict(_flat(around))) or task)


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of an object by their dotted names; those of a list of attributes by theirs."""
    if isinstance(value, str) and prefix.endswith(("attributes.", "metadata.", "tags.")):
        value = decoded(value, value)
    value = plain(value)
    if isinstance(value, dict) and value:
        for key, item in value.items() if len(prefix) < _LONGEST else ():
            yield from _flat(item, f"{prefix}{key}.")
    else:
        yield prefix[:-1], value


def plain(value: Any) -> Any:
    """Return a value of OTLP as JSON has it; another one as it is."""
    if isinstance(value, list) and isinstance(value_at(value, 0, "key"), str):
        return {str(value_at(pair, "key")): plain(value_at(pair, "value")) for pair in value}
    kind, within = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else ("", None)
    if kind in ("arrayValue", "array_value", "kvlistValue", "kvlist_value"):
        items = plain(value_at(within, "values"))
        return [plain(item) for item in items] if isinstance(items, list) else items
    return within if kind.endswith(("Value", "_value")) else value


def first_of(span: Span, names: Iterable[str]) -> Any:
    """Return the first value of `names` that is not empty; None for none."""
    return next((span[name] for name in names if span.get(name)), None)


def _seconds(value: Any) -> float:
    """Return a time, in ISO 8601 or in any unit since 1970, in seconds; 0 for none."""
    text = str(value)[:40]
    found = float(text) if text.replace(".", "", 1).isdecimal() else moment(text) or 0.0
    return next((found / unit for least, unit in _UNITS if found > least), found)


def _task(values: Span) -> str:
    """Return the id of a task among values: one in the form of ours, or of an attribute with such a name."""
    texts = {name: value.strip('"')[:_LONGEST] for name, value in values.items() if isinstance(value, str)}
    ids = {text for text in texts.values() if _TASK_ID.fullmatch(text)}
    named = {text for name, text in texts.items() if _TASK_NAME.fullmatch(name)}
    best = ids & named or ids or {text for text in named if not _OTHER_ID.fullmatch(text)}
    # Of several, none says that it is that of the task.
    return best.pop() if len(best) == 1 else ""
