"""The formats of logs, each a row: a new format is a module, a row here, and its fixtures."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from scoring.reading.collector import Findings
from scoring.reading.formats.attempts import ATTEMPT_LINES, Attempt, Row, attempts_of_lines, is_attempt_line
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


LOGS: tuple[LogFormat, ...] = (
    LogFormat(name=ATTEMPT_LINES, is_record=is_attempt_line, attempts=attempts_of_lines),
)
FOLDERS: tuple[FolderFormat, ...] = ()


def format_of_record(record: Any) -> LogFormat | None:
    """Return the format of a file whose first record is `record`; None for a file that is no log."""
    return next((log for log in LOGS if log.is_record(record)), None)


def format_of_folder(names: Collection[str]) -> FolderFormat | None:
    """Return the format of a folder with these files; None for a folder that is no log."""
    return next((folder for folder in FOLDERS if folder.is_folder(names)), None)
