"""Read the samples of a log of inspect_ai as the records of a submission.

inspect_ai has no task of its own for this benchmark, so a log is read by the protocol of the official
harness: the agent ends with FINISH(...), and POSTs by its tools, or in its text if it has none. Source:
MedAgentBench's harness.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from scoring.medagentbench.reading.answers import is_list, within_finish
from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.expectations import check_answer, check_history
from scoring.medagentbench.reading.records import TaskResult
from scoring.medagentbench.reading.result_file import check_task
from scoring.medagentbench.reading.tasks import ExpectedTasks
from scoring.medagentbench.reading.times import time_of_result
from scoring.medagentbench.reading.tool_calls.histories import ToolHistory
from scoring.reading.collector import Findings, Steps
from scoring.reading.inspect_logs.samples import Sample
from scoring.reading.messages import phrase
from scoring.reading.problems import quote
from scoring.traces.conversation import messages_of
from scoring.traces.trace_file import TraceWriter

_COMPLETION = ("output", "completion")


def read_inspect_samples(
    samples: Iterable[Sample],
    expected: ExpectedTasks,
    findings: Findings,
    *,
    traces: TraceWriter | None = None,
) -> list[TaskResult]:
    """Return the records of `samples`; they are unusable if there is a problem."""
    positions: dict[str, int] = {}
    records = []
    items, has_answer, first = 0, False, None
    for position, sample in enumerate(samples):
        findings.check_time()
        first = first or sample
        check_task(sample.id, position, positions, expected, sample.here, stated=None, field="id")
        history, places = _history(sample)
        items += len(history)
        if items > findings.limits.history_items:
            message = phrase(
                "the histories hold more than {limit:,} items", limit=findings.limits.history_items
            )
            sample.here.problem(Code.HISTORY_TOO_MANY, ["messages"], message)
            break
        check_history(sample.id, history, sample.here, places)
        answer = _answer(sample)
        has_answer = has_answer or answer is not None
        if not findings.problems:
            if traces:
                traces.add(sample.id, messages_of(sample.resolved_messages))
            time = time_of_result(sample.value.get("completed_at"))
            record = TaskResult(
                task_id=sample.id,
                answer=answer,
                post_history=history,
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
    if (finished := within_finish(command)) is not None:
        answer = finished
    elif is_list(text):
        answer = text.strip()
    else:
        message = phrase("“{text}” is neither FINISH(...) nor a JSON list", text=quote(text.strip()))
        sample.here.warning(Code.INSPECT_ANSWER_FORM, _COMPLETION, message)
        return None
    check_answer(sample.id, answer, _COMPLETION, sample.here, is_written=False)
    return answer


def _history(sample: Sample) -> tuple[list[dict[str, str]], list[Steps | None]]:
    """Return the history and the places of its contents: the POSTs by tools, or all texts without tools."""
    if any(_calls(message) for message in sample.messages):
        tools = _tool_history(sample)
        return tools.items, tools.places
    items: list[dict[str, str]] = []
    places: list[Steps | None] = []
    for number, message in enumerate(sample.messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in ("assistant", "user"):
            continue
        text = sample.text(message.get("content"))
        if text or role == "user":
            items.append({"role": "user" if role == "user" else "agent", "content": text})
            places.append(("messages", number, "content"))
    return items, places


def _tool_history(sample: Sample) -> ToolHistory:
    """Return the POSTs of a sample with calls of tools. The reply to a call has its id."""
    replies = {
        message["tool_call_id"]: (number, message)
        for number, message in enumerate(sample.messages)
        if isinstance(message, dict) and isinstance(message.get("tool_call_id"), str)
    }
    tools = ToolHistory(sample.here)
    for number, message in enumerate(sample.messages):
        if not isinstance(message, dict) or message.get("role") != "assistant":
            continue
        tools.leave_out(sample.text(message.get("content")), ("messages", number, "content"))
        for index, call in enumerate(_calls(message)):
            # A call that could not be parsed was not made.
            if not isinstance(call, dict) or call.get("parse_error"):
                continue
            at, reply = replies.get(str(call.get("id")), (number, None))
            tools.add_call(
                call.get("function"),
                call.get("arguments"),
                _result(sample, reply) if reply else None,
                ("messages", number, "tool_calls", index),
                ("messages", at, "content"),
            )
    tools.end()
    return tools


def _calls(message: Any) -> list[Any]:
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    return calls if isinstance(calls, list) else []


def _result(sample: Sample, reply: Mapping[str, Any]) -> Any:
    text, error = sample.text(reply.get("content")), reply.get("error")
    if not error:
        return text
    message = error.get("message") if isinstance(error, dict) else None
    return {"is_error": True, "content": text or message}
