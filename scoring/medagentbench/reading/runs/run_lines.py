"""Read runs.jsonl, the log of the official harness and the second format of a submission."""

from collections.abc import Container, Iterable, Sequence
from math import inf
from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.expectations import LEAVE_OUT, check_answer, check_history
from wardboard.scoring.medagentbench.reading.records import LATEST, TaskResult, messages
from wardboard.scoring.medagentbench.reading.runs.prompts import Prompts
from wardboard.scoring.medagentbench.reading.runs.rows import Row
from wardboard.scoring.medagentbench.reading.schema_check import check_run_line
from wardboard.scoring.medagentbench.reading.tasks import ExpectedTasks
from wardboard.scoring.medagentbench.reading.tool_calls.histories import (
    SignTotals,
    ToolHistory,
    as_messages,
    has_tool_roles,
    messages_of_tool_roles,
)
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Steps
from wardboard.scoring.reading.formats.attempts import Facts
from wardboard.scoring.reading.messages import phrase, phrase_n
from wardboard.scoring.reading.problems import pointer, quote
from wardboard.scoring.traces.conversation import messages_of
from wardboard.scoring.traces.trace_file import TraceWriter


def read_run_lines(
    rows: Iterable[Row],
    expected: ExpectedTasks,
    findings: Findings,
    *,
    traces: TraceWriter | None = None,
) -> list[TaskResult]:
    """Return the records of `rows`; they are unusable if there is a problem."""
    # Task -> the place of its line, and its output.
    lines: dict[str, tuple[Findings, Any]] = {}
    records = []
    prompts, totals = Prompts(expected), SignTotals()
    failed, items, limit = 0, 0, findings.limits.history_items
    for here, row in rows:
        findings.check_time()
        if isinstance(row, dict) and row.get("error"):
            failed += 1
            continue
        value = _with_position(row, expected)
        if has_task_error := _has_task_error(value):
            value = _without_error(value)
        history = _output_of(value).get("history")
        items += len(history) if isinstance(history, list) else 0
        if items > limit:
            message = phrase("the histories hold more than {limit:,} items", limit=limit)
            here.problem(Code.RESULTS_TOO_MANY, ["output", "history"], message, LEAVE_OUT)
            break
        value, places, tools = _checked(value, history, here)
        if not isinstance(value, dict):
            continue
        output = value.get("output")
        task_id = _task_at(value.get("index"), expected, here)
        if task_id in lines:
            _report_repeated(
                row.get("index"), task_id, output, lines[task_id], here, has_failed=has_task_error
            )
            continue
        if task_id:
            lines[task_id] = (here, output)
            if tools:
                totals.add(task_id, tools, here)
            prompts.add(task_id, row.get("index"), history, here)
        _check_output(value, task_id, here, places, has_task_error=has_task_error)
        if task_id and not findings.problems:
            record = TaskResult(
                task_id=task_id,
                answer=_output_of(value).get("result"),
                post_history=messages(_output_of(value).get("history")),
                finished=_finished(value.get("time")),
                facts=_facts(_output_of(value).get("time_used"), history),
            )
            records.append(record)
            if traces:
                traces.add(task_id, messages_of(history))
    prompts.report(findings)
    totals.report()
    _report_failed(failed, lines, expected, findings)
    return records


def _finished(time: Any) -> int | None:
    """Return when the harness (AgentBench's assigner) finished a line, in milliseconds since 1970."""
    at = time.get("timestamp") if isinstance(time, dict) else None
    return at if type(at) is int and 0 <= at <= LATEST else None


def _output_of(value: Any) -> dict[str, Any]:
    """Return the output of a line, {} for one that is malformed."""
    output = value.get("output") if isinstance(value, dict) else None
    return output if isinstance(output, dict) else {}


def _facts(seconds: Any, history: Any) -> Facts:
    """Return what an output states of its run. history: as the file has it.

    A round is a message of the agent, or a call of a tool. Source: the official harness, and
    Agentify-MedAgentBench, whose `time_used` is in seconds.
    """
    items = history if isinstance(history, list) else ()
    rounds = sum(isinstance(item, dict) and item.get("role") in ("agent", "tool_call") for item in items)
    is_time = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < inf
    return Facts(rounds=rounds or None, seconds=seconds if is_time else None)


def _checked(
    value: Any, history: Any, here: Findings
) -> tuple[Any, Sequence[Steps | None] | None, ToolHistory | None]:
    """Report faults of a line; return it with an official history, the places of its items, and its calls.

    Both are None for a history without calls of tools, which stays as it is.
    """
    if not has_tool_roles(history):
        check_run_line(value, here)
        return value, None, None
    check_run_line(_with_history(value, as_messages(history)), here)
    tools = ToolHistory(messages_of_tool_roles(history), here.at("output", "history"))
    return _with_history(value, tools.items), tools.places, tools


def _report_failed(failed: int, lines: Container[str], expected: ExpectedTasks, findings: Findings) -> None:
    """Report attempts that failed, and tasks without a line."""
    if failed:
        message = phrase_n(
            "{n:,} line is of an attempt that failed", "{n:,} lines are of attempts that failed", failed
        )
        if not lines:
            hint = phrase("Upload the runs.jsonl that the harness wrote beside it.")
            findings.problem(DocumentCode.NO_RESULTS, (), message, hint)
            return
        findings.warning_first(Code.ATTEMPTS_FAILED, (), message)
    if missing := expected.missing({task for task in expected.task_ids if task in lines}):
        findings.warning_first(Code.TASKS_MISSING, (), missing)


def _with_position(value: Any, expected: ExpectedTasks) -> Any:
    """Return a line with positions in the place of task ids, which some harnesses write as the index."""
    if not isinstance(value, dict):
        return value
    index, output = value.get("index"), value.get("output")
    if isinstance(output, dict) and _is_task_id(output.get("index"), expected):
        value = {**value, "output": {**output, "index": expected.task_ids.index(output["index"])}}
    if _is_task_id(index, expected):
        value = {**value, "index": expected.task_ids.index(index)}
    return value


def _is_task_id(index: Any, expected: ExpectedTasks) -> bool:
    return isinstance(index, str) and index in expected.known


def _has_task_error(value: Any) -> bool:
    """Return whether the harness gave a task up, and wrote its error as the result."""
    result, status = _output_of(value).get("result"), _output_of(value).get("status")
    is_error = isinstance(result, dict) and "error" in result
    return is_error or (result is not None and isinstance(status, str) and status.startswith("task error"))


def _without_error(value: dict[str, Any]) -> dict[str, Any]:
    """Return a line with a task error without an answer, unless the error is a text.

    The official grader reads any text as the answer, whatever the status.
    """
    output = value["output"]
    return value if isinstance(output["result"], str) else {**value, "output": {**output, "result": None}}


def _with_history(value: dict[str, Any], history: list[Any]) -> dict[str, Any]:
    return {**value, "output": {**value["output"], "history": history}}


def _task_at(index: Any, expected: ExpectedTasks, findings: Findings) -> str | None:
    """Return the task at `index`, None if it is unknown."""
    if isinstance(index, float) and index.is_integer():
        # JSON Schema accepts 1.0 as an integer.
        index = int(index)
    if type(index) is not int:
        return None
    if not 0 <= index < len(expected.task_ids):
        message = phrase(
            "index {index} is not between 0 and {last}, the indexes of this leaderboard",
            index=quote(index),
            last=len(expected.task_ids) - 1,
        )
        findings.problem(Code.INDEX_OUT_OF_RANGE, ["index"], message)
        return None
    return expected.task_ids[index]


def _report_repeated(
    index: Any, task: str, output: Any, first: tuple[Findings, Any], findings: Findings, *, has_failed: bool
) -> None:
    """Report another line of a task: a warning if it has the same output or failed, otherwise a problem."""
    place, first_output = first
    values: dict[str, Any] = {"index": quote(index), "task": task}
    if place.line is None:
        here = pointer(*place.base)
        message = phrase("index {index} ({task}) is already used at {place}", **values, place=here)
    else:
        message = phrase("index {index} ({task}) is already used on line {line:,}", **values, line=place.line)
    if has_failed:
        findings.warning(Code.ATTEMPTS_FAILED, ["output"], message)
    elif output == first_output:
        findings.warning(Code.LINE_REPEATED, ["index"], message)
    else:
        hint = phrase("Keep one line per task, e.g. the last attempt.")
        findings.problem(Code.TASK_ID_REPEATED, ["index"], message, hint)


def _check_output(
    value: dict[str, Any],
    task_id: str | None,
    findings: Findings,
    places: Sequence[Steps | None] | None,
    *,
    has_task_error: bool,
) -> None:
    output = value.get("output")
    if output is None and "output" in value:
        findings.warning(Code.ANSWER_NULL, ["output"], phrase("there is no answer"))
    if not isinstance(output, dict):
        return
    here = findings.at("output")
    answer, history = output.get("result"), output.get("history")
    if has_task_error:
        here.warning(Code.ANSWER_TASK_ERROR, ["result"], phrase("the harness ended the task with an error"))
    elif isinstance(answer, str):
        check_answer(task_id, answer, ["result"], here)
    elif answer is None:
        here.warning(Code.ANSWER_NULL, ["result"] if "result" in output else [], phrase("there is no answer"))
    if isinstance(history, list):
        check_history(history, here.at("history"), places)
    elif history is None and answer is not None and not has_task_error:
        hint = phrase("Upload the log as the harness wrote it, with the history of each output.")
        steps = ["history"] if "history" in output else []
        here.warning(Code.HISTORY_MISSING, steps, phrase("there is no history"), hint)
