"""Read the stored traces of a submission, for its team and organisers, and for all where they are public.

A trace is what the sender's own file holds, so the feedback level has no part in it; no verdict is read here.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.utils.translation import gettext as _

from leaderboard.models import Submission
from leaderboard.services.access import Reader, may_read_traces
from leaderboard.services.errors import NotFound
from leaderboard.services.files import store
from wardboard.scoring import registry
from wardboard.scoring.traces.trace_file import Trace, TraceFile


def may_have_traces(submission: Submission) -> bool:
    """Return whether traces of a submission are stored, as far as its row and its board tell."""
    return (
        submission.evaluation_id is not None
        and submission.board.keeps_files
        and registry.get(submission.board.benchmark).has_traces
    )


def find_traced(reader: Reader, submission_id: UUID) -> Submission:
    """Return a submission whose traces a reader may read. Raises NotFound."""
    submission = Submission.objects.with_result().filter(pk=submission_id).first()
    if submission is None or not may_read_traces(reader, submission):
        raise NotFound(_("There are no traces here that you may read."))
    return submission


@contextmanager
def open_traces(submission: Submission) -> Iterator[TraceFile | None]:
    """Open the traces of a submission; None where none are stored. Raises StorageAway."""
    # Once a board keeps files no longer, nobody reads what the next sweep removes.
    if not may_have_traces(submission) or not store.has_traces(submission.stored_as):
        yield None
        return
    with store.open_traces(submission.stored_as) as source:
        yield TraceFile(source)


def traced_runs(submission: Submission) -> Mapping[str, Sequence[int]]:
    """Return task id -> the runs with a trace, in the order of the file. Raises StorageAway."""
    with open_traces(submission) as traces:
        return traces.runs if traces else {}


def read_trace(submission: Submission, *, task_id: str, run: int) -> Trace:
    """Return the trace of a task in a run. Raises NotFound, StorageAway."""
    with open_traces(submission) as traces:
        trace = traces.read(task_id, run) if traces else None
    if trace is None:
        raise NotFound(_("No trace of this task is stored."))
    return trace
