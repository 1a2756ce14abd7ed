"""What files hold of the traces of their runs: taken while a file is graded, and kept with the submission.

Public is only how much a file holds. The remarks are for organisers.
"""

import logging
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from leaderboard.models import Status, Submission
from leaderboard.services.errors import StorageAway
from leaderboard.services.files import store
from leaderboard.services.files.read import extract_traces, open_runs
from wardboard.scoring import registry
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.trace import TraceCollector, TraceRemark

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TracesRead:
    """How many files were read again for their traces, and how many are not in the store.

    stored: of how many the traces themselves were stored
    """

    read: int
    gone: int
    stored: int


def collector_of(submission: Submission) -> TraceCollector:
    """Return what takes the traces of a submission's records, as they pass."""
    benchmark = registry.get(submission.board.benchmark)
    return TraceCollector(partial(benchmark.trace, received=submission.received_at), benchmark.trace_kinds)


def trace_fields(submission: Submission, collector: TraceCollector) -> dict[str, Any]:
    """Return the fields of a submission whose records have all passed the collector."""
    if not registry.get(submission.board.benchmark).has_traces:
        return {}
    return {"trace": collector.extent or "", "trace_remarks": [asdict(item) for item in collector.remarks]}


def remarks_of(submission: Submission) -> list[TraceRemark] | None:
    """Return the remarks on the traces of a submission, for organisers; None where they are not known.

    Those of a file that was scored before remarks were kept are read from the file, if it is still there.
    """
    if submission.trace_remarks is not None:
        return [TraceRemark(**stored) for stored in submission.trace_remarks]
    collector = _read(submission)
    return None if collector is None else collector.remarks


def read_missing_traces() -> TracesRead:
    """Store the traces of all scored files, and the remarks on them, where they are not stored yet."""
    read = gone = 0
    for submission in _without_traces():
        collector = _read(submission)
        if collector is None:
            gone += 1
        elif fields := trace_fields(submission, collector):
            Submission.objects.filter(pk=submission.pk).update(**fields)
            read += 1
    return TracesRead(read=read, gone=gone, stored=sum(map(_store_traces, _with_original())))


def _with_original() -> Iterator[Submission]:
    rows = Submission.objects.with_tasks().filter(
        status=Status.SCORED, board__benchmark__in=_benchmarks(), board__keep_originals=True
    )
    return (submission for submission in rows.iterator() if submission.board.keeps_files)


def _store_traces(submission: Submission) -> bool:
    if store.has_traces(submission.stored_as):
        return False
    try:
        extract_traces(submission)
    except FileNotFoundError:
        return False
    except SubmissionInvalid as error:
        # A later release may refuse what an earlier one took; the score stands.
        logger.warning("the traces of submission %s cannot be read: %s", submission.pk, error)
        return False
    return True


def _benchmarks() -> list[str]:
    return [slug for slug, benchmark in registry.BENCHMARKS.items() if benchmark.has_traces]


def _without_traces() -> Iterator[Submission]:
    rows = Submission.objects.filter(
        status=Status.SCORED, trace_remarks__isnull=True, board__benchmark__in=_benchmarks()
    )
    return rows.select_related("board").iterator()


def _read(submission: Submission) -> TraceCollector | None:
    """Return the traces in the stored records; None if these are gone or the storage is down."""
    collector = collector_of(submission)
    benchmark = registry.get(submission.board.benchmark)
    try:
        with open_runs(submission) as files:
            for file in files:
                for _ in collector.pass_on(benchmark.records(file)):
                    pass
    except (FileNotFoundError, StorageAway):
        return None
    return collector
