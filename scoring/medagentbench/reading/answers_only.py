"""Read files of other harnesses that state an answer to each task: one a line, or by task.

Each result becomes one of a result file. These formats have no history, so no POST is counted.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from wardboard.scoring.medagentbench.reading.answers import is_list, within_finish
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.result_file import read_results
from wardboard.scoring.medagentbench.reading.tasks import ExpectedTasks
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n
from wardboard.scoring.reading.problems import quote

# The names that harnesses give the fields of a result at the top of a line. The last two name a text of the
# model, which holds an answer only if it is FINISH(...) or a list.
_TASK_FIELDS, _ANSWER_FIELDS, _TEXT_FIELDS = ("task_id", "id"), ("answer", "result"), ("response", "output")
# Tasks of these types may need a POST. Source: the MedAgentBench paper.
_MAY_POST = ("task3_", "task5_", "task8_", "task9_", "task10_")

# The place of a result, and its value.
Row = tuple[Findings, Any]


def is_answer_line(value: Any) -> bool:
    """Return whether `value` is an object with a task and its answer, and no `output` as the harness has."""
    if not isinstance(value, dict) or not isinstance(value.get("output", ""), str):
        return False
    has_text = any(isinstance(value.get(name), str) for name in _TEXT_FIELDS)
    has_answer = has_text or bool(_first(value, _ANSWER_FIELDS)[0])
    return isinstance(_first(value, _TASK_FIELDS)[1], str) and has_answer


def read_answer_lines(rows: Iterable[Row], expected: ExpectedTasks, findings: Findings) -> list[TaskResult]:
    """Return the records of lines with a task and its answer; they are unusable if there is a problem."""
    explained: set[str] = set()
    records = _read(_results_of_lines(rows, expected, explained), expected, findings, explained)
    if records and explained and all(record.answer is None for record in records):
        message = phrase("no line has an answer: FINISH(...), or a JSON list")
        findings.problem(Code.NO_RESULTS, (), message)
    return records


def answers_by_task(document: Any) -> dict[str, Any] | None:
    """Return task id -> result in a file of AgentBeats that has them; None for any other file.

    Source: AgentBeats, whose client writes the parts of the agent that judges under `results`.
    """
    if not is_of_agentbeats(document) or len(document["results"]) != 1:
        return None
    (part,) = document["results"]
    results = part.get("task_results") if isinstance(part, dict) else None
    is_answered = isinstance(results, dict) and any(
        isinstance(result, dict) and "agent_answer" in result for result in results.values()
    )
    return results if is_answered else None


def has_verdicts_only(document: Any) -> bool:
    """Return whether `document` is a file of AgentBeats without an answer by task."""
    return is_of_agentbeats(document) and not runs_by_task(document)


def runs_by_task(document: Any) -> int:
    """Return how many runs a file of AgentBeats has that state an answer to each task."""
    parts = document["results"] if is_of_agentbeats(document) else []
    return sum(answers_by_task({**document, "results": [part]}) is not None for part in parts)


def read_answers_by_task(
    results: dict[str, Any], expected: ExpectedTasks, findings: Findings
) -> list[TaskResult]:
    """Return the records of `answers_by_task`; they are unusable if there is a problem."""
    place, explained = findings.at("results", 0, "task_results"), set[str]()
    hint = phrase("Send the runs.jsonl that the judging agent wrote in its `outputs`: it has the POSTs.")
    return _read(_results_by_task(results, place, explained), expected, findings, explained, hint)


def is_of_agentbeats(document: Any) -> bool:
    """Return whether `document` is a file of AgentBeats."""
    if not isinstance(document, dict):
        return False
    return isinstance(document.get("participants"), dict) and isinstance(document.get("results"), list)


def _read(
    rows: Iterable[Row],
    expected: ExpectedTasks,
    findings: Findings,
    explained: set[str],
    hint: Phrase | None = None,
) -> list[TaskResult]:
    """Return the records of `rows`. explained: to which they add tasks whose answer a warning is about.

    hint: where to find a file with the history
    """
    stated = expected.version
    records, answered = read_results(_once(rows), expected, findings, stated=stated, explained=explained)
    if not any(record.post_history for record in records):
        may_post = sum(task.startswith(_MAY_POST) for task in answered)
        message = phrase_n(
            "the file has no history; {n:,} of its {total:,} tasks is of a type that may need a POST",
            "the file has no history; {n:,} of its {total:,} tasks are of types that may need a POST",
            may_post,
            total=len(answered),
        )
        findings.warning_first(Code.HISTORY_MISSING, (), message, hint=hint)
    if missing := expected.missing(answered):
        findings.warning_first(Code.TASKS_MISSING, (), missing)
    return records


def _once(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield each row but those of a task that has one already, which are named."""
    seen: dict[str, Row] = {}
    for here, result in rows:
        task = result.get("task_id") if isinstance(result, dict) else None
        if not isinstance(task, str) or task not in seen:
            if isinstance(task, str):
                seen[task] = here, result
            yield here, result
            continue
        place, first = seen[task]
        if first == result:
            message = phrase("{task} has the same answer on an earlier line", task=quote(task))
            here.warning(Code.LINE_REPEATED, ["task_id"], message)
        else:
            line = place.line or 1
            message = phrase("{task} has another answer on line {line:,}", task=quote(task), line=line)
            here.problem(Code.TASK_ID_REPEATED, ["task_id"], message)


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
        text_field = next((name for name in _TEXT_FIELDS if isinstance(value.get(name), str)), None)
        if "answer" not in result and text_field:
            result["answer"], renamed["answer"] = value[text_field], (text_field,)
        place = here.renaming(renamed)
        _check_index(value.get("index"), result.get("task_id"), expected, place)
        if "answer" in result:
            result["answer"] = _answer(result, place, explained)
            if renamed.get("answer") == (text_field,):
                result["answer"] = _within_text(result, place, explained)
        yield place, result


def _results_by_task(results: dict[str, Any], findings: Findings, explained: set[str]) -> Iterator[Row]:
    for task, value in results.items():
        here = findings.at(task).renaming({"answer": ("agent_answer",), "task_id": ()})
        if not isinstance(value, dict):
            yield here, value
            continue
        result: dict[str, Any] = {"task_id": task, "answer": value.get("agent_answer"), "post_history": []}
        result["answer"] = _answer(result, here, explained)
        yield here, {**result, "answer": _within_text(result, here, explained)}


def _within_text(result: dict[str, Any], findings: Findings, explained: set[str]) -> Any:
    """Return the answer in a text, FINISH(...) or a list; None for prose."""
    answer = result["answer"]
    if isinstance(answer, str) and (finished := within_finish(answer)) is not None:
        answer = finished
    if not isinstance(answer, str) or is_list(answer):
        return answer
    message = phrase("“{text}” is not a JSON list, and counts as no answer", text=quote(answer))
    findings.warning(Code.ANSWER_NOT_JSON, ["answer"], message)
    explained.add(str(result.get("task_id")))
    return None


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
