"""The formats of logs, each a row: a new format is a module, a row here, and its fixtures."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from scoring.reading.collector import Findings
from scoring.reading.formats import inspect_log
from scoring.reading.formats.attempts import (
    ATTEMPT_LINES,
    Attempt,
    Row,
    are_attempt_lines,
    attempts_of_lines,
)
from scoring.reading.formats.folders import Folder


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """A format of a log that is a file: JSON Lines, a JSON list, or one JSON document.

    - name: of a Reading's format
    - is_record: whether the first record of a file is of this format, by its structure, not by the order of
      its keys
    - attempts: yields the attempts of all records, each given with its place, and reports what is wrong
    """

    name: str
    is_record: Callable[[Any], bool]
    attempts: Callable[[Iterable[Row]], Iterator[Attempt]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderFormat:
    """A format of a log that is a folder of files, in an archive.

    - is_folder: whether files with these names are of this format
    - attempts: yields the attempts that the files hold, and reports what is wrong. Raises Unreadable
    """

    name: str
    is_folder: Callable[[Collection[str]], bool]
    attempts: Callable[[Folder, Findings], Iterator[Attempt]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat:
    """A format of a log that is a file of its own kind, too large to be read whole.

    - is_file: whether a seekable file is of this format; leaves it at its start
    - may_hold_runs: whether such a file may hold several runs, without reading all of it
    - attempts: yields the attempts of such a file, and reports what is wrong. Raises Unreadable
    """

    name: str
    is_file: Callable[[BinaryIO], bool]
    may_hold_runs: Callable[[BinaryIO], bool]
    attempts: Callable[[BinaryIO, Findings], Iterator[Attempt]]


FILES: tuple[FileFormat, ...] = (
    FileFormat(
        name=ATTEMPT_LINES,
        is_file=are_attempt_lines,
        may_hold_runs=lambda _: True,
        attempts=attempts_of_lines,
    ),
    FileFormat(
        name=inspect_log.INSPECT_LOG,
        is_file=inspect_log.is_log,
        may_hold_runs=inspect_log.may_hold_runs,
        attempts=inspect_log.attempts_of_log,
    ),
)
LOGS: tuple[LogFormat, ...] = ()
FOLDERS: tuple[FolderFormat, ...] = (
    FolderFormat(
        name=inspect_log.INSPECT_LOG,
        is_folder=inspect_log.is_folder,
        attempts=inspect_log.attempts_of_folder,
    ),
)


def format_of_file(source: BinaryIO) -> FileFormat | None:
    """Return the format of a seekable file, left at its start; None for a file of no such format."""
    return next((log for log in FILES if log.is_file(source)), None)


def format_of_record(record: Any) -> LogFormat | None:
    """Return the format of a file whose first record is `record`; None for a file that is no log."""
    return next((log for log in LOGS if log.is_record(record)), None)


def format_of_folder(names: Collection[str]) -> FolderFormat | None:
    """Return the format of a folder with these files; None for a folder that is no log."""
    return next((folder for folder in FOLDERS if folder.is_folder(names)), None)
