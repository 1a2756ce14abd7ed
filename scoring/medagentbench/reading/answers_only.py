"""Read files of other harnesses that state an answer to each task: one a line, or by task.

Each result becomes one of a result file. Where a row has no history, no POST is counted.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from wardboard.scoring.medagentbench.reading.answers import is_list, within_finish
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.result_file import read_results
from wardboard.scoring.medagentbench.reading.tasks import ExpectedTasks
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.known_files import has_answer_key
from wardboard.scoring.reading.formats.rows.columns import Columns
from wardboard.scoring.reading.formats.values import decoded, value_at
from wardboard.scoring.reading.messages import phrase, phrase_n
from wardboard.scoring.reading.problems import quote

# Columns of answers; others hold a text of the model, which has one only if it is FINISH(...) or a list.
_VALUES = ("answer", "result")
# How a status begins, or what a harness wrote for an answer, of an attempt that failed.
_FAILED = re.compile(r"\s*(?:task error|error|traceback|\w+(?:error|exception)\b)")
# Tasks of these types may need a POST. Source: the MedAgentBench paper.
_MAY_POST = ("task3_", "task5_", "task8_", "task9_", "task10_")


class Row(NamedTuple):
    """A result with its place. has_failed: whether the harness gave the task up, so that it is no answer."""

    here: Findings
    result: Any
    has_failed: bool = False


def are_results(value: Any) -> bool:
    """Return whether `value` is a list whose first item has a task and a field that may hold its answer."""
    first = value[0] if isinstance(value, list) and value else None
    return (
        isinstance(first, dict)
        and has_answer_key(first)
        and any(isinstance(first.get(name), str) for name in ("task_id", "id"))
    )


def read_answer_rows(
    rows: Iterable[tuple[Findings, Any]], columns: Columns, expected: ExpectedTasks, findings: Findings
) -> list[TaskResult]:
    """Return the records of rows with a task and its answer; they are unusable if there is a problem."""
    explained: set[str] = set()
    results = (_result_of_row(value, here, columns, expected, explained) for here, value in rows)
    records = _read(results, expected, findings, explained)
    if records and explained and all(record.answer is None for record in records):
        message = phrase("no line has an answer: FINISH(...), or a JSON list")
        findings.problem(DocumentCode.NO_RESULTS, (), message)
    return records


def runs_of_agentbeats(document: Any) -> list[dict[str, Any]] | None:
    """Return task id -> result of each run that states answers in a file of AgentBeats; None for other files.

    Source: AgentBeats, whose client writes the parts of the agent that judges under `results`.
    """
    if not isinstance(document, dict) or not isinstance(document.get("participants"), dict):
        return None
    if not isinstance(parts := document.get("results"), list):
        return None
    runs = (part.get("task_results") for part in parts if isinstance(part, dict))
    return [run for run in runs if isinstance(run, dict) and any(map(_has_answer, run.values()))]


def _has_answer(result: Any) -> bool:
    return isinstance(result, dict) and "agent_answer" in result


def read_answers_by_task(
    results: dict[str, Any], expected: ExpectedTasks, findings: Findings
) -> list[TaskResult]:
    """Return the records of the one run of `runs_of_agentbeats`; they are unusable if there is a problem."""
    place, explained = findings.at("results", 0, "task_results"), set[str]()
    rows = (_result_of_task(task, value, place, explained) for task, value in results.items())
    return _read(rows, expected, findings, explained)


def _read(
    rows: Iterable[Row], expected: ExpectedTasks, findings: Findings, explained: set[str]
) -> list[TaskResult]:
    """Return the records of `rows`. explained: to which they add tasks whose answer a warning is about."""
    records, answered = read_results(_once(rows), expected, findings, explained=explained)
    if not any(record.post_history for record in records):
        message = phrase_n(
            "the file has no history; {n:,} of its {total:,} tasks is of a type that may need a POST",
            "the file has no history; {n:,} of its {total:,} tasks are of types that may need a POST",
            sum(task.startswith(_MAY_POST) for task in answered),
            total=len(answered),
        )
        findings.warning_first(Code.HISTORY_MISSING, (), message)
    if missing := expected.missing(answered):
        findings.warning_first(Code.TASKS_MISSING, (), missing)
    return records


def _once(rows: Iterable[Row]) -> Iterator[tuple[Findings, Any]]:
    """Yield each result with its place, but of a task one alone, which is no failed one if it has another."""
    kept: dict[str | int, Row] = {}
    for number, row in enumerate(rows):
        task = row.result.get("task_id") if isinstance(row.result, dict) else None
        task = task if isinstance(task, str) else number
        first = kept.setdefault(task, row)
        if first is row:
            continue
        if row.has_failed or first.has_failed:
            kept[task], failed = (first, row) if row.has_failed else (row, first)
            message = phrase("this attempt at {task} failed; another line has its answer", task=quote(task))
            failed.here.warning(Code.ATTEMPTS_FAILED, ["task_id"], message)
        elif first.result == row.result:
            message = phrase("{task} has the same answer on an earlier line", task=quote(task))
            row.here.warning(Code.LINE_REPEATED, ["task_id"], message)
        else:
            line = first.here.line or 1
            message = phrase("{task} has another answer on line {line:,}", task=quote(task), line=line)
            row.here.problem(Code.TASK_ID_REPEATED, ["task_id"], message)
    yield from ((here, result) for here, result, _ in kept.values())


def _result_of_row(
    value: Any, here: Findings, columns: Columns, expected: ExpectedTasks, explained: set[str]
) -> Row:
    if not isinstance(value, dict):
        return Row(here, value)
    task_id, history = value.get(columns.task), _history(value)
    _check_index(value.get("index"), task_id, expected, here)
    name = columns.answer_in(value)
    place = here.renaming({"task_id": (columns.task,), "answer": (name,)})
    answer = _answer(value.get(name), task_id, place, explained, is_text=name not in _VALUES)
    texts = (str(value.get(key, "")).lower() for key in ("status", name))
    has_failed = bool(value.get("error")) or any(map(_FAILED.match, texts))
    result = {"task_id": task_id, "answer": answer, "post_history": history}
    return Row(place, result, has_failed or isinstance(value.get(name), dict))


def _history(value: dict[str, Any]) -> Any:
    """Return the history of a row, in a table as JSON, or the conversation that holds it; [] for none."""
    found = (value.get(name) for name in ("post_history", "history"))
    history, whole = (decoded(each, each) if isinstance(each, str) else each for each in found)
    is_whole = isinstance(whole, list) and all(value_at(each, "role") in ("agent", "user") for each in whole)
    return history or (whole if is_whole else None) or []


def _check_index(index: Any, task: Any, expected: ExpectedTasks, here: Findings) -> None:
    """Report a position that is not that of the task: the tasks are of another file then."""
    if type(index) is int and task in expected.task_ids and index != expected.task_ids.index(task):
        message = phrase("index {index} is not the position of {task}", index=quote(index), task=task)
        here.problem(Code.INDEX_OTHER_TASK, ["index"], message)


def _result_of_task(task: str, value: Any, findings: Findings, explained: set[str]) -> Row:
    here = findings.at(task).renaming({"answer": ("agent_answer",), "task_id": ()})
    if not isinstance(value, dict):
        return Row(here, value)
    answer = _answer(value.get("agent_answer"), task, here, explained, is_text=True)
    return Row(here, {"task_id": task, "answer": answer, "post_history": []})


def _answer(value: Any, task: Any, findings: Findings, explained: set[str], *, is_text: bool) -> Any:
    """Return an answer as text: a list as its JSON, an error of the harness as no answer.

    is_text: whether it is a text of the model, which holds an answer only if it is FINISH(...) or a list
    """
    if isinstance(value, dict) and "error" in value:
        explained.add(str(task))
        message = phrase("the harness ended the task with an error")
        findings.warning(Code.ANSWER_TASK_ERROR, ["answer"], message)
        return None
    answer = json.dumps(value) if isinstance(value, list) else value
    if isinstance(answer, str) and (finished := within_finish(answer)) is not None:
        answer = finished
    if not is_text or not isinstance(answer, str) or is_list(answer):
        return answer
    message = phrase("“{text}” is not a JSON list, and counts as no answer", text=quote(answer))
    findings.warning(Code.ANSWER_NOT_JSON, ["answer"], message)
    explained.add(str(task))
    return None
