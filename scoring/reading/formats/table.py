"""The formats of logs, each a row: a new format is a module, a row here, and its fixtures."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from scoring.reading.collector import Findings
from scoring.reading.formats.attempts import ATTEMPT_LINES, Attempt, Row, attempts_of_lines, is_attempt_line
from scoring.reading.formats.folders import Folder
from scoring.reading.formats.lm_eval import LM_EVAL_SAMPLES, is_lm_eval_sample, read_lm_eval_samples
from scoring.reading.formats.openai.logs import (
    OPENAI_BATCH,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    is_batch,
    is_chat,
    is_responses,
    read_batch,
    read_chats,
    read_responses,
)
from scoring.reading.formats.verifiers.folder import is_verifiers_folder, read_folder
from scoring.reading.formats.verifiers.results import VERIFIERS_RESULTS, is_rollout, read_results
from scoring.reading.formats.verifiers.traces import VERIFIERS_TRACES, is_episode, read_traces


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """A format of a log that is a file: JSON Lines, a JSON list, or one JSON document.

    - name: of a Reading's format
    - is_record: whether the first record of a file is of this format, by its structure, not by the order of
      its keys
    - attempts: yields the attempts of all records, each given with its place, and reports what is wrong
    - may_end_torn: whether a crash of the harness leaves a part of a line at the end
    """

    name: str
    is_record: Callable[[Any], bool]
    attempts: Callable[[Iterable[Row]], Iterator[Attempt]]
    may_end_torn: bool = False


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
    LogFormat(name=VERIFIERS_RESULTS, is_record=is_rollout, attempts=read_results, may_end_torn=True),
    LogFormat(name=VERIFIERS_TRACES, is_record=is_episode, attempts=read_traces, may_end_torn=True),
    LogFormat(name=OPENAI_BATCH, is_record=is_batch, attempts=read_batch),
    LogFormat(name=OPENAI_RESPONSES, is_record=is_responses, attempts=read_responses),
    LogFormat(name=OPENAI_CHAT, is_record=is_chat, attempts=read_chats),
    LogFormat(name=LM_EVAL_SAMPLES, is_record=is_lm_eval_sample, attempts=read_lm_eval_samples),
)
FOLDERS: tuple[FolderFormat, ...] = (
    FolderFormat(name=VERIFIERS_RESULTS, is_folder=is_verifiers_folder, attempts=read_folder),
)


def format_of_record(record: Any) -> LogFormat | None:
    """Return the format of a file whose first record is `record`; None for a file that is no log."""
    return next((log for log in LOGS if log.is_record(record)), None)


def format_of_folder(names: Collection[str]) -> FolderFormat | None:
    """Return the format of a folder with these files; None for a folder that is no log."""
    return next((folder for folder in FOLDERS if folder.is_folder(names)), None)
