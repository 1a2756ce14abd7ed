"""Read a FHIR-AgentBench submission in one pass and report every problem at once."""

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import BinaryIO

import msgspec

from wardboard.scoring.benchmark import Reading
from wardboard.scoring.fhir_agentbench.reading.attempts import records_of_attempts
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.fields import OTHER_NAMES, RESOURCES_FIELD
from wardboard.scoring.fhir_agentbench.reading.file_format import (
    check_columns,
    is_of_agentbeats,
    looks_like_table,
    path_of_records,
    reject_foreign_record,
    unknown_format,
)
from wardboard.scoring.fhir_agentbench.reading.record_check import RecordCheck, without_surrogates
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, encode_record
from wardboard.scoring.reading.codes import DocumentCode, RunsCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Row
from wardboard.scoring.reading.formats.known_files import (
    Fields,
    refuse_known,
    refuse_known_text,
    replies_last,
)
from wardboard.scoring.reading.formats.rows import table
from wardboard.scoring.reading.formats.rows.columns import columns_of, table_of
from wardboard.scoring.reading.formats.systems import listed, report_side_by_side
from wardboard.scoring.reading.formats.table import format_name, format_of_file, format_of_record
from wardboard.scoring.reading.formats.values import task_in
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.messages import phrase, phrase_n
from wardboard.scoring.reading.no_answers import count_no_answers
from wardboard.scoring.reading.packed_lines import keeping
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.reading.streams.json_stream import JsonStream
from wardboard.scoring.reading.streams.text_stream import text_pieces
from wardboard.scoring.traces.conversation import messages_of
from wardboard.scoring.traces.trace_file import TraceWriter

JSON_ARRAY, JSON_LINES, TABLE = "json-array", "json-lines", "csv"
JSON_OBJECT, AGENTBEATS = "json-object", "agentbeats"
LIMITS = Limits(
    body_bytes=1024 * MIB, document_bytes=64 * MIB, unpacked_bytes=1024 * MIB, record_bytes=64 * MIB
)

_RESOURCES = {RESOURCES_FIELD, OTHER_NAMES[RESOURCES_FIELD]}
_SPACE = " \t\r\n"
_FIELDS = Fields("question_id", "final_answer")
# The time that the rules judge takes on a slow machine.
_SECONDS_PER_RECORD, _SECONDS_PER_CHARACTER = 3e-4, 6e-6

_log = logging.getLogger(__name__)


def read_submission(
    file: BinaryIO,
    *,
    task_ids: Sequence[str],
    limits: Limits = LIMITS,
    keep: BinaryIO | None = None,
    patients: Collection[str] = (),
    traces: TraceWriter | None = None,
) -> Reading:
    """Check `file` and write to `keep` one line per record, with the parts that scoring needs.

    - file: the runner's JSON array, the same records as JSON Lines, or the same table as CSV, or a log in a
      format of `wardboard.scoring.reading.formats`; plain or gzip. Seekable, at its start. The format is
      detected from the content. At most one record is in memory.
    - task_ids: the board's questions in order; empty if they are not known, so that any id is accepted.
    - patients: ids of all patients of the board; empty if they are not known, so that nobody is warned.
    - traces: gets the conversation of each record.

    Raises SubmissionInvalid with every problem, of which at most limits.listed are listed, and otherwise
    only what `file` and `keep` raise. Neither problems nor warnings depend on a reference, but for the one
    that compares patients with the published list of them.
    """
    findings = Findings.under(limits)
    check = RecordCheck(task_ids, limits, patients)
    count, kept, is_read = 0, 0, False
    try:
        rows = _rows_of(file, check, findings)
        with keeping(keep) as add:
            for line in _encode_records(rows, check, findings, traces):
                count += 1
                if line:
                    add(line)
                    kept += 1
        if not count and not findings.problems:
            raise Unreadable(FhirCode.EMPTY, phrase("there is no record"))
        if count and count == len(check.left_out):
            raise Unreadable(FhirCode.EMPTY, phrase("no record answers a question of the leaderboard"))
        is_read = True
    except Unreadable as error:
        findings.problem_first(error.problem)
    finally:
        check.summary.report(findings)
    if is_read:
        if count and not kept and not findings.problems:
            findings.problem(FhirCode.EMPTY, (), phrase("there is no record of a question that was run"))
        _warn_about_file(check, findings, count)
    findings.raise_if_invalid()
    return Reading(
        version=None,
        format=check.format,
        count=kept,
        warnings=findings.warnings,
        seconds=count * _SECONDS_PER_RECORD + check.characters * _SECONDS_PER_CHARACTER,
        log_facts=check.log_facts if check.log_facts.attempts else check.usage_facts,
        no_answers=count_no_answers(check.fingerprints),
        tasks=len(task_ids),
    )


def _rows_of(file: BinaryIO, check: RecordCheck, findings: Findings) -> Iterable[Row]:
    """Return the records of a file, and tell `check` its format, of some once the first of them is read."""
    if own := format_of_file(file):
        check.format = format_name(own, file)
        return records_of_attempts(own.attempts(file, findings), findings, check)
    return _detect_format(_while_there_is_time(text_pieces(file, findings.limits), findings), check, findings)


def _while_there_is_time(pieces: Iterable[str], findings: Findings) -> Iterator[str]:
    for piece in pieces:
        findings.check_time()
        yield piece


def _encode_records(
    rows: Iterable[Row],
    check: RecordCheck,
    findings: Findings,
    traces: TraceWriter | None,
) -> Iterator[bytes | None]:
    """Yield a line to keep for each of `rows`, or None if nothing of it is to be kept."""
    most, failures = findings.limits.results, 0
    count = 0
    for here, value in rows:
        if count == 0 and isinstance(value, dict):
            is_own = check.leaves_out_unknown or task_in(value) == value.get("question_id")
            if not is_own or _RESOURCES.isdisjoint(value):
                check.columns = columns_of([value], check.is_question, FhirCode.LAYOUT, ("question_id",))
        if count == 0 and not check.columns:
            reject_foreign_record(value)
        findings.check_time()
        count += 1  # noqa: SIM113  enumerate would hold on to the record
        if count > most:
            message = phrase("there are more than {limit:,} records; the rest was not read", limit=most)
            raise Unreadable(FhirCode.TOO_MANY, message)
        line = None
        try:
            record = check.read(value, here)
            if record and not findings.problems:
                line = _encode(record, here)
                check.fingerprints.append(record.fingerprint)
                if traces:
                    traces.add(record.task_id, messages_of(value.get("trace")))
        except (Unreadable, SubmissionInvalid):
            raise
        except Exception as error:
            # A record that crashes the reader is a problem of that record only.
            # Only the error's type is logged: its text can quote the file.
            message = phrase("reading the record ended in {error}", error=type(error).__name__)
            here.problem(FhirCode.UNREADABLE, (), message)
            failures += 1
            if failures == 1:
                _log.error("a record could not be read: %s", type(error).__name__)
        # Free this value before the next one is read: a record can take hundreds of megabytes.
        del value
        record = None
        yield line


def _detect_format(pieces: Iterator[str], check: RecordCheck, findings: Findings) -> Iterable[Row]:
    """Return the records of a text, as `_rows_of` does. Raises Unreadable for an unknown format."""
    piece = next((piece for piece in pieces if piece.strip(_SPACE)), "")
    text = piece.lstrip(_SPACE)
    refuse_known_text(text, _FIELDS)
    stream = JsonStream(chain([piece], pieces), findings)
    match text[:1]:
        case "":
            raise Unreadable(DocumentCode.EMPTY, phrase("the file is empty"))
        case "[":
            stream.peek()
            check.format = JSON_ARRAY
            return _records_of_array(replies_last(stream.array()), check)
        case "{":
            check.format = JSON_LINES
            return _records_of_objects(stream, check)
    text = piece.lstrip(" \r\n")
    whole, names = chain([text], pieces), text.partition("\n")[0]
    found = (
        None
        if any(name in names for name in _RESOURCES)
        else table_of(text, check.is_question, FhirCode.LAYOUT)
    )
    if not (found or looks_like_table(text)):
        raise unknown_format(text)
    check.format = TABLE
    if found:
        return table.rows(whole, findings, FhirCode.TABLE_BROKEN, found[0])
    return table.rows(whole, findings, FhirCode.TABLE_BROKEN, check_names=check_columns)


def _records_of_objects(stream: JsonStream, check: RecordCheck) -> Iterator[Row]:
    """Yield the records of lines, or those in the one object of the file."""
    rows = replies_last(stream.lines())
    for number, (here, document) in enumerate(rows):
        # Places within an object are found by pointer: it is one document, and no line of several.
        whole = replace(here, line=None)
        if number == 0:
            log = format_of_record(document)
            report_side_by_side(document, RunsCode.SEVERAL_SYSTEMS, here)
            refuse_known(document, _FIELDS, is_log=log is not None)
            if log:
                check.format = log.name
                yield from records_of_attempts(log.attempts(chain([(here, document)], rows)), here, check)
                return
        if path := None if number else path_of_records(document):
            check.leaves_out_unknown = is_of_agentbeats(path)
            check.format = AGENTBEATS if check.leaves_out_unknown else JSON_OBJECT
            records = document
            for step in path:
                records = records[step]
            for place, record in enumerate(records):
                yield whole.at(*path, place), record
        else:
            yield here, document


def _records_of_array(rows: Iterator[Row], check: RecordCheck) -> Iterator[Row]:
    """Yield the records of a list, or those of the attempts that it holds."""
    for here, record in rows:
        log = format_of_record(record)
        refuse_known(record, _FIELDS, is_log=log is not None, in_list=True)
        if log:
            check.format = log.name
            attempts = log.attempts(chain([(here, record)], rows))
            yield from records_of_attempts(attempts, replace(here, base=()), check)
            return
        yield here, record
        # Free this value before the next one is read.
        del record
        break
    yield from rows


def _encode(record: AnswerRecord, here: Findings) -> bytes:
    """Return `record` as a line to keep; replace text that UTF-8 cannot hold, with a warning."""
    try:
        return encode_record(record)
    except UnicodeEncodeError:
        here.warning(FhirCode.SURROGATE, (), phrase("a text holds half of a surrogate pair"))
    answer, resources = without_surrogates(record.answer), without_surrogates(record.resources)
    return encode_record(msgspec.structs.replace(record, answer=answer, resources=resources))


def _warn_about_file(check: RecordCheck, findings: Findings, count: int) -> None:
    """Add the warnings about the file as a whole, after all of it has been read."""
    if count and not check.answer_count:
        message = phrase("no record has an answer, which is correct only where there is none")
        findings.warning_first(FhirCode.NO_ANSWERS, (), message)
    if left_out := check.left_out:
        message = phrase_n(
            "{n:,} record is for a question that the leaderboard does not have: {named}",
            "{n:,} records are for questions that the leaderboard does not have: {named}",
            len(left_out),
            named=listed(left_out),
        )
        findings.warning_first(FhirCode.LEFT_OUT, (), message)
    if missing := check.missing():
        message = phrase_n(
            "{n:,} of the {total:,} questions has no record: {named}",
            "{n:,} of the {total:,} questions have no record: {named}",
            len(missing),
            total=len(missing) + len(check.first),
            named=listed(missing),
        )
        findings.warning_first(FhirCode.QUESTIONS_MISSING, (), message)
