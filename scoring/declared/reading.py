"""Read rows with an id and an answer: the answers to a declared benchmark, or its references."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

import msgspec

from wardboard.scoring.benchmark import Reading
from wardboard.scoring.declared.declaration import SCHEMA, remark_on
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.record_check import without_surrogates
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord
from wardboard.scoring.reading.codes import DocumentCode, ReferenceCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, Row
from wardboard.scoring.reading.formats.known_files import Fields, refuse_known
from wardboard.scoring.reading.formats.log_facts import LogFacts
from wardboard.scoring.reading.formats.notes import attempts_of_one_run
from wardboard.scoring.reading.formats.rows import table
from wardboard.scoring.reading.formats.systems import listed
from wardboard.scoring.reading.formats.table import format_name, format_of_file, format_of_record
from wardboard.scoring.reading.formats.values import decoded
from wardboard.scoring.reading.json_schema.check import SchemaCheck
from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.reading.lookalikes import text_kind
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import quote, quoted_list
from wardboard.scoring.reading.streams.json_stream import JsonStream
from wardboard.scoring.reading.streams.text_stream import text_pieces

_SPACE = " \t\r\n"
_CORRECT = phrase("Correct the row, or the declaration.")


class DeclaredRow(AnswerRecord, frozen=True, kw_only=True, omit_defaults=True):
    """An answer to a task, or its hidden reference. fields: what else its row states, such as a figure."""

    fields: dict[str, Any] = {}
    unusable: None = None

    def __repr__(self) -> str:
        # An error may print it.
        return f"DeclaredRow({self.task_id!r})"


def row_schema(names: Sequence[str], fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the JSON Schema of a row.

    names: of id, answer and others that must be there. fields: beside id and answer -> their schemas
    """
    shown = ", ".join(f'"{name}": …' for name in dict.fromkeys((*names, *fields)))
    an_id = {**SCHEMA["$defs"]["line"], "type": ["string", "integer"]}
    answer = {"maxLength": MIB, "description": f"Write at most {MIB:,} characters: the answer alone."}
    return {
        "description": f"Write an object for each task: {{{shown}}}.",
        "type": "object",
        "required": list(names),
        "properties": {names[0]: an_id, names[1]: answer, **fields},
    }


def read_rows(
    file: BinaryIO,
    schema: Mapping[str, Any],
    findings: Findings,
    *,
    task_ids: Sequence[str] = (),
    faults: Callable[[DeclaredRow], Iterable[tuple[str, Phrase]]] = lambda row: (),
) -> tuple[Reading, Mapping[str, DeclaredRow]]:
    """Return what there is to say of a file, and the row of each task that counts, by its id.

    - task_ids: of the leaderboard, () where they are not known
    - faults: yields field and text of what else is wrong with a row

    Raises SubmissionInvalid with every problem.
    """
    rows, facts, format_ = dict[str, DeclaredRow](), LogFacts(), ""
    check, known = SchemaCheck(schema), frozenset(task_ids)
    try:
        format_, values = _values_of(file, findings, schema["required"], facts)
        for count, (here, value) in enumerate(values):
            findings.check_time()
            if count >= findings.limits.results:
                message = phrase("there are more than {limit:,} rows", limit=findings.limits.results)
                raise Unreadable(FhirCode.TOO_MANY, message, phrase("Keep one row for each task."))
            if row := _row(value, here, check, schema):
                _add(row, rows, known, here.at(schema["required"][0]))
                for name, fault in faults(row):
                    here.problem(ReferenceCode.BOARD, [name], fault, _CORRECT)
        if not rows and not findings.problems:
            raise Unreadable(FhirCode.EMPTY, phrase("there is no row with an answer"))
    except Unreadable as error:
        findings.problem_first(error.problem)
    findings.raise_if_invalid()
    if missing := [task_id for task_id in task_ids if task_id not in rows]:
        share = f"{len(missing):,} of {len(task_ids):,}"
        message = phrase("tasks without a row: {share}, {named}", share=share, named=listed(missing))
        findings.warning_first(FhirCode.QUESTIONS_MISSING, (), message)
    reading = Reading(
        version=None,
        format=format_,
        count=len(rows),
        warnings=findings.warnings,
        log_facts=facts,
        # One text for most tasks may be right, such as "no" where two answers can be given.
        no_answers=sum(row.fingerprint is None for row in rows.values()),
        tasks=len(task_ids),
    )
    return reading, rows


def _values_of(
    file: BinaryIO, findings: Findings, names: Sequence[str], facts: LogFacts
) -> tuple[str, Iterable[Row]]:
    """Return the format of a file and its rows, and add to `facts` those of a log. Raises Unreadable."""
    if log := format_of_file(file):
        return format_name(log, file), _attempts(log.attempts(file, findings), findings, names, facts)
    pieces = text_pieces(file, findings.limits)
    piece = next((piece for piece in pieces if piece.strip(_SPACE)), "")
    if not (text := piece.lstrip(_SPACE)):
        raise Unreadable(DocumentCode.EMPTY, phrase("the file is empty"))
    if text[0] not in "[{":
        if (kind := text_kind(text, 0)) and kind[0] is not DocumentCode.CSV:
            raise Unreadable(*kind, line=1)
        pieces, check = chain([text], pieces), partial(_check_columns, required=names)
        delimiter = max(",\t;|", key=text.partition("\n")[0].count)
        return "csv", table.rows(pieces, findings, FhirCode.COLUMNS_MISSING, delimiter, check, nulls=("",))
    stream = JsonStream(chain([piece], pieces), findings)
    is_list = stream.peek() == "["
    rows: Iterator[Row] = stream.array() if is_list else stream.lines()
    first = next(rows, None)
    here, value = first or (findings, None)
    rows = chain([first] if first else (), rows)
    of_record = format_of_record(value)
    # A row with an id and an answer may hold anything else, such as the columns of a task file.
    if not isinstance(value, dict) or any(
        isinstance(value.get(name), dict | type(None)) for name in names[:2]
    ):
        refuse_known(value, Fields(names[0], names[1]), is_log=of_record is not None, in_list=is_list)
    if of_record:
        place = replace(here, base=()) if is_list else here
        return of_record.name, _attempts(of_record.attempts(rows), place, names, facts)
    return "json" if is_list else "json-lines", rows


def _check_columns(names: Sequence[str], *, required: Sequence[str]) -> None:
    if missing := [name for name in required if name not in names]:
        # Those that are there may be references, in a table without a header.
        named = quoted_list(missing)
        message = phrase("there is no column {missing}", missing=named)
        hint = phrase("Name {missing} in the first row.", missing=named)
        raise Unreadable(FhirCode.COLUMNS_MISSING, message, hint, line=1)


def _attempts(
    attempts: Iterable[Attempt], findings: Findings, names: Sequence[str], facts: LogFacts
) -> Iterator[Row]:
    """Yield attempts of a log as rows, with what the log states of each as further fields."""
    for attempt in attempts_of_one_run(attempts, findings):
        facts.add(attempt.facts)
        answer = attempt.answer if attempt.states_answer else attempt.completion
        here = attempt.here(findings).renaming({names[0]: attempt.task_place, names[1]: attempt.answer_place})
        yield here, {**msgspec.to_builtins(attempt.facts), names[0]: attempt.task_id, names[1]: answer}


def _row(value: Any, here: Findings, check: SchemaCheck, schema: Mapping[str, Any]) -> DeclaredRow | None:
    """Return a row; None for one with a problem, which is reported."""
    id_field, answer_field, *others = schema["properties"]
    if isinstance(value, dict):
        # A harness may write no answer beside an error, and a table has numbers as texts.
        value = {answer_field: None} | value if value.get("error") else value
        figures = (name for name in others if "maximum" in schema["properties"][name])
        texts = {name: value[name] for name in figures if isinstance(value.get(name), str)}
        value |= {name: None if cell in table.NULLS else decoded(cell, cell) for name, cell in texts.items()}
    if check.report(value, here, remark_on) or not isinstance(value, dict):
        return None
    value = without_surrogates(value)
    fields = {name: value[name] for name in others if value.get(name) is not None}
    return DeclaredRow(task_id=str(value[id_field]), answer=value[answer_field], fields=fields)


def _add(row: DeclaredRow, rows: dict[str, DeclaredRow], known: Collection[str], here: Findings) -> None:
    """Add a row, or the problem that there is no such task, or another answer to it."""
    task_id, first = quote(row.task_id), rows.setdefault(row.task_id, row)
    if known and row.task_id not in known:
        message = phrase("{id} is not a task of this leaderboard", id=task_id)
        here.problem(FhirCode.ID_UNKNOWN, (), message)
    elif None not in (first.answer, row.answer) and first.answer != row.answer:
        message = phrase("{id} has another answer in an earlier row", id=task_id)
        here.problem(FhirCode.ID_REPEATED, (), message)
    elif first.answer is None:
        # A later error of a resumed run undoes no answer.
        rows[row.task_id] = row
