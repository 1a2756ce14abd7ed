"""Split a log of several attempts, or of several files, into one file of attempts for each run."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any, BinaryIO

from wardboard.scoring.reading.archives import W
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, encode_attempt
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.folders import opened_folder
from wardboard.scoring.reading.formats.known_files import refuse_known_folder
from wardboard.scoring.reading.formats.table import (
    FOLDERS,
    LogFormat,
    format_name,
    format_of_file,
    format_of_record,
)
from wardboard.scoring.reading.json_text import first_value
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.streams.json_stream import JsonStream
from wardboard.scoring.reading.streams.text_stream import ANY_SIZE, text_pieces

_LONGEST_FIRST = 16 * MIB  # characters in which the first record of a log is looked for


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
            found = next((each for each in FOLDERS if folder and each.is_folder(folder)), None)
            is_folder = folder is not None
            if folder:
                refuse_known_folder(folder.names, folder.head)
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
    log = format_of_record(_first_record(source))
    return (log.name, _attempts(log, source, findings)) if log else ("", iter(()))


def _attempts(log: LogFormat, source: BinaryIO, findings: Findings) -> Iterator[Attempt]:
    most = findings.limits.log_bytes
    pieces = text_pieces(source, replace(findings.limits, body_bytes=most, unpacked_bytes=most))
    stream = JsonStream(pieces, findings)
    rows = stream.array() if stream.peek() == "[" else stream.lines()
    return log.read(rows)


def _first_record(source: BinaryIO) -> Any:
    """Return the first value of a file, or the first item of a list; None if that is none."""
    text, tried = "", 0
    try:
        for piece in text_pieces(source, ANY_SIZE):
            text = (text + piece).lstrip()
            # A record may be long, so that each time as much again is read.
            if len(text) >= 2 * tried:
                tried = len(text)
                if (value := first_value(text.removeprefix("["))) is not None or tried > _LONGEST_FIRST:
                    return value
        return first_value(text.removeprefix("["))
    except Unreadable:
        return None
    finally:
        source.seek(0)
