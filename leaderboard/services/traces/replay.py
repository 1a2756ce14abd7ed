"""Compare the responses in stored traces with a recorded FHIR server, for their team and organisers.

Stored and shown are counts and the agent's own requests; nothing of the recording is.
"""

import hashlib
import logging
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from uuid import UUID

import msgspec
from django.utils import timezone

from leaderboard.models import Board, Submission
from leaderboard.services.traces.read import may_have_traces, open_traces
from wardboard.scoring.fhir import RecordedFhir
from wardboard.scoring.traces.conversation import TracedMessage
from wardboard.scoring.traces.replay import Replay, ReplayCounts
from wardboard.scoring.traces.trace_file import TraceFile

logger = logging.getLogger(__name__)


class StoredReplay(ReplayCounts, kw_only=True, frozen=True):
    """A comparison as it is stored. recording_sha256: of the file; compared_on: the day (UTC)."""

    recording_sha256: str
    compared_on: date

    @property
    def compared(self) -> int:
        """How many responses were compared."""
        return self.same + self.different

    @property
    def not_recorded(self) -> int:
        """How many requests the recording does not hold."""
        return self.gets - self.recorded

    @property
    def not_comparable(self) -> int:
        """How many responses to recorded requests are cut off, shortened or no FHIR."""
        return self.recorded - self.compared

    @property
    def further(self) -> int:
        """How many different responses have no stored place."""
        return self.different - len(self.places)


def replay_of(submission: Submission) -> StoredReplay | None:
    """Return the comparison of a submission, for its team and organisers; None without one or GETs."""
    if submission.replay is None or not may_have_traces(submission):
        return None
    found = msgspec.convert(submission.replay, StoredReplay)
    return found if found.gets else None


def replay_traces(
    board: Board, recording: Path, *, submission_id: UUID | None = None
) -> Iterator[tuple[Submission, StoredReplay]]:
    """Compare the stored traces of a leaderboard, or of one submission to it; yield each as it is stored.

    Before the first, raises OSError and RecordingInvalid; StorageAway.
    """
    with recording.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    replay = Replay(RecordedFhir(recording))
    rows = Submission.objects.select_related("board").defer("problems", "warnings")
    rows = rows.filter(board=board, evaluation__isnull=False)
    if submission_id is not None:
        rows = rows.filter(pk=submission_id)
    for submission in rows.order_by("received_at", "pk").iterator(chunk_size=20):
        try:
            with open_traces(submission) as traces:
                if traces is None:
                    continue
                counts = replay.compare(_conversations(traces))
        except FileNotFoundError:  # deleted meanwhile
            continue
        except ValueError as error:
            logger.warning("the traces of submission %s cannot be read: %s", submission.pk, error)
            continue
        found = StoredReplay(
            **msgspec.structs.asdict(counts),
            recording_sha256=digest,
            compared_on=timezone.now().date(),
        )
        # The team may have deleted it meanwhile.
        live = Submission.objects.filter(pk=submission.pk, evaluation__isnull=False)
        live.update(replay=msgspec.to_builtins(found))
        yield submission, found


def _conversations(traces: TraceFile) -> Iterator[tuple[str, int, Sequence[TracedMessage]]]:
    for task_id, runs in traces.runs.items():
        for run in runs:
            if trace := traces.read(task_id, run):
                yield task_id, run, trace.messages
