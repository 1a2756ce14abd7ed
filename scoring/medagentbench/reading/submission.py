"""Read a MedAgentBench submission in either format, and report every problem at once."""

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, BinaryIO

from msgspec import structs

from wardboard.scoring.benchmark import Reading
from wardboard.scoring.medagentbench.reading.answers_only import (
    are_results,
    read_answer_rows,
    read_answers_by_task,
    runs_of_agentbeats,
)
from wardboard.scoring.medagentbench.reading.attempts import read_attempts
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.records import (
    AGENTBEATS,
    ANSWER_LINES,
    OVERALL,
    RESULT_FILE,
    RUN_LINES,
    TaskResult,
)
from wardboard.scoring.medagentbench.reading.result_file import read_result_file
from wardboard.scoring.medagentbench.reading.runs.rows import (
    Row,
    are_too_many,
    has_run_lines,
    is_run_line,
    iter_items,
    iter_outputs,
    iter_rows,
    raw_results,
)
from wardboard.scoring.medagentbench.reading.runs.run_lines import read_run_lines
from wardboard.scoring.medagentbench.reading.schema_check import json_type
from wardboard.scoring.medagentbench.reading.tasks import ExpectedTasks
from wardboard.scoring.reading.codes import DocumentCode, RunsCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.known_files import (
    Fields,
    has_answer_key,
    refuse_known,
    refuse_known_text,
    replies_last,
)
from wardboard.scoring.reading.formats.log_facts import LogFacts
from wardboard.scoring.reading.formats.rows import table
from wardboard.scoring.reading.formats.rows.columns import SAMPLE, Columns, columns_of, table_of
from wardboard.scoring.reading.formats.systems import report_side_by_side
from wardboard.scoring.reading.formats.table import format_name, format_of_file, format_of_record
from wardboard.scoring.reading.json_text import first_value, parse_json
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.no_answers import count_no_answers
from wardboard.scoring.reading.problems import SubmissionInvalid, quote, quoted_list
from wardboard.scoring.reading.streams.json_stream import JsonStream
from wardboard.scoring.reading.streams.text_stream import read_text
from wardboard.scoring.traces.trace_file import TraceWriter

_DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultReading(Reading):
    """A file that can be scored, with its records, which all fit into memory."""

    records: Sequence[TaskResult]


_SECONDS_PER_CHARACTER = 1e-7  # to parse a character in grading, on a slow machine
_MOST_PROBED = 5  # items of a list, one of which may be a line of runs.jsonl
# Keys of FHIR-AgentBench's records, in JSON and in the first line of a table. MedAgentBench has none of them,
# though AgentBeats writes `agent_answer` for both.
_OTHER = re.compile(r'"(?:question_id"\s{0,200}:\s{0,200}"[0-9a-f]{24}"|agent_fhir_resources"\s{0,200}:)')
_OTHER_TABLE = re.compile(
    r'[^{\[\n]*\b(?:question_id|agent_answer)\b[^{\n]*[,;\t]|[^{\[\n]*[,;\t]"?(?:question_id|agent_answer)\b'
)
_OURS = re.compile(r'"(?:task_id|post_history)"\s{0,200}:|\A\s{0,200}\{\s{0,200}"index"')
# Columns of ids, where none has ids of the board.
_TASKS = ("task_id", "id", "sample_id")
_HEAD, _WORD = 4096, re.compile(r"[\w.-]+")
_FIELDS = Fields("task_id", "response")


def read_submission(
    source: bytes | BinaryIO,
    *,
    task_ids: Sequence[str],
    version: str,
    texts: Mapping[str, str] = MappingProxyType({}),
    limits: Limits = _DEFAULT_LIMITS,
    traces: TraceWriter | None = None,
) -> ResultReading:
    """Return the content of a file, with its records in the order of the file.

    - source: a result file, or the harness's runs.jsonl, its lines as a JSON array, or its overall.json, or
      lines or a file of AgentBeats with an answer to each task, or a log in a format of
      `wardboard.scoring.reading.formats`; recognised by its content, plain or gzip. It is bytes, or seekable
    - task_ids: those of the board, in the order of its task file; an index of runs.jsonl counts in it
    - texts: task id -> its instruction, by which a log without ids names it; {} where they are not known
    - traces: gets the conversations that are more than the histories of the records

    Raises SubmissionInvalid with every problem, of which it lists at most limits.listed, and nothing
    else. Neither problems nor warnings depend on a reference.
    """
    findings = Findings.under(limits)
    expected = ExpectedTasks(version=version, task_ids=task_ids, texts=texts)
    file = io.BytesIO(source) if isinstance(source, bytes) else source
    file_format, records = "", list[TaskResult]()
    try:
        file_format, records = _read(file, expected, findings, traces)
    except Unreadable as error:
        findings.problem_first(error.problem)
    findings.raise_if_invalid()
    log_facts, characters = LogFacts(), 0
    for record in records:
        characters += len(record.answer or "") + sum(len(item["content"]) for item in record.post_history)
        finished = record.facts.finished or record.finished
        log_facts.add(structs.replace(record.facts, finished=finished) if finished else record.facts)
    return ResultReading(
        version=version if file_format == RESULT_FILE else None,
        format=file_format,
        count=len(records),
        records=records,
        seconds=characters * _SECONDS_PER_CHARACTER,
        warnings=findings.warnings,
        log_facts=log_facts,
        no_answers=count_no_answers([record.fingerprint for record in records]),
        tasks=len(task_ids),
    )


def _read(
    file: BinaryIO, expected: ExpectedTasks, findings: Findings, traces: TraceWriter | None
) -> tuple[str, list[TaskResult]]:
    """Return the format of a file, "" for none of ours, and its records."""
    if own := format_of_file(file):
        attempts = own.attempts(file, findings)
        return format_name(own, file), read_attempts(attempts, expected, findings, traces=traces)
    # One byte beyond the limit shows that the file is too large.
    document, text, first = _parse(file.read(findings.limits.document_bytes + 1), expected, findings)
    is_list = isinstance(document, list)
    rows: Iterable[Row] = iter_items(document, findings) if is_list else [(findings, document)]
    if log := format_of_record(first):
        if text is not None:
            rows = JsonStream(iter([text]), findings).lines()
        return log.name, read_attempts(log.attempts(rows), expected, findings, traces=traces)
    if found := _answer_rows(document, text, expected, findings):
        columns, rows = found
        return ANSWER_LINES, read_answer_rows(rows, columns, expected, findings)
    for file_format, find, read in _LAYOUTS:
        if (content := find(document, text, findings)) is not None:
            # Only these hold more of a conversation than the histories of the records.
            options = {"traces": traces} if read is read_run_lines else {}
            return file_format, read(content, expected, findings, **options)
    _explain_layout(document, expected, findings)
    return "", []


def _answer_rows(
    document: Any, text: str | None, expected: ExpectedTasks, findings: Findings
) -> tuple[Columns, Iterable[Row]] | None:
    """Return the rows of a document or a text, and their columns; None where they are no ids with answers."""
    known = (expected.known.__contains__, Code.LAYOUT_UNKNOWN, _TASKS)
    if isinstance(document, list):
        columns, rows = columns_of(document[:SAMPLE], *known), iter_items(document, findings)
    elif text is None:
        columns, rows = columns_of([document], *known), iter([(findings.on_line(1), document)])
    elif found := table_of(text, *known):
        delimiter, columns = found
        all_rows = enumerate(table.rows(iter([text]), findings, DocumentCode.CSV, delimiter))
        rows = (row for count, row in all_rows if not are_too_many(count, row[0]))
    else:
        columns = columns_of(map(first_value, text.split("\n", SAMPLE)[:SAMPLE]), *known)
        rows = iter_rows(text, findings)
    return (columns, rows) if columns else None


def _find_run_lines(document: Any, text: str | None, findings: Findings) -> Iterable[Row] | None:
    if text is not None:
        return iter_rows(text, findings)
    if is_run_line(document):
        return [(findings.on_line(1), document)]
    if isinstance(document, list) and any(map(is_run_line, document[:_MOST_PROBED])):
        return iter_items(document, findings)
    return None


def _find_outputs(document: Any, _: str | None, findings: Findings) -> Iterable[Row] | None:
    if (outputs := raw_results(document)) is None:
        return None
    path, values = outputs
    return iter_outputs(values, findings.at(*path))


def _find_result_file(document: Any, _: str | None, __: Findings) -> dict[str, Any] | None:
    if not isinstance(document, dict) or runs_of_agentbeats(document) is not None:
        return None
    if not isinstance(results := document.get("results"), list):
        return None
    first = results[0] if results else None
    # A document without a task and an answer is of another kind: a `version` would not help.
    is_ours = not isinstance(first, dict) or "task_id" in first or has_answer_key(first)
    return document if is_ours else None


def _find_answers_by_task(document: Any, *_: Any) -> dict[str, Any] | None:
    runs = runs_of_agentbeats(document)
    return runs[0] if runs and len(document["results"]) == 1 else None


# A format, what finds its content in a document or in the text of lines, and what reads that. The first that
# finds something reads the file.
_LAYOUTS: tuple[tuple[str, Callable[[Any, str | None, Findings], Any], Callable[..., list[TaskResult]]], ...]
_LAYOUTS = (
    (AGENTBEATS, _find_answers_by_task, read_answers_by_task),
    (RUN_LINES, _find_run_lines, read_run_lines),
    (OVERALL, _find_outputs, read_run_lines),
    (RESULT_FILE, _find_result_file, read_result_file),
)


def file_version(raw: bytes, limits: Limits = _DEFAULT_LIMITS) -> str | None:
    """Return the version that a result file states, None if it states none or cannot be read."""
    try:
        document = parse_json(read_text(raw, limits), Findings.under(limits))
    except (Unreadable, SubmissionInvalid):
        # The caller reads the file next, which reports the problem.
        return None
    version = document.get("version") if isinstance(document, dict) else None
    return version if isinstance(version, str) else None


def _parse(raw: bytes, expected: ExpectedTasks, findings: Findings) -> tuple[Any, str | None, Any]:
    """Return (JSON, None), or (None, text) if `raw` consists of lines of results; and the first of them."""
    try:
        text = read_text(raw, findings.limits)
        refuse_known_text(text, _FIELDS)
        if table_of(text, expected.known.__contains__, Code.LAYOUT_UNKNOWN, _TASKS):
            return None, text, None
        document: Any = None
        unread, quiet = None, findings.discarded()
        try:
            document = parse_json(text, quiet)
        except Unreadable as error:
            unread = error
        # JSON Lines as a whole are not JSON.
        lines = (text, *text.split("\n", SAMPLE)[1:SAMPLE])
        objects = (line for line in map(first_value, lines) if isinstance(line, dict))
        in_list = isinstance(document, list) and bool(document)
        values: Iterable[Any] = document if in_list else objects if unread else [document]
        _, first = next(replies_last((None, value) for value in values), (None, None))
        is_log = format_of_record(first) is not None
        refuse_known(first, _FIELDS, is_log=is_log, in_list=in_list)
        _refuse_other_benchmark(text[:_HEAD], expected)
        if unread is None:
            findings.warnings.absorb(quiet.warnings)
            return document, None, first
        if is_log or _answer_rows(None, text, expected, findings) or has_run_lines(text, findings):
            return None, text, first
        if isinstance(first, dict) and unread.problem.code == DocumentCode.SEVERAL:
            message = phrase(
                "the lines are neither of runs.jsonl nor answers; the first has {keys}",
                keys=quoted_list([*first]),
            )
            raise Unreadable(Code.LAYOUT_UNKNOWN, message)
        raise unread
    except Unreadable as error:
        findings.add_problem(error.problem)
        findings.raise_if_invalid()
        raise


def _refuse_other_benchmark(head: str, expected: ExpectedTasks) -> None:
    """Raise Unreadable if `head`, the beginning of a file, is from results of another benchmark.

    This comes before any other check, whose hints would explain how to repair the wrong file.
    """
    is_ours = _OURS.search(head) or not expected.known.isdisjoint(_WORD.findall(head))
    if _OTHER_TABLE.match(head) or (_OTHER.search(head) and not is_ours):
        hint = phrase("Submit it to a FHIR-AgentBench leaderboard.")
        raise Unreadable(
            Code.OTHER_BENCHMARK, phrase("the file has the layout of FHIR-AgentBench"), hint=hint
        )


def _explain_layout(document: Any, expected: ExpectedTasks, findings: Findings) -> None:
    """Report the problem of a document that has neither of the two formats."""
    report_side_by_side(document, RunsCode.SEVERAL_SYSTEMS, findings)
    runs = runs_of_agentbeats(document)
    if runs == []:
        message = phrase("the file holds the verdicts of an agent of AgentBeats, and no answers by task")
        findings.problem(DocumentCode.NO_RESULTS, (), message)
        return
    if runs:
        message = phrase("the file holds {count:,} runs of AgentBeats", count=len(runs))
        parts = phrase("Write each part of `results` to a file of its own, and send these together.")
        findings.problem(FormatCode.SEVERAL_RUNS, ("results",), message, parts)
        return
    message = phrase("the file is {kind}", kind=json_type(document))
    if document == {}:
        message = phrase("the file has no results")
    elif isinstance(document, dict):
        message = phrase("there is no `results`; the file has {keys}", keys=quoted_list([*document]))
        key = next((key for key, value in document.items() if are_results(value)), None)
        if "version" in document and key is not None:
            rename = phrase("Rename `{key}` if those are the results.", key=quote(key))
            findings.problem(DocumentCode.FIELD_MISSING, (), message, rename)
            return
    holds_results = are_results(document if isinstance(document, list) else [document])
    wrap = phrase("Upload an object: {layout}.", layout=expected.layout) if expected.version else None
    findings.problem(Code.LAYOUT_UNKNOWN, (), message, wrap if holds_results else None)
