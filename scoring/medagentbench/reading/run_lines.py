"""Read runs.jsonl, the log of the official harness and the second format of a submission."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.expectations import check_answer, check_history
from scoring.medagentbench.reading.records import TaskResult, messages
from scoring.medagentbench.reading.schema_check import check_run_line
from scoring.medagentbench.reading.tasks import ExpectedTasks
from scoring.medagentbench.reading.times import time_of_line
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.json_text import parse_json
from scoring.reading.messages import Phrase, phrase
from scoring.reading.problems import pointer, quote

# The place of a line, or of what stands for one, and its value.
Row = tuple[Findings, Any]

_LINE = re.compile(r"[^\n]++")
_MINUTE = 60_000  # milliseconds: runs that end together may be written in another order
_MAX_PROBED = 1000  # lines without a run after which a file is taken for another format


def is_run_line(value: Any) -> bool:
    """Return whether `value` is an object as the harness writes it, even with invalid parts."""
    if not isinstance(value, dict) or "results" in value:
        return False
    return "output" in value or ("index" in value and "task_id" not in value)


def has_run_lines(text: str, findings: Findings) -> bool:
    """Return whether one of the first lines of `text` is a complete line of runs.jsonl."""
    discarded = findings.discarded().on_line(1)
    for count, (_, line) in enumerate(_lines(text)):
        if count == _MAX_PROBED:
            return False
        if line.lstrip().startswith("{"):
            try:
                value = parse_json(line, discarded)
            except Unreadable:
                # `iter_rows` reports it, if the file turns out to be a runs.jsonl.
                continue
            if is_run_line(value):
                return True
    return False


def iter_rows(text: str, findings: Findings) -> Iterator[Row]:
    """Yield the place and the value of each line that is not blank.

    Lines that are not JSON are reported. Reading stops once there are more lines than results are allowed.
    """
    for count, (number, line) in enumerate(_lines(text), start=1):
        here = findings.on_line(number)
        if count > findings.limits.results:
            message = phrase("there are more than {limit:,} lines", limit=findings.limits.results)
            here.problem(Code.RESULTS_TOO_MANY, [], message)
            return
        try:
            value = parse_json(line, here)
        except Unreadable as error:
            findings.add_problem(error.problem)
        else:
            yield here, value


def iter_items(items: Iterable[Any], findings: Findings) -> Iterator[Row]:
    """Yield the place and the value of each line of a JSON array of lines, at whose place `findings` are."""
    for position, value in enumerate(items):
        here = findings.at(position)
        if position >= findings.limits.results:
            message = phrase("there are more than {limit:,} lines", limit=findings.limits.results)
            here.problem(Code.RESULTS_TOO_MANY, [], message)
            return
        yield here, value


def iter_outputs(outputs: Iterable[Any], findings: Findings) -> Iterator[Row]:
    """Yield each output of the harness's overall.json as the line of runs.jsonl that holds it."""
    for here, output in iter_items(outputs, findings):
        if isinstance(output, dict):
            index = {"index": output["index"]} if "index" in output else {}
            yield here.leaving_out("output"), {**index, "output": output}
        else:
            yield here, output


def raw_results(document: Any) -> tuple[tuple[str, ...], list[Any]] | None:
    """Return the path and the list of the outputs in the harness's overall.json; None in another document.

    Source: AgentBench, whose client writes `total`, `validation` and `custom`, and in `custom` what the task
    calculates; that of MedAgentBench has `raw_results`.
    """
    if not isinstance(document, dict):
        return None
    custom = document.get("custom")
    if isinstance(custom, dict) and isinstance(custom.get("raw_results"), list):
        return ("custom", "raw_results"), custom["raw_results"]
    if isinstance(document.get("raw_results"), list):
        return ("raw_results",), document["raw_results"]
    return None


def read_run_lines(rows: Iterable[Row], expected: ExpectedTasks, findings: Findings) -> list[TaskResult]:
    """Return the records of `rows`; they are unusable if there is a problem."""
    lines: dict[int, Findings] = {}
    records = []
    items, limit = 0, findings.limits.history_items
    latest = 0
    for here, value in rows:
        findings.check_time()
        output = value.get("output") if isinstance(value, dict) else None
        history = output.get("history") if isinstance(output, dict) else None
        items += len(history) if isinstance(history, list) else 0
        if items > limit:
            message = phrase("the histories hold more than {limit:,} items", limit=limit)
            here.problem(Code.HISTORY_TOO_MANY, ["output", "history"], message)
            break
        check_run_line(value, here)
        if not isinstance(value, dict):
            continue
        task_id = _task_at(value.get("index"), lines, expected, here)
        _check_output(value, task_id, here)
        if task_id and not findings.problems:
            time = time_of_line(value.get("time"))
            record = TaskResult(
                task_id=task_id,
                answer=output.get("result") if isinstance(output, dict) else None,
                post_history=messages(history),
                finished=time.at if time else None,
                # The harness appends a line when a run is finished.
                is_time_odd=time is not None and (time.contradicts or time.at < latest - _MINUTE),
            )
            latest = max(latest, record.finished or 0)
            records.append(record)
    if missing := expected.missing({expected.task_ids[index] for index in lines}):
        findings.warning_first(Code.TASKS_MISSING, (), missing)
    return records


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not blank.

    There is no list of all lines, because it would take as much memory as the file.
    """
    number, counted_to = 1, 0
    for line in _LINE.finditer(text):
        number += text.count("\n", counted_to, line.start())
        counted_to = line.start()
        if not line[0].isspace():
            yield number, line[0]


def _task_at(
    index: Any, lines: dict[int, Findings], expected: ExpectedTasks, findings: Findings
) -> str | None:
    """Return the task at `index`, None if it is unknown or repeated.

    lines: index -> the place of its line; a new index is added.
    """
    if isinstance(index, float) and index.is_integer():
        # JSON Schema accepts 1.0 as an integer.
        index = int(index)
    if type(index) is not int:
        return None
    if not 0 <= index < len(expected.task_ids):
        last = len(expected.task_ids) - 1
        message = phrase(
            "index {index} is not between 0 and {last}, the indexes of this leaderboard",
            index=quote(index),
            last=last,
        )
        findings.problem(Code.INDEX_OUT_OF_RANGE, ["index"], message)
        return None
    if index in lines:
        findings.problem(Code.INDEX_REPEATED, ["index"], _used(index, expected, lines[index]))
        return None
    lines[index] = findings
    return expected.task_ids[index]


def _used(index: int, expected: ExpectedTasks, place: Findings) -> Phrase:
    task = expected.task_ids[index]
    if place.line is None:
        return phrase(
            "index {index} ({task}) is already used at {place}",
            index=index,
            task=task,
            place=pointer(*place.base),
        )
    return phrase(
        "index {index} ({task}) is already used on line {line:,}", index=index, task=task, line=place.line
    )


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
            quoted = quote(status)
            message = phrase("there is no result; the run ended with status “{status}”", status=quoted)
        here.warning(Code.ANSWER_NULL, ["result"] if "result" in output else [], message)
    history = output.get("history")
    if isinstance(history, list):
        check_history(task_id, history, here.at("history"))
    elif history is None:
        hint = phrase("Upload the log as the harness wrote it, with the history of each output.")
        steps = ["history"] if "history" in output else []
        here.warning(Code.HISTORY_MISSING, steps, phrase("there is no history"), hint)
