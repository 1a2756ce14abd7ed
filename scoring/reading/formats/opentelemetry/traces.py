"""Traces by OpenTelemetry's GenAI conventions: what the spans of a trace say of a task is an attempt at it.

Source: OpenTelemetry, semantic conventions for generative AI: messages as attributes, before that as events,
and before that as `gen_ai.prompt` and `gen_ai.completion`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from typing import Any

from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.openai.conversations import Conversation, Conversations
from wardboard.scoring.reading.formats.openai.messages import Placed, calls_in
from wardboard.scoring.reading.formats.opentelemetry.spans import Span, first_of, plain, spans_of
from wardboard.scoring.reading.formats.values import count, decoded, digest, first_text, value_at
from wardboard.scoring.reading.messages import phrase

OTEL_GENAI = "otel-genai"
_INPUTS = ("gen_ai.input.messages", "pydantic_ai.all_messages", "gen_ai.prompt", "llm.input_messages")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages")
_SEEN_IN, _SEEN_OUT = ("langfuse.observation.input", "input"), ("langfuse.observation.output", "output")
_EVENT = re.compile(r"gen_ai\.(?:(system|user|assistant|tool)\.message|choice)")
_MODEL = (
    "gen_ai.request.model",
    "gen_ai.response.model",
    "llm.model_name",
    "langfuse.observation.model.name",
    "model",
)
_TOKENS_IN = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
_TOKENS_OUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")
_STATUS = ("status.status_code", "status.code", "status_code")
_REASON = ("status.description", "status.message", "status_message", "error.type", *_STATUS)


def read_spans(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of the spans in all records, in the order in which they began."""
    traces: defaultdict[str, dict[str, Span]] = defaultdict(dict)
    here = None
    for here, record in rows:
        here.check_time()
        for span in spans_of(record, here):
            traces[span["trace"]][span["span"]] = span
    groups = [group for spans in traces.values() for group in _groups(spans)]
    lines = [_conversation(*group) for group in sorted(groups, key=lambda group: group[1][0]["started"])]
    if here and not any(line.messages for line in lines):
        message = phrase("the spans hold no messages, such as in `gen_ai.output.messages`")
        hint = phrase("Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, and run it again.")
        here.problem(FormatCode.NO_ATTEMPTS, (), message, hint)
        return
    conversations = Conversations()
    for line in lines:
        if line.messages or line.task_id:
            yield from conversations.add(line)
    yield from conversations.rest()


def _groups(spans: Mapping[str, Span]) -> Iterator[tuple[str, list[Span]]]:
    """Yield the spans of a trace by the task that they, or the next span around that states one, state.

    Where there are several tasks, the spans around them are of none.
    """
    # A span begins before those in it, or ends after them.
    ordered = sorted(spans.items(), key=lambda pair: (pair[1]["started"], -pair[1]["ended"]))
    tasks: dict[str, str] = {}
    for own, span in ordered:
        tasks[own] = span["task"] or tasks.get(span["parent"], "")
    stated = {*tasks.values()} - {""}
    only = stated.pop() if len(stated) == 1 else ""
    groups: defaultdict[str, list[Span]] = defaultdict(list)
    for own, span in ordered:
        groups[tasks[own] or only].append(span)
    yield from (group for group in groups.items() if group[0] or len(groups) == 1)


def _conversation(task: str, spans: list[Span]) -> Conversation:
    """Return what spans, in the order in which they began, say of a task."""
    started = spans[0]["started"]
    *_, last = spans = sorted(spans, key=lambda span: span["ended"])
    messages, seen = list[Placed](), Counter[str]()
    for span in spans:
        # A span repeats the messages of earlier ones, or has only new ones.
        own = Counter[str]()
        for message in _messages(span):
            key = digest(message)
            own[key] += 1
            if own[key] > seen[key]:
                seen[key] += 1
                messages.append((("attributes",), message))
    messages += [*_calls_apart(spans, messages)]
    # A span around others repeats their tokens.
    inner = [span for span in spans if "agent" not in str(span.get("gen_ai.operation.name"))]
    failed = [span for span in spans if str(first_of(span, _STATUS)).upper().endswith(("ERROR", "2"))]
    reasons = str([span.get("gen_ai.response.finish_reasons") for span in spans[-2:]])
    return Conversation(
        here=last["here"],
        task_id=task,
        messages=messages,
        facts=Facts(
            input_tokens=_sum(inner, _TOKENS_IN) or _sum(spans, _TOKENS_IN),
            output_tokens=_sum(inner, _TOKENS_OUT) or _sum(spans, _TOKENS_OUT),
            seconds=last["ended"] - started if last["ended"] > started > 0 else None,
            model=first_text(*(first_of(span, _MODEL) for span in spans)),
            started=round(started * 1000) or None,
            finished=round(last["ended"] * 1000) or None,
        ),
        error=first_text(*(first_of(span, _REASON) for span in failed[-1:])),
        notes=(FormatCode.TRUNCATED,) if "length" in reasons or "max_tokens" in reasons else (),
    )


def _sum(spans: Iterable[Span], names: Iterable[str]) -> int | None:
    """Return a sum of tokens, which OTLP has as texts; None for none."""
    stated = (first_of(span, names) for span in spans)
    return sum(count(decoded(each) if isinstance(each, str) else each) or 0 for each in stated) or None


def _calls_apart(spans: Iterable[Span], messages: Iterable[Placed]) -> Iterator[Placed]:
    """Yield the calls and the replies that only the spans of tools state."""
    calls = (call for _, message in messages for _, call in calls_in(message, message.get("content")))
    known = {str(value_at(call, "id")) for call in calls}
    for span in spans:
        if name := span.get("gen_ai.tool.name"):
            own = first_text(span.get("gen_ai.tool.call.id"), span["span"])
            if own not in known and ("gen_ai.tool.call.id" in span or not known):
                call = {"id": own, "name": name, "arguments": span.get("gen_ai.tool.call.arguments")}
                yield (), {"role": "assistant", "tool_calls": [call]}
            yield (), {"role": "tool", "tool_call_id": own, "content": span.get("gen_ai.tool.call.result")}


def _messages(span: Span) -> Iterator[dict[str, Any]]:
    """Yield the messages that a span, or an event of one, states, as those of a chat."""
    # Langfuse has other names, also for what a span of a tool takes and returns.
    is_of_model = str(first_of(span, ("langfuse.observation.type", "type"))).lower() == "generation"
    inputs, outputs = (_INPUTS + _SEEN_IN, _OUTPUTS + _SEEN_OUT) if is_of_model else (_INPUTS, _OUTPUTS)
    for name in inputs:
        yield from _chat(_under(span, name), "user")
    for event in (*_items(span.get("events")), *_items(span.get("all_messages_events"))):
        found = plain(value_at(event, "attributes")) or event
        if not isinstance(found, dict):
            continue
        if kind := _EVENT.fullmatch(str(found.get("event.name") or value_at(event, "name"))):
            yield from _chat(found.get("gen_ai.event.content") or found, kind[1] or "assistant")
        else:
            yield from _messages(found)
    for name in outputs:
        yield from _chat(_under(span, name), "assistant")


def _chat(value: Any, role: str) -> Iterator[dict[str, Any]]:
    """Yield the messages in a value. role: of those that state none."""
    for item in _items(value):
        within = next((item[key] for key in ("message", "messages", "choices") if value_at(item, key)), None)
        if within is not None:
            yield from _chat(within, role)
        elif isinstance(item, dict):
            calls = [value_at(call, "tool_call") or call for call in _items(item.get("tool_calls"))]
            content = item.get("content") or item.get("parts")
            if content or calls:
                call_id = item.get("tool_call_id") or item.get("id")
                fields = {"content": content, "tool_calls": calls, "tool_call_id": call_id}
                yield {"role": item.get("role") or role, **fields}
        else:
            yield {"role": role, "content": item}


def _under(span: Span, name: str) -> Any:
    """Return what is under a name in parts, such as `gen_ai.prompt.0.content`; {} for nothing."""
    tree: dict[str, Any] = {}
    for key in span:
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
