"""Reading a FHIR-AgentBench submission in one pass, with every problem at once."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO

import msgspec

from scoring.benchmark import Reading
from scoring.codes import DocumentCode
from scoring.fhir_agentbench import table
from scoring.fhir_agentbench.codes import Code
from scoring.fhir_agentbench.json_stream import JsonStream
from scoring.fhir_agentbench.layout import check_first, explain_object, explain_text, is_table
from scoring.fhir_agentbench.record_check import ANSWER, RecordCheck, without_surrogates
from scoring.fhir_agentbench.records import Record, as_line
from scoring.fhir_agentbench.schema_check import schemas
from scoring.fhir_agentbench.unpack import text_pieces
from scoring.findings import Findings, Unreadable
from scoring.kept import keeping
from scoring.limits import MIB, Limits

__all__ = ["JSON_ARRAY", "JSON_LINES", "LIMITS", "TABLE", "read_submission", "schemas"]

JSON_ARRAY, JSON_LINES, TABLE = "json-array", "json-lines", "csv"
LIMITS = Limits(body_bytes=1024 * MIB, unpacked_bytes=1024 * MIB, record_bytes=64 * MIB)

_SPACE = " \t\r\n"
_NAMED = 5  # missing questions that a warning names


def read_submission(
    file: BinaryIO, *, task_ids: Sequence[str], limits: Limits = LIMITS, keep: BinaryIO | None = None
) -> Reading:
    """Check `file`, and write to `keep` a line for each record with what scoring needs of it.

    file: the runner's JSON array, the same records as JSON Lines, or the same table as CSV; plain or gzip;
    seekable, at its start. Which of them it is, is found from the content. At most one record is in memory.
    task_ids: of the board, in their order; none where they are not known, so that any is taken.
    Raises SubmissionInvalid with every problem, at most limits.listed of them listed, and nothing else.
    Neither problems nor warnings depend on a reference.
    """
    findings = Findings.under(limits)
    check = RecordCheck(task_ids)
    found, count = "", 0
    try:
        found, rows = _rows(text_pieces(file, limits), findings)
        with keeping(keep) as add:
            for here, value in rows:
                if count == 0:
                    check_first(value)
                count += 1
                if count > limits.results:
                    message = f"there are more than {limits.results:,} records; what follows was not read"
                    raise Unreadable(Code.TOO_MANY, message)
                record = check.read(value, here)
                if record and not findings.problems:
                    add(_line(record, here))
        if not count and not findings.problems:
            raise Unreadable(Code.EMPTY, "there is no record")
    except Unreadable as error:
        findings.problem_first(error.problem)
    else:
        _remark_on_all(check, findings, count)
    findings.raise_if_invalid()
    return Reading(version=None, format=found, count=count, warnings=findings.warnings)


def _rows(pieces: Iterator[str], findings: Findings) -> tuple[str, Iterable[tuple[Findings, Any]]]:
    """Return the format that the text is in, and its records. Raises Unreadable where it is in none."""
    piece = next((piece for piece in pieces if piece.strip(_SPACE)), "")
    text = piece.lstrip(_SPACE)
    stream = JsonStream(chain([piece], pieces), findings)
    match text[:1]:
        case "":
            raise Unreadable(DocumentCode.EMPTY, "the file is empty")
        case "[":
            stream.peek()
            return JSON_ARRAY, stream.array()
        case "{":
            explain_object(text)
            return JSON_LINES, stream.lines()
    if is_table(text):
        return TABLE, table.rows(chain([text], pieces), findings)
    raise explain_text(text)


def _line(record: Record, here: Findings) -> bytes:
    """Return `record` as it is kept: what UTF-8 cannot hold is replaced, with a warning."""
    try:
        return as_line(record)
    except UnicodeEncodeError:
        here.warning(Code.SURROGATE, (), "a text holds half of a surrogate pair")
    answer, resources = without_surrogates(record.answer), without_surrogates(record.resources)
    return as_line(msgspec.structs.replace(record, answer=answer, resources=resources))


def _remark_on_all(check: RecordCheck, findings: Findings, count: int) -> None:
    """Add what is said of the file as a whole, once all of it was read."""
    if count and not check.answered:
        message = f"`{ANSWER}` is null in every record; null is right only where there is no answer to give"
        findings.warning_first(Code.NO_ANSWERS, (), message)
    if missing := check.missing():
        named = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
        total = len(missing) + len(check.first)
        message = f"{len(missing):,} of the {total:,} questions have no record: {named}"
        findings.warning_first(Code.QUESTIONS_MISSING, (), message)
