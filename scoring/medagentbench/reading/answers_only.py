"""Read files of other harnesses that state an answer to each task: one a line, or by task.

Each result becomes one of a result file. These formats have no history, so no POST is counted.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from scoring.medagentbench.reading.answers import is_list, within_finish
from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.records import TaskResult
from scoring.medagentbench.reading.result_file import read_results
from scoring.medagentbench.reading.tasks import ExpectedTasks
from scoring.reading.collector import Findings
from scoring.reading.messages import phrase
from scoring.reading.problems import quote

# Field of a result -> the names that harnesses give it at the top of a line.
_TASK_FIELDS, _ANSWER_FIELDS = ("task_id", "id"), ("answer", "result")

# The place of a result, and its value.
Row = tuple[Findings, Any]


def is_answer_line(value: Any) -> bool:
    """Return whether `value` is an object with a task and its answer, and no `output` as the harness has."""
    if not isinstance(value, dict) or "output" in value:
        return False
    return isinstance(_first(value, _TASK_FIELDS)[1], str) and bool(_first(value, _ANSWER_FIELDS)[0])


def read_answer_lines(rows: Iterable[Row], expected: ExpectedTasks, findings: Findings) -> list[TaskResult]:
    """Return the records of lines with a task and its answer; they are unusable if there is a problem."""
    explained: set[str] = set()
    return _read(_results_of_lines(rows, expected, explained), expected, findings, explained)


def answers_by_task(document: Any) -> dict[str, Any] | None:
    """Return task id -> result in a file of AgentBeats that has them; None for any other file.

    Source: AgentBeats, whose client writes the parts of the agent that judges under `results`.
    """
    if not _is_of_agentbeats(document) or len(document["results"]) != 1:
        return None
    (part,) = document["results"]
    results = part.get("task_results") if isinstance(part, dict) else None
    is_answered = isinstance(results, dict) and any(
        isinstance(result, dict) and "agent_answer" in result for result in results.values()
    )
    return results if is_answered else None


def has_verdicts_only(document: Any) -> bool:
    """Return whether `document` is a file of AgentBeats without an answer by task."""
    return _is_of_agentbeats(document) and answers_by_task(document) is None


def read_answers_by_task(
    results: dict[str, Any], expected: ExpectedTasks, findings: Findings
) -> list[TaskResult]:
    """Return the records of `answers_by_task`; they are unusable if there is a problem."""
    place, explained = findings.at("results", 0, "task_results"), set[str]()
    return _read(_results_by_task(results, place, explained), expected, findings, explained)


def _is_of_agentbeats(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    return isinstance(document.get("participants"), dict) and isinstance(document.get("results"), list)


def _read(
    rows: Iterable[Row], expected: ExpectedTasks, findings: Findings, explained: set[str]
) -> list[TaskResult]:
    """Return the records of `rows`. explained: to which they add tasks whose answer a warning is about."""
    stated = expected.version
    records, answered = read_results(_once(rows), expected, findings, stated=stated, explained=explained)
    if not any(record.post_history for record in records):
        message = phrase("the file has no history, so tasks that need a POST count as wrong")
        findings.warning_first(Code.HISTORY_MISSING, (), message)
    if missing := expected.missing(answered):
        findings.warning_first(Code.TASKS_MISSING, (), missing)
    return records


def _once(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield each row but those that repeat an earlier one, which are named."""
    seen: dict[str, Any] = {}
    for here, result in rows:
        task = result.get("task_id") if isinstance(result, dict) else None
        if isinstance(task, str) and seen.setdefault(task, result) is not result and seen[task] == result:
            message = phrase("{task} has the same answer on an earlier line", task=quote(task))
            here.warning(Code.LINE_REPEATED, ["task_id"], message)
        else:
            yield here, result


def _results_of_lines(rows: Iterable[Row], expected: ExpectedTasks, explained: set[str]) -> Iterator[Row]:
    for here, value in rows:
        if not isinstance(value, dict):
            yield here, value
            continue
        result: dict[str, Any] = {"post_history": value.get("post_history", [])}
        renamed: dict[str | int, tuple[str | int, ...]] = {}
        for field, names in (("task_id", _TASK_FIELDS), ("answer", _ANSWER_FIELDS)):
            name, result[field] = _first(value, names)
            if not name:
                del result[field]
            elif name != field:
                renamed[field] = (name,)
        place = here.renaming(renamed)
        _check_index(value.get("index"), result.get("task_id"), expected, place)
        if "answer" in result:
            result["answer"] = _answer(result, place, explained)
        yield place, result


def _results_by_task(results: dict[str, Any], findings: Findings, explained: set[str]) -> Iterator[Row]:
    for task, value in results.items():
        here = findings.at(task).renaming({"answer": ("agent_answer",), "task_id": ()})
        if not isinstance(value, dict):
            yield here, value
            continue
        result: dict[str, Any] = {"task_id": task, "answer": value.get("agent_answer"), "post_history": []}
        answer = _answer(result, here, explained)
        if isinstance(answer, str) and (finished := within_finish(answer)) is not None:
            answer = finished
        if isinstance(answer, str) and not is_list(answer):
            message = phrase("“{text}” is not a JSON list, and counts as no answer", text=quote(answer))
            here.warning(Code.ANSWER_NOT_JSON, ["answer"], message)
            explained.add(task)
            answer = None
        yield here, {**result, "answer": answer}


def _first(value: dict[str, Any], names: Iterable[str]) -> tuple[str, Any]:
    """Return the first of the names that `value` has, and what it has there; "" and None without one."""
    return next(((name, value[name]) for name in names if name in value), ("", None))


def _check_index(index: Any, task: Any, expected: ExpectedTasks, findings: Findings) -> None:
    """Report a position that is not that of the task: the tasks are of another file then."""
    if type(index) is not int or not isinstance(task, str) or task not in expected.known:
        return
    position = expected.task_ids.index(task)
    if index != position:
        message = phrase(
            "index {index} is not the position of {task} on this leaderboard, which is {position}",
            index=quote(index),
            task=task,
            position=position,
        )
        findings.problem(Code.INDEX_OF_OTHER_TASK, ["index"], message)


def _answer(result: dict[str, Any], findings: Findings, explained: set[str]) -> Any:
    """Return the answer of a result as text: a list as its JSON, an error of the harness as no answer."""
    value = result["answer"]
    if isinstance(value, dict) and "error" in value:
        explained.add(str(result.get("task_id")))
        findings.warning(
            Code.ANSWER_TASK_ERROR, ["answer"], phrase("the harness ended the task with an error")
        )
        return None
    return json.dumps(value) if isinstance(value, list) else value
