"""Read the samples of a log of inspect_ai as the records of a submission.

inspect_ai has no task of its own for this benchmark, so a log is read by the protocol of the official
harness: the agent ends with FINISH(...), and POSTs in its text or by a tool. Source: MedAgentBench's harness.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scoring.medagentbench.reading.answers import parse_json
from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.expectations import check_answer, check_history
from scoring.medagentbench.reading.records import TaskResult
from scoring.medagentbench.reading.result_file import check_task
from scoring.medagentbench.reading.tasks import ExpectedTasks
from scoring.medagentbench.reading.times import time_of_result
from scoring.reading.collector import Findings, Steps
from scoring.reading.inspect_logs.samples import Sample
from scoring.reading.messages import phrase
from scoring.reading.problems import quote

_FINISH = "FINISH("
_ACCEPTED = "POST request accepted"
_COMPLETION = ("output", "completion")
# What tools call the address and the body of a request.
_ADDRESSES = ("url", "endpoint", "path", "uri")
_BODIES = ("payload", "body", "data", "json", "resource")
_METHOD = re.compile(r"(?:^|[_\W])(post|get)(?:$|[_\W])", re.IGNORECASE)

# A message as grading reads it, and its place in the sample.
_Item = tuple[dict[str, str], Steps]


def read_inspect_samples(
    samples: Iterable[Sample], expected: ExpectedTasks, findings: Findings
) -> list[TaskResult]:
    """Return the records of `samples`; they are unusable if there is a problem."""
    positions: dict[str, int] = {}
    records = []
    items, has_answer, first = 0, False, None
    for position, sample in enumerate(samples):
        findings.check_time()
        first = first or sample
        check_task(sample.id, position, positions, expected, sample.here, stated=None, field="id")
        history = list(_history(sample))
        items += len(history)
        if items > findings.limits.history_items:
            message = phrase(
                "the histories hold more than {limit:,} items", limit=findings.limits.history_items
            )
            sample.here.problem(Code.HISTORY_TOO_MANY, ["messages"], message)
            break
        places = [place for _, place in history]
        check_history(sample.id, [item for item, _ in history], sample.here, places)
        answer = _answer(sample)
        has_answer = has_answer or answer is not None
        if not findings.problems:
            time = time_of_result(sample.value.get("completed_at"))
            record = TaskResult(
                task_id=sample.id,
                answer=answer,
                post_history=[item for item, _ in history],
                finished=time.at if time else None,
            )
            records.append(record)
    if first and not has_answer:
        message = phrase("no sample ends with FINISH(...) or with a JSON list")
        first.here.problem(Code.INSPECT_NO_ANSWERS, _COMPLETION, message)
    if missing := expected.missing(set(positions)):
        findings.warning_first(Code.TASKS_MISSING, ("samples",), missing)
    return records


def _answer(sample: Sample) -> str | None:
    """Return the answer as the harness takes it from the last text of the agent; None without one."""
    text = sample.completion
    if text is None:
        message = phrase("there is no completion")
        if sample.ended_by:
            message = phrase(
                "there is no completion; it ended with “{reason}”", reason=quote(sample.ended_by)
            )
        sample.here.warning(Code.ANSWER_NULL, _COMPLETION, message)
        return None
    command = text.strip().replace("```tool_code", "").replace("```", "").strip()
    if command.startswith(_FINISH):
        # The harness does the same, and does not look at the last character.
        answer = command[len(_FINISH) : -1]
    elif _is_list(text):
        answer = text.strip()
    else:
        message = phrase("“{text}” is neither FINISH(...) nor a JSON list", text=quote(text.strip()))
        sample.here.warning(Code.INSPECT_ANSWER_FORM, _COMPLETION, message)
        return None
    check_answer(sample.id, answer, _COMPLETION, sample.here)
    return answer


def _is_list(text: str) -> bool:
    if not text.lstrip().startswith("["):
        return False
    try:
        return isinstance(parse_json(text), list)
    except ValueError:
        return False


def _history(sample: Sample) -> Iterator[_Item]:
    """Yield the conversation as the harness writes it; a call of a tool is followed by its reply."""
    replies = {
        message["tool_call_id"]: (number, message)
        for number, message in enumerate(sample.messages)
        if isinstance(message, dict) and isinstance(message.get("tool_call_id"), str)
    }
    for number, message in enumerate(sample.messages):
        role = message.get("role") if isinstance(message, dict) else None
        place = ("messages", number, "content")
        if role == "assistant":
            if text := sample.text(message.get("content")):
                yield {"role": "agent", "content": text}, place
            calls = message.get("tool_calls")
            for index, call in enumerate(calls if isinstance(calls, list) else []):
                if isinstance(call, dict):
                    yield from _exchange(sample, call, ("messages", number, "tool_calls", index), replies)
        elif role == "user":
            yield {"role": "user", "content": sample.text(message.get("content"))}, place


def _exchange(
    sample: Sample, call: Mapping[str, Any], place: Steps, replies: Mapping[str, tuple[int, dict[str, Any]]]
) -> Iterator[_Item]:
    """Yield a call of a tool as a message of the agent, then the reply of the tool."""
    command = _command(call)
    yield {"role": "agent", "content": command}, place
    number, reply = replies.get(str(call.get("id")), (None, None))
    if reply is None:
        return
    error = reply.get("error")
    text = sample.text(reply.get("content"))
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        text = text or error["message"]
    if command.startswith("POST") and _ACCEPTED not in text and not error:
        message = phrase("the reply to the POST is “{text}”", text=quote(text))
        sample.here.warning(Code.INSPECT_POST_REPLY, ("messages", number or 0, "content"), message)
    yield {"role": "user", "content": text}, ("messages", number or 0, "content")


def _command(call: Mapping[str, Any]) -> str:
    """Return a call of a tool as the harness has an agent write it: GET, POST, or the call itself."""
    function, arguments = str(call.get("function", "")), call.get("arguments")
    arguments = arguments if isinstance(arguments, dict) else {}
    method, address = _method(function, arguments), _first(arguments, _ADDRESSES)
    if method == "GET" and isinstance(address, str):
        return f"GET {address}"
    if method == "POST" and isinstance(address, str):
        body = _first(arguments, _BODIES)
        return f"POST {address}\n{body if isinstance(body, str) else json.dumps(body)}"
    return f"{function}({json.dumps(arguments)})"


def _method(function: str, arguments: Mapping[str, Any]) -> str:
    stated = arguments.get("method")
    if isinstance(stated, str):
        return stated.upper()
    match = _METHOD.search(function)
    return match[1].upper() if match else ""


def _first(arguments: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((arguments[name] for name in names if name in arguments), None)
