"""The lines of a runs.jsonl, or of what stands for one, each with its place."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.values import value_at
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.messages import phrase

# The place of a line, or of what stands for one, and its value.
Row = tuple[Findings, Any]

_LINE = re.compile(r"[^\n]++")
_OF_OUTPUT = ("index", "status", "result", "history")  # what the harness writes to an output
_MAX_PROBED = 1000  # lines without a run after which a file is taken for another format


def is_run_line(value: Any) -> bool:
    """Return whether `value` is an object as the harness writes it, even with invalid parts."""
    if not isinstance(value, dict) or "results" in value:
        return False
    output = value.get("output")
    # Traces of other tools have an output too, and no position would make it an answer.
    is_ours = isinstance(output, dict) and not output.keys().isdisjoint(_OF_OUTPUT)
    return is_ours or ("index" in value and "task_id" not in value)


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
    for count, (number, line) in enumerate(_lines(text)):
        here = findings.on_line(number)
        if are_too_many(count, here):
            return
        try:
            yield here, parse_json(line, here)
        except Unreadable as error:
            findings.add_problem(error.problem)


def are_too_many(count: int, here: Findings) -> bool:
    """Report a line before which there are as many as results are allowed."""
    if count < here.limits.results:
        return False
    here.problem(
        Code.RESULTS_TOO_MANY, (), phrase("there are more than {limit:,} lines", limit=here.limits.results)
    )
    return True


def iter_items(items: Iterable[Any], findings: Findings) -> Iterator[Row]:
    """Yield the place and the value of each line of a JSON array of lines, at whose place `findings` are."""
    for position, value in enumerate(items):
        here = findings.at(position)
        if are_too_many(position, here):
            return
        yield here, value


def iter_outputs(outputs: Iterable[Any], findings: Findings) -> Iterator[Row]:
    """Yield each output of the harness's overall.json as the line of runs.jsonl that holds it."""
    for here, output in iter_items(outputs, findings):
        if isinstance(output, dict):
            index = {"index": output["index"]} if "index" in output else {}
            yield here.renaming({"output": ()}), {**index, "output": output}
        else:
            yield here, output


def raw_results(document: Any) -> tuple[tuple[str, ...], list[Any]] | None:
    """Return the path and the list of the outputs in the harness's overall.json; None in another document.

    Source: AgentBench, whose client writes `total`, `validation` and `custom`, and in `custom` what the task
    calculates; that of MedAgentBench has `raw_results`.
    """
    found = ((at, value_at(document, *at)) for at in (("custom", "raw_results"), ("raw_results",)))
    return next((each for each in found if isinstance(each[1], list)), None)


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
