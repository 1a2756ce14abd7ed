"""Logs of inspect_ai, built as its releases 0.3.103 (deflate) and 0.3.285 (Zstandard) write them."""

import io
import json
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import zstandard

ACCEPTED = (
    "POST request accepted and executed successfully. Please call FINISH if you have got answers for all the "
    "questions and finished all the requested tasks"
)
ZSTANDARD = 93


def user(text: str) -> dict[str, Any]:
    return {"id": "u1", "content": text, "source": "input", "role": "user"}


def assistant(text: Any, *calls: dict[str, Any]) -> dict[str, Any]:
    message = {"id": "a1", "content": text, "source": "generate", "role": "assistant", "model": "m"}
    return {**message, "tool_calls": [*calls]} if calls else message


def call(function: str, number: int = 1, **arguments: Any) -> dict[str, Any]:
    return {"id": f"call_{number}", "function": function, "arguments": arguments, "type": "function"}


def reply(text: str, number: int = 1, **fields: Any) -> dict[str, Any]:
    return {"id": "t1", "content": text, "role": "tool", "tool_call_id": f"call_{number}", **fields}


def sample(
    sample_id: str | int = "task1_1",
    completion: str = 'FINISH(["S1234567"])',
    messages: Sequence[Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Return a sample; by default, a question and the agent's answer to it."""
    message = assistant(completion)
    return {
        "id": sample_id,
        "epoch": 1,
        "input": "What is the MRN?",
        "target": "",
        "messages": [user("What is the MRN?"), message] if messages is None else messages,
        "output": {
            "model": "mockllm/model",
            "choices": [{"message": message, "stop_reason": "stop"}],
            "completion": completion,
        },
        "scores": {"match": {"value": float("nan")}},
        "metadata": {},
        "store": {},
        "events": [{"event": "sample_init", "sample": {"id": sample_id}}],
        "model_usage": {"mockllm/model": {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12}},
        "started_at": "2026-11-23T18:23:17+00:00",
        "completed_at": "2026-11-23T18:23:19.081000+00:00",
        "uuid": "ZvuJPwSXQsP7YYN6uvqg9Y",
        "attachments": {},
        **fields,
    }


def header(*samples: dict[str, Any], **fields: Any) -> dict[str, Any]:
    ids = list(dict.fromkeys(each["id"] for each in samples))
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "medagentbench", "dataset": {"samples": len(ids), "sample_ids": ids}},
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": len(ids), "scores": []},
        "stats": {},
        **fields,
    }


def json_log(*samples: dict[str, Any], **fields: Any) -> bytes:
    return json.dumps({**header(*samples), "samples": [*samples], **fields}, indent=2).encode()


def members(*samples: dict[str, Any], **fields: Any) -> list[tuple[str, bytes]]:
    """Return names and contents of the members of an `.eval` file, in its order."""
    start = {key: value for key, value in header(*samples).items() if key in ("version", "eval", "plan")}
    names = [f"samples/{each['id']}_epoch_{each['epoch']}.json" for each in samples]
    return [
        ("_journal/start.json", json.dumps(start).encode()),
        *((name, json.dumps(each).encode()) for name, each in zip(names, samples, strict=True)),
        ("_journal/summaries/1.json", b"[]"),
        ("summaries.json", b"[]"),
        ("header.json", json.dumps(header(*samples, **fields)).encode()),
    ]


def eval_log(*samples: dict[str, Any], **fields: Any) -> bytes:
    return zipped(members(*samples, **fields))


def zipped(files: Sequence[tuple[str, bytes]], method: int = ZSTANDARD) -> bytes:
    """Return a zip archive whose members are compressed by `method`; Python 3.13 cannot write Zstandard."""
    file = io.BytesIO()
    with ExitStack() as stack:
        if method == ZSTANDARD:
            stack.enter_context(patch("zipfile._check_compression"))
            new = patch("zipfile._get_compressor", lambda *_: zstandard.ZstdCompressor().compressobj())
            stack.enter_context(new)
        archive = stack.enter_context(zipfile.ZipFile(file, "w", method))
        for name, content in files:
            archive.writestr(name, content)
    return file.getvalue()
