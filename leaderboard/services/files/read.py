"""Read submitted files: their contents, or every problem with them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings

from leaderboard.models import Board, Evaluation, Submission
from leaderboard.services.errors import StorageAway
from leaderboard.services.files import child, readers, store
from leaderboard.services.files.arrivals import StoredFile, parts
from leaderboard.services.files.child import Handed
from leaderboard.services.judging.judge import has_rules
from leaderboard.services.judging.references import patients_of, texts_of
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Reading
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.runs import accept_repeats, add_left_out, warn_if_empty

_MAX_ANSWER = 2000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What is stated with a file, and decides which warnings it gets.

    is_deterministic: whether its system is stated to give the same answers in every run
    harness: of its system, "" where it is not stated; None where nothing is stated yet
    states: for which rules its system `states` enough; empty where nothing is stated yet
    """

    runs: int
    is_deterministic: bool = False
    harness: str | None = None
    allow_empty: bool = False
    states: dict[LeadRule, bool] = field(default_factory=dict)


def check_file(*, board: Board, file: StoredFile, seconds: float, has_account: bool = True) -> Reading:
    """Read a file without storing anything, and look at the forms of its answers. Raises SubmissionInvalid.

    seconds: that unpacking and reading it may take, such as `seconds_of_check`.
    """
    seconds = max(0.0, seconds - file.unpacked_in)
    with store.open_original(file.id) as source:
        reading = _read(
            board,
            source,
            file.names,
            left_out=file.left_out,
            seconds=seconds,
            has_forms=has_rules(board),
            has_account=has_account,
        )
    reading = warn_by_statements(board, reading, Declared(runs=len(file.names)))
    warn_if_empty(reading)
    return reading


def warn_by_statements(board: Board, reading: Reading, declared: Declared) -> Reading:
    """Drop the warnings that a statement answers, and warn of the rules that the result does not meet."""
    if declared.is_deterministic:
        accept_repeats(reading)
    warnings = LeadRules.of(board).warnings_of(
        reading,
        runs=declared.runs,
        harness=declared.harness,
        stated=declared.states,
    )
    reading.warnings.extend(warnings)
    return replace(reading, runs=declared.runs)


def seconds_of_check(*, has_account: bool) -> float:
    """Return how long a request may have a file unpacked and read."""
    return settings.CHECK_SECONDS if has_account else settings.CHECK_SECONDS_ANONYMOUS


def extract_records(
    *,
    board: Board,
    file_id: UUID,
    names: Sequence[str],
    left_out: Sequence[str] = (),
    seconds: float | None = None,
    is_synced: bool = True,
) -> Reading:
    """Read a file and store the records that scoring needs. Raises SubmissionInvalid.

    Where the leaderboard keeps files as uploaded, their traces are stored too, after the records: a file that
    loses them to a crash is scored without them.

    names: of the files of its runs; one for a single file.
    left_out: names of the files of its archive that a warning names.
    seconds: that reading may take, where they are fewer than its limits allow.
    is_synced: whether the records are flushed to the disk.
    """
    readings: list[Reading] = []

    def write(records: BinaryIO, traces: BinaryIO | None) -> None:
        readings.append(_read(board, source, names, records, traces, left_out=left_out, seconds=seconds))

    with store.open_original(file_id) as source:
        store.write_checked(file_id, write, with_traces=board.keeps_files, is_synced=is_synced)
    return readings[0]


def _read(
    board: Board,
    source: BinaryIO,
    names: Sequence[str],
    keep: BinaryIO | None = None,
    traces: BinaryIO | None = None,
    *,
    left_out: Sequence[str] = (),
    seconds: float | None = None,
    has_forms: bool = False,
    has_account: bool = True,
) -> Reading:
    """Have a child process read a file, or the files that it is made of; name what its archive leaves out."""
    limits = limits_of(board.benchmark)
    seconds = limits.seconds if seconds is None else min(seconds, limits.seconds)
    revision = board.ground_truth
    known: dict[str, Any] = {
        "task_ids": revision.file_task_ids,
        "version": board.version,
        "texts": texts_of(revision),
        "patients": patients_of(revision.pk, revision.digest),
        # A report is kept for longer than files under an agreement.
        "quotes": not board.is_credentialed,
        "has_forms": has_forms,
        "has_trace": board.needs_traces,
    }
    try:
        reading: Reading = child.run(
            readers.read,
            seconds=seconds,
            is_strange=not has_account,
            benchmark=registry.get(board.benchmark),
            source=Handed(source),
            names=names,
            keep=keep and Handed(keep, "r+b"),
            traces=traces and Handed(traces, "r+b"),
            limits=replace(limits, seconds=seconds),
            known=known,
        )
    except SubmissionInvalid as invalid:
        add_left_out(invalid.warnings, left_out)
        raise
    add_left_out(reading.warnings, left_out)
    return reading


@contextmanager
def open_runs(submission: Submission) -> Iterator[Iterator[BinaryIO]]:
    """Open the records of each file of a submission, to be read in turn. Raises FileNotFoundError."""
    with (
        store.open_records(submission.stored_as) as source,
        parts(source, len(submission.run_names)) as files,
    ):
        yield files


def suspect_answers(evaluation: Evaluation) -> list[tuple[str, str]] | None:
    """Return task ids and answers that address the judge instead of answering.

    At most 100, as submitted, each cut to 2,000 characters. None where the file is gone, or the storage away.
    """
    if not evaluation.suspects:
        return []
    suspects = set(evaluation.suspects[:100])
    submission = evaluation.submission
    records = registry.get(submission.board.benchmark).records
    try:
        with open_runs(submission) as files:
            return [
                (record.task_id, _text_of(record.answer))
                for file in files
                for record in records(file)
                if record.task_id in suspects
            ]
    except (FileNotFoundError, StorageAway):
        return None


def _text_of(answer: Any) -> str:
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return text if len(text) <= _MAX_ANSWER else f"{text[:_MAX_ANSWER]}…"


def limits_of(benchmark: str) -> Limits:
    """Return the limits on files of a benchmark, which the settings may override."""
    return replace(registry.get(benchmark).limits, **settings.UPLOAD_LIMITS)


def largest_file(benchmark: str, *, has_account: bool) -> int:
    """Return the most bytes of a file for a benchmark that is read for a visitor, or an account."""
    most = limits_of(benchmark).body_bytes
    return most if has_account else min(most, settings.ANONYMOUS_CHECK_BYTES)


def largest_check(*, has_account: bool) -> int:
    """Return the size in bytes of the largest file that is checked, with or without an account."""
    return max(largest_file(benchmark, has_account=has_account) for benchmark in registry.BENCHMARKS)
