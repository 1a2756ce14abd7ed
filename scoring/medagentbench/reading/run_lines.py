"""Reading runs.jsonl, the log of the official harness and the second format of a submission."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.expectations import check_answer, check_history
from scoring.medagentbench.reading.records import TaskResult, messages
from scoring.medagentbench.reading.schema_check import check_run_line
from scoring.medagentbench.reading.tasks import ExpectedTasks
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.json_text import parse_json
from scoring.reading.limits import Limits
from scoring.reading.messages import phrase
from scoring.reading.problems import quote

Row = tuple[int, Any]

_LINE = re.compile(r"[^\n]++")
_LOOKED_AT = 1000  # lines that are tried before a file is taken for something else


def is_run_line(value: Any) -> bool:
    """Tell whether `value` is an object as the harness writes it, right or wrong in its parts."""
    if not isinstance(value, dict) or "results" in value:
        return False
    return "output" in value or ("index" in value and "task_id" not in value)


def has_run_lines(text: str, limits: Limits) -> bool:
    """Tell whether one of the first lines of `text` is a whole line of runs.jsonl."""
    aside = Findings.under(limits).on_line(1)
    for count, (_, line) in enumerate(_lines(text)):
        if count == _LOOKED_AT:
            return False
        if line.lstrip().startswith("{"):
            try:
                value = parse_json(line, aside)
            except Unreadable:
                # A line that cannot be read is remarked on once it is known what the file is.
                continue
            if is_run_line(value):
                return True
    return False


def rows_of(text: str, findings: Findings) -> Iterator[Row]:
    """Yield the line number and the value of each line that is not blank; add the problem of one
    that is no JSON, and stop after as many lines as there may be results."""
    for count, (number, line) in enumerate(_lines(text), start=1):
        here = findings.on_line(number)
        if count > findings.limits.results:
            message = phrase("there are more than {limit:,} lines", limit=findings.limits.results)
            here.problem(Code.RESULTS_TOO_MANY, [], message)
            return
        try:
            value = parse_json(line, here)
        except Unreadable as error:
            findings.problems.add(error.problem)
        else:
            yield number, value


def read_run_lines(rows: Iterable[Row], expected: ExpectedTasks, findings: Findings) -> list[TaskResult]:
    """Return the records of `rows`; they are of no use once there is a problem."""
    first: dict[int, int] = {}
    records = []
    items, most = 0, findings.limits.history_items
    for line, value in rows:
        here = findings.on_line(line)
        output = value.get("output") if isinstance(value, dict) else None
        history = output.get("history") if isinstance(output, dict) else None
        items += len(history) if isinstance(history, list) else 0
        if items > most:
            message = phrase("the histories hold more than {limit:,} items", limit=most)
            here.problem(Code.HISTORY_TOO_MANY, ["output", "history"], message)
            break
        check_run_line(value, here)
        if not isinstance(value, dict):
            continue
        task_id = _task_of(value.get("index"), first, expected, here)
        _check_output(value, task_id, here)
        if task_id and not findings.problems:
            answer = output.get("result") if isinstance(output, dict) else None
            records.append(TaskResult(task_id=task_id, answer=answer, post_history=messages(history)))
    if missing := expected.missing({expected.task_ids[index] for index in first}):
        findings.warning_first(Code.TASKS_MISSING, (), missing)
    return records


def _lines(text: str) -> Iterator[Row]:
    """Yield the number and the text of each line that is not blank, one at a time: a list of them
    all would take as much memory as the file again."""
    number, seen = 1, 0
    for found in _LINE.finditer(text):
        number += text.count("\n", seen, found.start())
        seen = found.start()
        if not found[0].isspace():
            yield number, found[0]


def _task_of(index: Any, first: dict[int, int], expected: ExpectedTasks, findings: Findings) -> str | None:
    """Return the task at `index` if there is one that no other line has; `first` is kept up to date."""
    if isinstance(index, float) and index.is_integer():
        # JSON Schema takes 1.0 for an integer.
        index = int(index)
    if type(index) is not int:
        return None
    if not 0 <= index < len(expected.task_ids):
        last = len(expected.task_ids) - 1
        message = phrase("index {index} is none of this board's 0 to {last}", index=quote(index), last=last)
        findings.problem(Code.INDEX_OUT_OF_RANGE, ["index"], message)
        return None
    if index in first:
        message = phrase(
            "index {index} ({task}) stands on line {line:,} already",
            index=index,
            task=expected.task_ids[index],
            line=first[index],
        )
        findings.problem(Code.INDEX_REPEATED, ["index"], message)
        return None
    first[index] = findings.line or 1
    return expected.task_ids[index]


def _check_output(value: dict[str, Any], task_id: str | None, findings: Findings) -> None:
    output = value.get("output")
    if output is None and "output" in value:
        findings.warning(Code.ANSWER_NULL, ["output"], phrase("`{field}` is null", field="output"))
    if not isinstance(output, dict):
        return
    here = findings.at("output")
    if output.get("index", value.get("index")) != value.get("index"):
        message = phrase(
            "the output's index is {index}, its line's {other}",
            index=quote(output["index"]),
            other=quote(value.get("index")),
        )
        here.warning(Code.INDEX_DISAGREES, ["index"], message)
    answer = output.get("result")
    if isinstance(answer, str):
        check_answer(task_id, answer, ["result"], here)
    elif answer is None:
        status = output.get("status")
        message = phrase("there is no result")
        if isinstance(status, str):
            shown = quote(status)
            message = phrase("there is no result; the run ended with status “{status}”", status=shown)
        here.warning(Code.ANSWER_NULL, ["result"] if "result" in output else [], message)
    history = output.get("history")
    if isinstance(history, list):
        check_history(history, here.at("history"))
    elif history is None:
        hint = phrase("Upload the log as the harness wrote it, with the history of each output.")
        steps = ["history"] if "history" in output else []
        here.warning(Code.HISTORY_MISSING, steps, phrase("there is no history"), hint)
