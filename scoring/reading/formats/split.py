"""Split a log of several attempts, or of several files, into one file of attempts for each run."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol, TypeVar, cast

from scoring.reading.archives import DAMAGE
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.formats.attempts import Attempt, Row, encode_attempt
from scoring.reading.formats.codes import FormatCode
from scoring.reading.formats.folders import opened_folder
from scoring.reading.formats.table import format_of_file, format_of_folder, format_of_record
from scoring.reading.json_text import parse_json
from scoring.reading.limits import MIB, Limits
from scoring.reading.messages import phrase

_GZIP = b"\x1f\x8b"
_LONGEST_FIRST = 16 * MIB  # of the first line of a log, in bytes


class Writable(Protocol):
    """A file of one run."""

    def write(self, data: bytes, /) -> Any: ...


W = TypeVar("W", bound=Writable)


def split_log(
    source: BinaryIO, limits: Limits, new_file: Callable[[], W], *, most_runs: int
) -> dict[int, W] | None:
    """Return run -> a file of its attempts, in order; None if `source` is no log, or a file of one run.

    That is read as it is. source: a seekable file, left at its start. new_file: gives an empty file; there
    is one file more than `most_runs` where the log has more runs.
    Raises SubmissionInvalid with every problem that splitting it found.
    """
    findings = Findings.under(limits)
    files: dict[int, W] = {}
    is_folder = False
    try:
        with opened_folder(source, findings) as folder:
            found = format_of_folder(folder.names) if folder else None
            is_folder = found is not None
            if folder and found:
                attempts = found.attempts(folder, findings)
            else:
                attempts = _attempts_of_file(source, findings)
            for attempt in attempts:
                findings.check_time()
                if attempt.run not in files and len(files) <= most_runs:
                    files[attempt.run] = new_file()
                if attempt.run in files:
                    files[attempt.run].write(encode_attempt(attempt))
    except Unreadable as error:
        findings.problem_first(error.problem)
    finally:
        source.seek(0)
    if not is_folder and len(files) < 2:
        # It is read as it is, and that reports its problems.
        return None
    if not files and not findings.problems:
        findings.problem(FormatCode.NO_ATTEMPTS, (), phrase("the folder holds no attempt at a task"))
    findings.raise_if_invalid()
    return dict(sorted(files.items()))


def begins_as_log(source: BinaryIO) -> bool:
    """Return whether a seekable file may be split, by its first record alone."""
    if log := format_of_file(source):
        return log.may_hold_runs(source)
    with _unpacked(source) as file:
        return format_of_record(_first_record(file)) is not None


def _attempts_of_file(source: BinaryIO, findings: Findings) -> Iterator[Attempt]:
    """Yield the attempts of a file in a format of `table`, if it may hold several runs; none of any other."""
    if own := format_of_file(source):
        if own.may_hold_runs(source):
            yield from own.attempts(source, findings)
        return
    with _unpacked(source) as file:
        if log := format_of_record(_first_record(file)):
            file.seek(0)
            try:
                yield from log.attempts(_rows(file, findings))
            except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error):
                # What reads the file as it is reports this.
                return


@contextmanager
def _unpacked(source: BinaryIO) -> Iterator[BinaryIO]:
    source.seek(0)
    is_packed = source.read(len(_GZIP)) == _GZIP
    source.seek(0)
    yield cast(BinaryIO, gzip.GzipFile(fileobj=source)) if is_packed else source
    source.seek(0)


def _first_record(file: BinaryIO) -> Any:
    """Return the JSON of the first line of a file; None if that is none."""
    try:
        return json.loads(file.readline(_LONGEST_FIRST))
    except (ValueError, RecursionError, *DAMAGE):
        return None


def _rows(file: BinaryIO, findings: Findings) -> Iterator[Row]:
    """Yield the place and the value of each line. Raises UnicodeDecodeError, and one of DAMAGE."""
    most = findings.limits.record_bytes
    for number, line in enumerate(iter(lambda: file.readline(most), b""), 1):
        if text := line.decode().strip():
            here = findings.on_line(number)
            try:
                yield here, parse_json(text, here)
            except Unreadable as error:
                findings.add_problem(error.problem)
