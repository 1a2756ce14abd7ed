"""Make the traces of a result public, once its team has read what looks like a name or a key."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import AuditEvent, Submission, User
from leaderboard.services import audit
from leaderboard.services.errors import ServiceError, WrongState
from leaderboard.services.files import reading_turn
from leaderboard.services.traces.read import open_traces
from wardboard.scoring.traces.findings import Finding, FindingCollector


class TracesUnconfirmed(ServiceError):
    """Texts in the traces look like names or keys, and the team has not confirmed that they may be public."""

    code = "traces-unconfirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingPreview:
    """What becomes public with the traces of a result.

    - tasks: how many have a trace
    - findings: the first 500 texts that look like names or keys; total: how many there are
    - confirmation: what confirms these findings and no others; "" where there are none
    """

    tasks: int
    findings: Sequence[Finding]
    total: int
    confirmation: str


def preview(submission: Submission) -> SharingPreview:
    """Return what becomes public, from all traces. Raises WrongState where none can; Busy, StorageAway."""
    if not submission.board.offers_public_traces:
        raise WrongState(_("This leaderboard does not offer public traces."))
    collector = FindingCollector()
    with reading_turn.take(), open_traces(submission) as traces:
        runs = traces.runs if traces else {}
        for task_id, of_task in runs.items():
            for run in of_task:
                if traces and (trace := traces.read(task_id, run)):
                    collector.add(task_id, trace.messages)
    if not runs:
        raise WrongState(_("No trace of this submission is stored, so none can be made public."))
    return SharingPreview(
        tasks=len(runs),
        findings=collector.findings,
        total=collector.total,
        confirmation=collector.digest,
    )


def require_confirmed(submission: Submission, confirmed: str) -> None:
    """Check that the traces may become public. confirmed: `SharingPreview.confirmation`, as the team sent it.

    Raises TracesUnconfirmed, and what `preview` does.
    """
    found = preview(submission)
    if found.confirmation != confirmed and found.confirmation:
        raise TracesUnconfirmed(
            ngettext(
                "%(count)s text in the traces looks like a name or a key. Read it, and confirm that it may "
                "become public.",
                "%(count)s texts in the traces look like names or keys. Read them, and confirm that they may "
                "become public.",
                found.total,
            )
            % {"count": found.total}
        )


def choose(submission: Submission, *, is_public: bool, by: User) -> None:
    """Store the choice of the team in the caller's transaction, which has the submission locked."""
    if submission.public_traces != is_public:
        submission.public_traces = is_public
        submission.save(update_fields=["public_traces"])
        audit.record(AuditEvent.Action.TRACES_CHANGED, actor=by, submission=submission, is_public=is_public)
