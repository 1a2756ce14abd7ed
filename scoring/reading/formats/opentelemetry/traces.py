"""The traces of agents by OpenTelemetry's GenAI conventions: what a trace has of a task is an attempt at it.

Source: OpenTelemetry, semantic conventions for generative AI: messages as attributes, before that as events,
and before that as `gen_ai.prompt` and `gen_ai.completion`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.conversations import Conversation, Conversations
from wardboard.scoring.reading.formats.openai.messages import Placed, calls_in
from wardboard.scoring.reading.formats.opentelemetry.spans import Span, first_of, has_spans, plain, spans_of
from wardboard.scoring.reading.formats.values import (
    count,
    decoded,
    digest,
    first_line,
    first_stated,
    first_text,
    milliseconds,
    number,
    total,
    value_at,
)
from wardboard.scoring.reading.messages import phrase

OTEL_GENAI = "otel-genai"
_INPUTS = ("gen_ai.input.messages", "pydantic_ai.all_messages", "gen_ai.prompt", "llm.input_messages")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages")
_EVENT = re.compile(r"gen_ai\.(?:(system|user|assistant|tool)\.message|choice)")
_TOKENS = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "cached_tokens": ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"),
    "output_tokens": (
        *("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        "llm.token_count.completion",
    ),
}
_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments")
_RESULT = ("gen_ai.tool.call.result", "tool_response")
_MODEL = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name")
_STATUS = ("status.status_code", "status.code", "status_code")
_REASONS = ("status.description", "status.message", "status_message", "error.type", *_STATUS)


def read_spans(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of the spans in all records, in the order in which they began."""
    traces: defaultdict[str, dict[str, Span]] = defaultdict(dict)
    last = None
    for last, record in rows:
        last.check_time()
        if not has_spans(record):
            last.problem(FormatCode.DAMAGED, (), phrase("this is no span of a trace, and holds none"))
        for span in spans_of(record, last):
            traces[span.trace][span.id] = span
    groups = [group for spans in traces.values() for group in _groups([*spans.values()])]
    lines = [_conversation(*group) for group in sorted(groups, key=lambda group: group[1][0].started)]
    lines = [line for line in lines if line.task_id or line.messages]
    if last and not any(line.messages for line in lines):
        message = phrase("the spans hold no messages, such as in `gen_ai.output.messages`")
        hint = phrase("Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, and run it again.")
        last.problem(FormatCode.NO_ATTEMPTS, (), message, hint)
        return
    conversations = Conversations()
    for line in lines:
        yield from map(_placed, conversations.add(line))
    yield from map(_placed, conversations.rest())


def _placed(attempt: Attempt) -> Attempt:
    # Most messages are within a text of JSON, where nothing can be pointed at.
    return msgspec.structs.replace(attempt, answer_place=("attributes",))


def _groups(spans: list[Span]) -> Iterator[tuple[str, list[Span]]]:
    """Yield the spans of a trace by the task that they, or the next span around that states one, state.

    Where there are several tasks, the spans around them are of none.
    """
    # A span begins before those in it, or ends after them.
    spans.sort(key=lambda span: (span.started, -span.ended))
    tasks: dict[str, str] = {}
    for span in spans:
        tasks[span.id] = span.task or tasks.get(span.parent, "")
    stated = {*tasks.values()} - {""}
    only = stated.pop() if len(stated) == 1 else ""
    groups: defaultdict[str, list[Span]] = defaultdict(list)
    for span in spans:
        groups[tasks[span.id] or only].append(span)
    yield from (group for group in groups.items() if group[0] or len(groups) == 1)


def _conversation(task: str, spans: list[Span]) -> Conversation:
    """Return what spans, in the order in which they began, say of a task."""
    values = [span.values for span in sorted(spans, key=lambda span: span.ended)]
    messages, seen = list[Placed](), Counter[str]()
    for each in values:
        # A span repeats the messages of earlier ones, or has only new ones.
        own = Counter[str]()
        for message in _messages(each):
            key = digest(message)
            own[key] += 1
            if own[key] > seen[key]:
                seen[key] += 1
                messages.append(((), message))
    messages += [*_calls_apart(values, messages)]
    # A span around others repeats their tokens.
    inner = [each for each in values if "agent" not in str(each.get("gen_ai.operation.name"))]
    tokens: dict[str, Any] = {
        kind: _sum(inner, names) or _sum(values, names) for kind, names in _TOKENS.items()
    }
    failed = [each for each in values if str(first_of(each, _STATUS)).upper().endswith(("ERROR", "2"))]
    reasons = str([each.get("gen_ai.response.finish_reasons") for each in values[-2:]])
    started, ended = spans[0].started, max(span.ended for span in spans)
    return Conversation(
        here=max(spans, key=lambda span: span.ended).here,
        task_id=task,
        messages=messages,
        facts=Facts(
            **tokens,
            seconds=ended - started if ended > started > 0 else None,
            model=first_text(*(first_of(each, _MODEL) for each in reversed(values))),
            temperature=first_stated(*(number(each.get("gen_ai.request.temperature")) for each in values)),
            started=milliseconds(started),
            finished=milliseconds(ended),
        ),
        error=first_line(first_of(failed[-1], _REASONS)) if failed else "",
        notes=(FormatCode.TRUNCATED,) if re.search("length|max_tokens", reasons, re.I) else (),
    )


def _sum(spans: Iterable[Mapping[str, Any]], names: Iterable[str]) -> int | None:
    return count(total(*(count(first_of(values, names)) for values in spans)))


def _calls_apart(spans: Iterable[Mapping[str, Any]], messages: Iterable[Placed]) -> Iterator[Placed]:
    """Yield the calls and the replies that only the spans of tools state."""
    known = {
        value_at(call, "id") for _, message in messages for _, call in calls_in(message, message.get("parts"))
    }
    for number_, values in enumerate(spans):
        if name := values.get("gen_ai.tool.name"):
            stated = values.get("gen_ai.tool.call.id")
            own = stated or f"span {number_}"
            if stated not in known and (stated or not known):
                call = {"id": own, "name": name, "arguments": first_of(values, _ARGUMENTS)}
                yield (), {"role": "assistant", "tool_calls": [call]}
            yield (), {"role": "tool", "tool_call_id": own, "content": _parsed(first_of(values, _RESULT))}


def _messages(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the messages that a span, or an event of one, states, as those of a chat."""
    for name in _INPUTS:
        yield from _chat(_under(values, name), "user")
    for event in (*_items(values.get("events")), *_items(values.get("all_messages_events"))):
        found = plain(value_at(event, "attributes")) or event
        found = found if isinstance(found, dict) else {}
        if kind := _EVENT.fullmatch(str(found.get("event.name") or value_at(event, "name"))):
            yield from _chat(found.get("gen_ai.event.content") or found, kind[1] or "assistant")
        else:
            yield from _messages(found)
    for name in _OUTPUTS:
        yield from _chat(_under(values, name), "assistant")


def _chat(value: Any, role: str) -> Iterator[dict[str, Any]]:
    """Yield the messages in a value. role: of those that state none."""
    value = _parsed(value)
    if isinstance(value, dict):
        value = next((value[key] for key in ("messages", "choices") if key in value), value)
    for item in _items(value) or [value]:
        message = _parsed(value_at(item, "message") or item)
        message = message if isinstance(message, dict) else {"content": message}
        calls = [value_at(call, "tool_call") or call for call in _items(message.get("tool_calls"))]
        fields = {key: message.get(key) for key in ("content", "parts", "id", "tool_call_id")}
        if any(fields.values()) or calls:
            yield {"role": message.get("role") or role, **fields, "tool_calls": calls}


def _under(values: Mapping[str, Any], name: str) -> Any:
    """Return what is under a name in parts, such as `gen_ai.prompt.0.content`; {} for nothing."""
    tree: dict[str, Any] = {}
    for key in values if name not in values else ():
        if key.startswith(f"{name}."):
            within, (*steps, last) = tree, key[len(name) + 1 :].split(".")
            for step in steps:
                if not isinstance(within.get(step), dict):
                    within[step] = {}
                within = within[step]
            within[last] = values[key]
    return values.get(name, tree)


def _parsed(value: Any) -> Any:
    """Return the messages that a text is as JSON; another text, such as a list as an answer, as it is."""
    parsed = decoded(value) if isinstance(value, str) else value
    if isinstance(value, str) and isinstance(parsed, str):
        return _parsed(parsed)
    return parsed if isinstance(parsed, dict) or isinstance(value_at(parsed, 0), dict) else value


def _items(value: Any) -> list[Any]:
    """Return the items of a list, of one as JSON, or of an object with numbers as keys."""
    value = decoded(value) if isinstance(value, str) else value
    if isinstance(value, dict) and all(key.isdecimal() for key in value):
        return [*value.values()]
    return value if isinstance(value, list) else []
