"""Spans of traces by OpenTelemetry's GenAI conventions, for tests: small, and of our own making."""

import json
from typing import Any

FINISH = 'FINISH(["S1"])'
INPUT, OUTPUT, MODEL = "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.request.model"


def said(role: str, part: Any = FINISH) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": part} if isinstance(part, str) else part]}


def span(number: int, fields: dict[str, Any], trace: int = 1, parent: int | None = None) -> dict[str, Any]:
    """Return the span that the console exporter writes; one of a higher number is around those of lower."""
    return {
        "context": {"trace_id": f"{trace:032x}", "span_id": f"{number:016x}"},
        "parent_id": None if parent is None else f"{parent:016x}",
        **{
            "start_time": f"2026-11-20T09:00:{10 - number:02d}Z",
            "end_time": f"2026-11-20T09:00:{10 + number}Z",
        },
        "attributes": {key: json.dumps(one) if isinstance(one, list) else one for key, one in fields.items()},
    }


def chat(
    number: int = 1, *asked: Any, answer: Any = FINISH, task: str = "task1_1", **more: Any
) -> dict[str, Any]:
    """Return the span of a request to a model. asked: the messages between the question and the answer"""
    messages = {INPUT: [said("user", "Which?"), *asked], OUTPUT: [said("assistant", answer)]}
    facts = {"gen_ai.usage.input_tokens": 10, MODEL: more.pop("model", "heron-2"), "task_id": task}
    return span(number, {**messages, **facts}, **more)


def otlp(each: dict[str, Any]) -> dict[str, Any]:
    """Return a document of OTLP with a span of `span`."""
    ids = {"traceId": each["context"]["trace_id"], "spanId": each["context"]["span_id"]}
    pairs = [{"key": key, "value": {"stringValue": str(one)}} for key, one in each["attributes"].items()]
    spans = [{**ids, "startTimeUnixNano": "1763629200000000000", "attributes": pairs}]
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": spans}]}]}
