"""Split a log of several attempts, or of several files, into one file of attempts for each run."""

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, BinaryIO, Protocol, TypeVar, cast

from wardboard.scoring.reading.archives import DAMAGE
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, Row, encode_attempt
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.folders import opened_folder
from wardboard.scoring.reading.formats.last_line import LastLine
from wardboard.scoring.reading.formats.table import (
    LogFormat,
    format_name,
    format_of_file,
    format_of_folder,
    format_of_record,
)
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.messages import phrase

_GZIP = b"\x1f\x8b"
_MARK = "\ufeff"  # with which some programs begin a text in UTF-8
_HEAD = 256  # bytes in which a file begins, behind white space
_LONGEST_FIRST = 16 * MIB  # of the first line of a log, in bytes


class Writable(Protocol):
    """A file of one run."""

    def write(self, data: bytes, /) -> Any: ...


W = TypeVar("W", bound=Writable)


def split_log(
    source: BinaryIO,
    limits: Limits,
    new_file: Callable[[], W],
    *,
    most_runs: int,
    left_out: list[str] | None = None,
) -> dict[int, W] | None:
    """Return run -> a file of its attempts, in order; None if `source` is no log, or a file of one run.

    That is read as it is. source: a seekable file, left at its start. new_file: gives an empty file; there
    is one file more than `most_runs` where the log has more runs. left_out: gets the names of what is in a
    folder and no part of the results.
    Raises SubmissionInvalid with every problem that splitting it found.
    """
    findings = Findings.under(limits)
    files: dict[int, W] = {}
    is_folder = False
    try:
        with opened_folder(source, findings) as folder:
            found = format_of_folder(folder) if folder else None
            is_folder = found is not None
            if folder and found:
                name, attempts = found.name, found.attempts(folder, findings)
            else:
                name, attempts = _attempts_of_file(source, findings)
            for attempt in attempts:
                findings.check_time()
                if attempt.run not in files and len(files) <= most_runs:
                    files[attempt.run] = new_file()
                if attempt.run in files:
                    files[attempt.run].write(encode_attempt(attempt, name))
            if folder and left_out is not None:
                left_out += folder.left_out
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


def names_of_runs(log: str, runs: Collection[int]) -> list[str]:
    """Return the names of runs, for people: that of their log, without folders, and the number of each."""
    name = PurePath(log).name
    return [f"{name}, attempt {run}" for run in runs] if len(runs) > 1 else [name] * len(runs)


def _attempts_of_file(source: BinaryIO, findings: Findings) -> tuple[str, Iterator[Attempt]]:
    """Return the format of a file that may hold several runs, and its attempts; none of any other file."""
    if own := format_of_file(source):
        attempts = own.attempts(source, findings) if own.may_hold_runs(source) else iter(())
        return format_name(own, source), attempts
    with _unpacked(source) as file:
        record = _first_record(file)
    log = format_of_record(record)
    return (log.name, _attempts(log, source, findings)) if log else ("", iter(()))


def _attempts(log: LogFormat, source: BinaryIO, findings: Findings) -> Iterator[Attempt]:
    last_line = LastLine(may_be_torn=log.may_end_torn)
    with _unpacked(source) as file:
        try:
            yield from last_line.noted(log.attempts(_rows(file, findings, last_line)))
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
    """Return the JSON of the first line of a file, or of the first item of a list; None if that is none."""
    try:
        line = file.readline(_LONGEST_FIRST)
        if _begins_list(line):
            text = (line + file.read(_LONGEST_FIRST)).decode(errors="replace").removeprefix(_MARK)
            return json.JSONDecoder().raw_decode(text.lstrip()[1:].lstrip())[0]
        return json.loads(line)
    except (ValueError, RecursionError, *DAMAGE):
        return None


def _rows(file: BinaryIO, findings: Findings, last_line: LastLine) -> Iterator[Row]:
    """Yield the place and the value of each line, or item of a list.

    Raises UnicodeDecodeError, and one of DAMAGE.
    """
    most = findings.limits.record_bytes
    head = file.read(_HEAD)
    file.seek(0)
    if _begins_list(head):
        yield from _items(file, findings)
        return
    broken = None
    for number, line in enumerate(iter(lambda: file.readline(most), b""), 1):
        if text := line.decode().removeprefix(_MARK).strip():
            here = findings.on_line(number)
            if broken:
                findings.add_problem(broken.problem)
                broken = None
            try:
                yield here, parse_json(text, here)
            except Unreadable as error:
                broken = error
    if broken and not last_line.is_it(broken):
        findings.add_problem(broken.problem)


def _begins_list(head: bytes) -> bool:
    return head.removeprefix(_MARK.encode()).lstrip().startswith(b"[")


def _items(file: BinaryIO, findings: Findings) -> Iterator[Row]:
    """Yield the place and the value of each item of a list; none of one that is too large to hold."""
    content = file.read(findings.limits.record_bytes + 1)
    if len(content) > findings.limits.record_bytes:
        return
    try:
        items = parse_json(content.decode().removeprefix(_MARK).strip(), findings)
    except Unreadable as error:
        findings.add_problem(error.problem)
        return
    for number, item in enumerate(items):
        yield findings.at(number), item
