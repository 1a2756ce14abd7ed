"""Reading a FHIR-AgentBench submission in one pass, with every problem at once."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

import msgspec

from scoring.benchmark import Reading
from scoring.fhir_agentbench.reading import table
from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.fhir_agentbench.reading.file_format import check_first, explain_object, explain_text, is_table
from scoring.fhir_agentbench.reading.json_stream import JsonStream
from scoring.fhir_agentbench.reading.record_check import ANSWER, RecordCheck, without_surrogates
from scoring.fhir_agentbench.reading.records import AnswerRecord, as_line
from scoring.fhir_agentbench.reading.schemas import schemas
from scoring.fhir_agentbench.reading.text_stream import text_pieces
from scoring.reading.codes import DocumentCode
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.limits import MIB, Limits
from scoring.reading.messages import say, say_n
from scoring.reading.packed_lines import keeping

__all__ = ["JSON_ARRAY", "JSON_LINES", "LIMITS", "TABLE", "read_submission", "schemas"]

JSON_ARRAY, JSON_LINES, TABLE = "json-array", "json-lines", "csv"
LIMITS = Limits(body_bytes=1024 * MIB, unpacked_bytes=1024 * MIB, record_bytes=64 * MIB)

_SPACE = " \t\r\n"
_NAMED = 5  # missing questions that a warning names

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Timer:
    """Ends the reading of a file that takes longer than its limit. clock: seconds."""

    clock: Callable[[], float]
    limit: float
    ends: float = 0

    def __post_init__(self) -> None:
        self.ends = self.clock() + self.limit

    def check(self) -> None:
        """Raise Unreadable where the time is over."""
        if self.clock() > self.ends:
            message = say(
                "reading the file took longer than {limit} seconds; what follows was not read",
                limit=f"{self.limit:,g}",
            )
            raise Unreadable(FhirCode.TOO_SLOW, message)

    def over(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield `pieces` for as long as there is time."""
        for piece in pieces:
            self.check()
            yield piece


@dataclass(frozen=True, slots=True)
class _Source:
    """The records of a file. form: its format; lines: where it is a table."""

    form: str
    rows: Iterable[tuple[Findings, Any]]
    lines: table.Lines | None = None


def read_submission(
    file: BinaryIO,
    *,
    task_ids: Sequence[str],
    limits: Limits = LIMITS,
    keep: BinaryIO | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Reading:
    """Check `file`, and write to `keep` a line for each record with what scoring needs of it.

    file: the runner's JSON array, the same records as JSON Lines, or the same table as CSV; plain or gzip;
    seekable, at its start. Which of them it is, is found from the content. At most one record is in memory.
    task_ids: of the board, in their order; none where they are not known, so that any is taken.
    clock: seconds, of which limits.seconds may pass. Raises SubmissionInvalid with every problem, at most
    limits.listed of them listed, and nothing else but what `file` and `keep` raise.
    Neither problems nor warnings depend on a reference.
    """
    findings = Findings.under(limits)
    check = RecordCheck(task_ids, limits)
    source, count = None, 0
    timer = _Timer(clock, limits.seconds)
    try:
        source = _source(timer.over(text_pieces(file, limits)), findings)
        with keeping(keep) as add:
            for line in _checked(source.rows, check, findings, timer):
                count += 1
                if line:
                    add(line)
        if not count and not findings.problems:
            raise Unreadable(FhirCode.EMPTY, say("there is no record"))
    except Unreadable as error:
        findings.problem_first(error.problem)
        check.slips.remark(findings)
    else:
        check.slips.remark(findings)
        _remark_on_all(check, findings, count)
        _remark_on_end(check, findings, source.lines)
    findings.raise_if_invalid()
    return Reading(
        version=None, format=source.form if source else "", count=count, warnings=findings.warnings
    )


def _checked(
    rows: Iterable[tuple[Findings, Any]], check: RecordCheck, findings: Findings, timer: _Timer
) -> Iterator[bytes | None]:
    """Yield for each of `rows` the line that is kept of it, None where nothing is to be kept."""
    most, stumbled = findings.limits.results, 0
    count = 0
    for here, value in rows:
        if count == 0:
            check_first(value)
        timer.check()
        count += 1  # noqa: SIM113  enumerate would hold on to the record
        if count > most:
            message = say("there are more than {limit:,} records; what follows was not read", limit=most)
            raise Unreadable(FhirCode.TOO_MANY, message)
        line = None
        try:
            record = check.read(value, here)
            if record and not findings.problems:
                line = _line(record, here)
        except Unreadable:
            raise
        except Exception as error:
            # Whatever a hostile record does to the reader is a problem of that record, and of no other.
            # Its type alone is logged, since the text of an error can quote the file.
            message = say("reading the record ended in {error}", error=type(error).__name__)
            here.problem(FhirCode.UNREADABLE, (), message)
            stumbled += 1
            if stumbled == 1:
                _log.error("a record could not be read: %s", type(error).__name__)
        # Before the next is read: a record can take hundreds of megabytes.
        del value
        record = None
        yield line


def _source(pieces: Iterator[str], findings: Findings) -> _Source:
    """Return the format that the text is in, and its records. Raises Unreadable where it is in none."""
    piece = next((piece for piece in pieces if piece.strip(_SPACE)), "")
    text = piece.lstrip(_SPACE)
    stream = JsonStream(chain([piece], pieces), findings)
    match text[:1]:
        case "":
            raise Unreadable(DocumentCode.EMPTY, say("the file is empty"))
        case "[":
            stream.peek()
            return _Source(JSON_ARRAY, stream.array())
        case "{":
            explain_object(text)
            return _Source(JSON_LINES, stream.lines())
    if is_table(text):
        lines = table.Lines(chain([text], pieces), findings)
        return _Source(TABLE, table.rows(lines, findings), lines)
    raise explain_text(text)


def _line(record: AnswerRecord, here: Findings) -> bytes:
    """Return `record` as it is kept: what UTF-8 cannot hold is replaced, with a warning."""
    try:
        return as_line(record)
    except UnicodeEncodeError:
        here.warning(FhirCode.SURROGATE, (), say("a text holds half of a surrogate pair"))
    answer, resources = without_surrogates(record.answer), without_surrogates(record.resources)
    return as_line(msgspec.structs.replace(record, answer=answer, resources=resources))


def _remark_on_all(check: RecordCheck, findings: Findings, count: int) -> None:
    """Add what is said of the file as a whole, once all of it was read."""
    if count and not check.answered:
        message = say(
            "`{field}` is null in every record; null is right only where there is no answer to give",
            field=ANSWER,
        )
        findings.warning_first(FhirCode.NO_ANSWERS, (), message)
    if missing := check.missing():
        named = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
        message = say(
            "{count:,} of the {total:,} questions have no record: {named}",
            count=len(missing),
            total=len(missing) + len(check.first),
            named=named,
        )
        findings.warning_first(FhirCode.QUESTIONS_MISSING, (), message)


def _remark_on_end(check: RecordCheck, findings: Findings, lines: table.Lines | None) -> None:
    """Say that a table may be cut off, which its text alone never shows for certain."""
    if lines and lines.open_ended and (missing := len(check.missing())):
        message = say_n(
            "line {line:,}, the last, has no line end, and {n:,} question has no record",
            "line {line:,}, the last, has no line end, and {n:,} questions have no record",
            missing,
            line=lines.number,
        )
        findings.warning_first(FhirCode.MAYBE_CUT, (), message)
