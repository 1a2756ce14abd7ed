"""The formats of logs, each a row: a new format is a module, a row here, and its fixtures."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats import inspect_log
from wardboard.scoring.reading.formats.anthropic.batch import (
    ANTHROPIC_BATCH,
    is_batch_result,
    read_batch_results,
)
from wardboard.scoring.reading.formats.atif.folder import attempts_of_trajectories, holds_trajectories
from wardboard.scoring.reading.formats.atif.trajectories import ATIF, attempts_of_rows, is_trajectory
from wardboard.scoring.reading.formats.attempts import (
    ATTEMPT_LINES,
    Attempt,
    are_attempt_lines,
    attempts_of_lines,
    format_stated_by,
)
from wardboard.scoring.reading.formats.folders import Folder
from wardboard.scoring.reading.formats.harbor.jobs import HARBOR_JOB, attempts_of_job, is_job
from wardboard.scoring.reading.formats.harbor.slices import HARBOR_SLICES, attempts_of_slices, is_slice
from wardboard.scoring.reading.formats.last_line import Read, without_torn_line
from wardboard.scoring.reading.formats.lm_eval import LM_EVAL_SAMPLES, is_lm_eval_sample, read_lm_eval_samples
from wardboard.scoring.reading.formats.openai.logs import (
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
from wardboard.scoring.reading.formats.opentelemetry.traces import OTEL_GENAI, has_spans, read_spans
from wardboard.scoring.reading.formats.verifiers.folder import is_verifiers_folder, read_folder
from wardboard.scoring.reading.formats.verifiers.results import VERIFIERS_RESULTS, is_rollout, read_results
from wardboard.scoring.reading.formats.verifiers.traces import VERIFIERS_TRACES, is_episode, read_traces


class LogFormat(NamedTuple):
    """A format of a log that is a file: JSON Lines, a JSON list, or one JSON document.

    - name: of a Reading's format
    - is_record: whether the first record of a file is of this format, by its structure, not by the order of
      its keys
    - attempts: yields the attempts of all records, each given with its place, and reports what is wrong; the
      records raise Unreadable at a line that is cut off
    """

    name: str
    is_record: Callable[[Any], bool]
    attempts: Read


class FolderFormat(NamedTuple):
    """A format of a log that is a folder of files, in an archive.

    - is_folder: whether files are of this format, by their names; the last one looks at the files themselves
    - attempts: yields the attempts that the files hold, and reports what is wrong. Raises Unreadable
    """

    name: str
    is_folder: Callable[[Folder], bool]
    attempts: Callable[[Folder, Findings], Iterator[Attempt]]


class FileFormat(NamedTuple):
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
    FileFormat(ATTEMPT_LINES, are_attempt_lines, lambda _: True, attempts_of_lines),
    FileFormat(
        inspect_log.INSPECT_LOG,
        inspect_log.is_log,
        inspect_log.may_hold_runs,
        inspect_log.attempts_of_log,
    ),
)
# A crash of some harnesses leaves a part of a line at the end.
LOGS: tuple[LogFormat, ...] = (
    LogFormat(ATIF, is_trajectory, attempts_of_rows),
    LogFormat(VERIFIERS_RESULTS, is_rollout, without_torn_line(read_results)),
    LogFormat(VERIFIERS_TRACES, is_episode, without_torn_line(read_traces)),
    LogFormat(OPENAI_BATCH, is_batch, read_batch),
    LogFormat(ANTHROPIC_BATCH, is_batch_result, without_torn_line(read_batch_results)),
    LogFormat(OPENAI_RESPONSES, is_responses, read_responses),
    LogFormat(OPENAI_CHAT, is_chat, read_chats),
    LogFormat(LM_EVAL_SAMPLES, is_lm_eval_sample, read_lm_eval_samples),
    LogFormat(OTEL_GENAI, has_spans, without_torn_line(read_spans)),
)
FOLDERS: tuple[FolderFormat, ...] = (
    FolderFormat(inspect_log.INSPECT_LOG, inspect_log.is_folder, inspect_log.attempts_of_folder),
    FolderFormat(VERIFIERS_RESULTS, is_verifiers_folder, read_folder),
    FolderFormat(HARBOR_SLICES, is_slice, attempts_of_slices),
    FolderFormat(HARBOR_JOB, is_job, attempts_of_job),
    FolderFormat(ATIF, holds_trajectories, attempts_of_trajectories),
)
# What each format is called within a sentence.
LOG_NAMES: Mapping[str, str] = {
    inspect_log.INSPECT_LOG: "a log of inspect_ai",
    HARBOR_JOB: "a job of Harbor",
    HARBOR_SLICES: "trials of Harbor with many tasks each",
    ATIF: "trajectories (ATIF)",
    VERIFIERS_RESULTS: "verifiers results",
    VERIFIERS_TRACES: "verifiers traces",
    OPENAI_CHAT: "OpenAI chat messages",
    OPENAI_RESPONSES: "OpenAI responses",
    OPENAI_BATCH: "OpenAI batch output",
    ANTHROPIC_BATCH: "Anthropic batch results",
    LM_EVAL_SAMPLES: "lm-eval samples",
    OTEL_GENAI: "OpenTelemetry GenAI spans",
    ATTEMPT_LINES: "a run of a log",
}


def format_of_file(source: BinaryIO) -> FileFormat | None:
    """Return the format of a seekable file, left at its start; None for a file of no such format."""
    return next((log for log in FILES if log.is_file(source)), None)


def format_of_record(record: Any) -> LogFormat | None:
    """Return the format of a file whose first record is `record`; None for a file that is no log."""
    return next((log for log in LOGS if log.is_record(record)), None)


def format_name(log: FileFormat, source: BinaryIO) -> str:
    """Return the name of the format of a file; of a file of attempts, the one that they were read from."""
    stated = format_stated_by(source) if log.name == ATTEMPT_LINES else ""
    return stated if stated in LOG_NAMES else log.name
