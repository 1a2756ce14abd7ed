"""Select submissions for organisers, by board, team, state and text."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, TextChoices
from django.utils import timezone

from leaderboard.models import AuditEvent, Board, Status, Submission, Team
from leaderboard.models.boards import BoardQuerySet
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.services import audit

# After this time a failed file cannot be scored again, because its bytes are removed.
FAILED_KEPT = timedelta(days=14)
_STUCK_AFTER = timedelta(minutes=15)
_LONG_STUCK_AFTER = timedelta(hours=4)
_INCOMPLETE_STUCK_AFTER = timedelta(days=1)
_SEARCHED = ("system__name", "team__name", "filename", "submitted_by__email")


class SubmissionState(TextChoices):
    """What organisers look for: each status of a submission, and what became of it or needs them."""

    NEEDS_ACTION = "failed-now", "Failed, not reviewed"
    STUCK = "stuck", "Waiting too long"
    SUSPECT = "suspect", "Addresses the judge, not reviewed"
    PUBLISHED = "published", "Published"
    UNPUBLISHED = "unpublished", "Scored, not published"
    WITHDRAWN = "withdrawn", "Withdrawn"
    DISQUALIFIED = "disqualified", "Disqualified"
    RECEIVED = Status.RECEIVED.value, "Received"
    SEALED = Status.SEALED.value, "Sealed"
    QUEUED = Status.QUEUED.value, "Queued"
    SCORING = Status.SCORING.value, "Being scored"
    SCORED = Status.SCORED.value, "Scored"
    INCOMPLETE = Status.INCOMPLETE.value, "Incomplete"
    REJECTED = Status.REJECTED.value, "Rejected"
    FAILED = Status.FAILED.value, "Failed"
    CANCELLED = Status.CANCELLED.value, "Cancelled"


def select(
    boards: BoardQuerySet,
    *,
    board: Board | None = None,
    team: Team | None = None,
    state: SubmissionState | None = None,
    text: str = "",
) -> SubmissionQuerySet:
    """Return submissions to `boards`, newest first. text: of the id, the digest, or a name."""
    rows = Submission.objects.with_result().filter(board__in=boards.values("pk"))
    if board is not None:
        rows = rows.filter(board=board)
    if team is not None:
        rows = rows.filter(team=team)
    if state is not None:
        rows = rows.filter(condition(state, timezone.now()))
    if text:
        rows = rows.filter(_holds(text))
    return rows.defer("problems", "warnings", "evaluation__verdicts", "evaluation__details").order_by(
        "-received_at", "pk"
    )


def _holds(text: str) -> Q:
    """Return the condition for a text that begins the digest, is the id, or is part of a name."""
    match = Q(sha256__startswith=text.lower())
    for name in _SEARCHED:
        match |= Q(**{f"{name}__icontains": text})
    try:
        return match | Q(pk=UUID(text))
    except ValueError:
        return match


def condition(state: SubmissionState, now: datetime) -> Q:
    """Return what submissions in a state have in common."""
    reviews = AuditEvent.objects.filter(submission=OuterRef("pk"), action=AuditEvent.Action.REVIEWED)
    not_reviewed, not_disqualified = ~Q(Exists(reviews)), Q(disqualified_at=None)
    scored = Q(status=Status.SCORED)
    in_work = Q(status__in=(Status.RECEIVED, Status.QUEUED, Status.SCORING))
    short = Q(is_long=False, moved_at__lt=now - _STUCK_AFTER)
    long = Q(is_long=True, moved_at__lt=now - _LONG_STUCK_AFTER)
    # Without a time to resume, the organisers have to act first.
    waits = Q(resume_at=None) | Q(moved_at__lt=now - _INCOMPLETE_STUCK_AFTER)
    conditions = {
        SubmissionState.NEEDS_ACTION: Q(status=Status.FAILED, moved_at__gt=now - FAILED_KEPT) & not_reviewed,
        SubmissionState.STUCK: (in_work & (short | long)) | (Q(status=Status.INCOMPLETE) & waits),
        SubmissionState.SUSPECT: scored & ~Q(evaluation__suspects=[]) & not_disqualified & not_reviewed,
        SubmissionState.PUBLISHED: scored
        & Q(published_at__isnull=False, withdrawn_at=None)
        & not_disqualified,
        SubmissionState.UNPUBLISHED: scored & Q(published_at=None) & not_disqualified,
        SubmissionState.WITHDRAWN: Q(withdrawn_at__isnull=False) & not_disqualified,
        SubmissionState.DISQUALIFIED: Q(disqualified_at__isnull=False),
    }
    return conditions.get(state) or Q(status=state.value)


def mark_reviewed(*, submission: Submission, by: Any) -> None:
    """Record that an organiser looked at a failure or a suspect, which then needs nobody any more."""
    audit.record(AuditEvent.Action.REVIEWED, actor=by, submission=submission)
