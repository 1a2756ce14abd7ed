"""Traces by OpenTelemetry's GenAI conventions: what the spans of a trace say of a task is an attempt at it.

The table `traces.tsv` has names of attributes: `input` and `output` messages; a `result` without messages; a
call of a `tool`; and ends of names of ids of a `task`, and of values in `json`. Source: OpenTelemetry,
semantic conventions for generative AI, console exporter, and OTLP in JSON. Messages were events once, or
`gen_ai.completion`. Other exports have the same attributes in other places.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from typing import Any

from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.known_files import ANSWER_KEYS
from wardboard.scoring.reading.formats.openai.conversations import Conversation, Conversations
from wardboard.scoring.reading.formats.openai.messages import Placed, text_of
from wardboard.scoring.reading.formats.openai.parts import parts_in
from wardboard.scoring.reading.formats.systems import listed
from wardboard.scoring.reading.formats.values import (
    TASK_ID,
    count,
    decoded,
    digest,
    first_text,
    moment,
    value_at,
    words_beside,
)
from wardboard.scoring.reading.messages import phrase

OTEL_GENAI = "otel-genai"
_NAMES = words_beside(__file__)
# Where containers have their spans; and names of parts of a span, as exporters write them.
_WITHIN = re.compile("(?:resource|scope)_?[sS]pans|spans|batches|rows|data|trace")
_TRACE, _SPAN = (re.compile(rf"(?m)^(?:context\.)?{name}_?[iI]d$") for name in ("trace", "span"))
_PARENT = re.compile("(?m)^parent_?(?:[sS]pan_?)?[iI]d$")
_START, _END = re.compile("(?m)^start_?[tT]ime.*$"), re.compile("(?m)^end_?[tT]ime.*$")
_STATUS = re.compile(r"(?m)^status[._](?:status_)?code$")
_REASON = re.compile(r"(?m)^status[._](?:description|message)$")
_MODEL = re.compile(r"(?m)^(?:gen_ai\.re(?:quest|sponse)\.model|llm\.model_name)$")
_TOKENS_IN = re.compile(r"(?m)^(?:gen_ai\.usage\.(?:input|prompt)_tokens|llm\.token_count\.prompt)$")
_TOKENS_OUT = re.compile(r"(?m)^(?:gen_ai\.usage|llm\.token_count)\.(?:output|completion)(?:_tokens)?$")
_KIND = re.compile(r"(?m)^(?:(?:openinference\.span\.|traceloop\.span\.|span_)kind|mlflow\.spanType)$")
_KEYS = (*ANSWER_KEYS, "outputs")
_EVENT = re.compile(r"gen_ai\.(?:(system|user|assistant|tool)\.message|choice)")
_OTHER_ID = re.compile(r"[0-9a-fA-F-]{32,36}|")
_LONGEST, _MOST_SECONDS = 200, 1e11  # characters of a name or an id; of a time since 1970

# The attributes and fields of a span by name, and its `names`, `here`, `id`, `task`, `start` and `end`.
Span = Mapping[str, Any]


def has_spans(record: Any) -> bool:
    """Return whether `record` is a span, or a container with one; a log record is none."""
    is_log_record = isinstance(record, dict) and "severity_number" in record
    return not is_log_record and any(True for _ in _spans_in(record))


def read_spans(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of the spans in all records, in the order in which they began."""
    traces: defaultdict[str, dict[str, Span]] = defaultdict(dict)
    here, span = None, dict[str, Any]()
    for here, record in rows:
        for fields, task in _spans_in(record):
            here.check_time()
            span = {name.rpartition("attributes.")[2]: value for name, value in _flat(fields)}
            span["names"] = "\n".join(span)
            own = str(_first(span, _SPAN))
            start, end = _seconds(_first(span, _START)), _seconds(_first(span, _END))
            span |= {"here": here, "id": own, "task": _task(span) or task}
            span |= {"start": start, "end": end or start}
            traces[str(_first(span, _TRACE))][own] = span
    groups = [group for spans in traces.values() for group in _groups([*spans.values()])]
    lines = [_conversation(*group) for group in sorted(groups, key=lambda group: group[1][0]["start"])]
    if here and not any(line.messages for line in lines):
        keys = listed([name for name in span if "." in name])
        message = phrase("the spans hold no messages (`gen_ai.output.messages`), but {keys}", keys=keys)
        hint = phrase("Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, and run it again.")
        here.problem(FormatCode.NO_ATTEMPTS, (), message, hint)
        return
    yield from Conversations().attempts(line for line in lines if line.messages or line.task_id)


def _spans_in(value: Any, task: str = "") -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each span, and the task that is stated around it; what has cases is no span, but their report."""
    for item in value if isinstance(value, list) else ():
        yield from _spans_in(item, task)
    if isinstance(value, dict):
        context = value.get("context")
        names = [*value, *(context if isinstance(context, dict) else ())]
        if any(map(_SPAN.fullmatch, names)) and any(map(_TRACE.fullmatch, names)) and "cases" not in value:
            yield value, task
        elif within := [item for key, item in value.items() if _WITHIN.fullmatch(key)]:
            around = {key: value.get(key) for key in ("resource", "info")}
            yield from _spans_in(within, _task(dict(_flat(around))) or task)


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of an object by their dotted names; those of a list of attributes by theirs."""
    is_json = isinstance(value, str) and prefix.endswith(_NAMES["json"])
    value = _plain(decoded(value, value) if is_json else value)
    if isinstance(value, dict) and value:
        for key, item in value.items() if len(prefix) < _LONGEST else ():
            yield from _flat(item, f"{prefix}{key}.")
    else:
        yield prefix[:-1], value


def _plain(value: Any) -> Any:
    """Return a value of OTLP as JSON has it; another one as it is."""
    if isinstance(value, list) and isinstance(value_at(value, 0, "key"), str):
        return {str(value_at(pair, "key")): _plain(value_at(pair, "value")) for pair in value}
    kind, within = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else ("", None)
    if kind.endswith(("Value", "_value")):
        within = _plain(value_at(within, "values")) if isinstance(within, dict) else within
        return [_plain(item) for item in within] if isinstance(within, list) else within
    return value


def _first(span: Span, pattern: re.Pattern[str]) -> Any:
    """Return the value of the first name, in the order of the alphabet, that has one; None without one."""
    names = (found[0] for found in pattern.finditer(span["names"]))
    return span.get(min((name for name in names if span.get(name)), default=""))


def _seconds(value: Any) -> float:
    """Return a time, in ISO 8601 or in any unit since 1970, in seconds; 0 for none."""
    text = str(value)[:40]
    found = float(text) if text.replace(".", "", 1).isdecimal() else moment(text) or 0.0
    return next(found / unit for unit in (1, 1e3, 1e6, 1e9, 1e40) if found / unit < _MOST_SECONDS)


def _task(values: Span) -> str:
    """Return the id of a task among values: one in the form of ours, or of an attribute with such a name."""
    texts = {name: value.strip('"')[:_LONGEST] for name, value in values.items() if isinstance(value, str)}
    ids = {text for text in texts.values() if TASK_ID.fullmatch(text)}
    named = {text for name, text in texts.items() if name.lower().endswith(_NAMES["task"])}
    best = ids & named or ids or {text for text in named if not _OTHER_ID.fullmatch(text)}
    # Of several, none says that it is that of the task.
    return best.pop() if len(best) == 1 else ""


def _groups(spans: list[Span]) -> Iterator[tuple[str, list[Span]]]:
    """Yield the spans of a trace by task: what they state, or the next span around; of several, by each."""
    # A span begins before those in it, or ends after them.
    spans.sort(key=lambda span: (span["start"], -span["end"]))
    tasks: dict[str, str] = {}
    for span in spans:
        tasks[span["id"]] = span["task"] or tasks.get(str(_first(span, _PARENT)), "")
    stated = {*tasks.values()} - {""}
    only = stated.pop() if len(stated) == 1 else ""
    groups: defaultdict[str, list[Span]] = defaultdict(list)
    for span in spans:
        groups[tasks[span["id"]] or only].append(span)
    yield from (group for group in groups.items() if group[0] or len(groups) == 1)


def _conversation(task: str, spans: list[Span]) -> Conversation:
    """Return what spans, in the order in which they began, say of a task."""
    start, spans = spans[0]["start"], sorted(spans, key=lambda span: span["end"])
    here, end = spans[-1]["here"], spans[-1]["end"]
    messages, seen = list[Placed](), Counter[str]()
    for span in spans:
        # A span repeats the messages of earlier ones, or has only new ones.
        own = Counter[str]()
        for message in _messages(span):
            own[key := digest(message)] += 1
            if own[key] > seen[key]:
                messages.append((("attributes",), message))
        # The union of two counters would walk through all that was seen.
        seen.update({key: number - seen[key] for key, number in own.items() if number > seen[key]})
    if not any(part.kind == "call" for _, message in messages for _, part in parts_in(message)):
        messages += [each for span in spans for each in _messages_of_tool(span)]
    if not any(message["role"] == "assistant" and text_of(message["content"]) for _, message in messages):
        # The span around others ends last, with the answer.
        results = ([*_result(span)] for span in reversed(spans))
        messages += [(("attributes",), message) for message in next(filter(None, results), ())]
    # A span around others repeats their tokens.
    inner = [span for span in spans if "agent" not in str(span.get("gen_ai.operation.name"))]
    failed = [span for span in spans if str(_first(span, _STATUS)).upper().endswith(("ERROR", "2"))]
    texts = [text_of(message["content"]) for _, message in messages if message["role"] == "assistant"]
    # What failed on the way was tried again.
    is_failed = bool(failed) and (failed[-1] is spans[-1] or not any(texts))
    reasons = str([span.get("gen_ai.response.finish_reasons") for span in spans[-2:]])
    return Conversation(
        here=here,
        task_id=task,
        messages=messages,
        facts=Facts(
            input_tokens=_sum(inner, _TOKENS_IN) or _sum(spans, _TOKENS_IN),
            output_tokens=_sum(inner, _TOKENS_OUT) or _sum(spans, _TOKENS_OUT),
            seconds=end - start if end > start > 0 else None,
            model=first_text(*(_first(span, _MODEL) for span in spans)),
            started=round(start * 1000) or None,
            finished=round(end * 1000) or None,
        ),
        error=first_text(_first(failed[-1], _REASON), failed[-1].get("error.type")) if is_failed else "",
        notes=(FormatCode.TRUNCATED,) if "length" in reasons or "max_tokens" in reasons else (),
    )


def _result(span: Span) -> Iterator[dict[str, Any]]:
    """Yield the message that says what a span put out, if it has a text or a list under a key of answers."""
    value = next((found for name in _NAMES["result"] if (found := _under(span, name))), None)
    while isinstance(value, dict) and (key := next((key for key in _KEYS if value.get(key)), "")):
        value = value[key]
    is_chat = isinstance(value, str | dict | None) or isinstance(value_at(value, 0), dict)
    if not re.search("tool|retriever", str(_first(span, _KIND)), re.IGNORECASE):
        yield from _chat(value if is_chat else json.dumps(value), "assistant")


def _sum(spans: Iterable[Span], pattern: re.Pattern[str]) -> int | None:
    # OTLP has numbers as texts.
    return sum(count(decoded(str(_first(span, pattern)))) or 0 for span in spans) or None


def _messages_of_tool(span: Span) -> Iterator[Placed]:
    name, arguments, result = map(span.get, _NAMES["tool"])
    if name:
        call = {"id": span["id"], "name": name, "arguments": arguments}
        yield (), {"role": "assistant", "content": "", "tool_calls": [call]}
        yield (), {"role": "tool", "content": result, "tool_call_id": span["id"]}


def _messages(span: Span) -> Iterator[dict[str, Any]]:
    """Yield the messages that a span, or an event of one, states, as those of a chat."""
    for name in _NAMES["input"]:
        yield from _chat(_under(span, name), "user")
    for event in (*_items(span.get("events")), *_items(span.get("all_messages_events"))):
        found = _plain(value_at(event, "attributes")) or event
        found = found if isinstance(found, dict) else {}
        if kind := _EVENT.fullmatch(str(found.get("event.name") or value_at(event, "name"))):
            yield from _chat(found.get("gen_ai.event.content") or found, kind[1] or "assistant")
        else:
            yield from _messages(found)
    for name in _NAMES["output"]:
        yield from _chat(_under(span, name), "assistant")


def _chat(value: Any, role: str) -> Iterator[dict[str, Any]]:
    """Yield the messages in a value. role: of those that state none."""
    for item in _items(value):
        within = next((item[key] for key in ("message", "messages", "choices") if value_at(item, key)), None)
        if within is not None:
            yield from _chat(within, role)
            continue
        message = item if isinstance(item, dict) else {"content": item}
        calls = [value_at(call, "tool_call") or call for call in _items(message.get("tool_calls"))]
        parts = [value_at(part, "message_content") for part in _items(message.get("contents"))]
        content = message.get("content") or message.get("parts") or parts
        if content or calls:
            call_id = message.get("tool_call_id") or message.get("id")
            fields = {"content": content, "tool_calls": calls, "tool_call_id": call_id}
            yield {"role": message.get("role") or role, **fields}


def _under(span: Span, name: str) -> Any:
    """Return what is under a name in parts, such as `gen_ai.prompt.0.content`; {} for nothing."""
    tree: dict[str, Any] = {}
    for key in span if name in span.get("names", name) else ():
        if key.startswith(f"{name}."):
            *steps, last = key[len(name) + 1 :].split(".")
            # What is a value has no parts.
            with suppress(AttributeError, TypeError):
                reduce(lambda within, step: within.setdefault(step, {}), steps, tree)[last] = span[key]
    # An answer may be an empty list; no messages are none.
    return span.get(name, tree) if span.get(name) != "[]" or "messages" not in name else None


def _items(value: Any) -> list[Any]:
    """Return the items of a list, of an object with numbers as keys, or of either as JSON; else the value."""
    parsed = decoded(value) if isinstance(value, str) else value
    if isinstance(value, str) and isinstance(parsed, str):
        return _items(parsed)
    if isinstance(parsed, dict):
        return [*parsed.values()] if all(key.isdecimal() for key in parsed) else [parsed]
    is_of_objects = parsed is value or isinstance(value_at(parsed, 0), dict)
    return parsed if isinstance(parsed, list) and is_of_objects else [value] if value else []
