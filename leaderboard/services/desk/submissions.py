"""Select submissions for organisers, by board, team, state, date and text, and export them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from leaderboard.models import AuditEvent, Board, Status, Submission, Team
from leaderboard.models.boards import BoardQuerySet
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.services import audit, visibility
from leaderboard.services.desk.namesakes import first_files_of_namesakes
from leaderboard.services.desk.search import holds_text, within_days
from leaderboard.services.exports.csv_json import neutralise, write_csv

# After this time a failed file cannot be scored again, because its bytes are removed.
FAILED_KEPT = timedelta(days=14)
_STUCK_AFTER = timedelta(minutes=15)
_LONG_STUCK_AFTER = timedelta(hours=4)
_INCOMPLETE_STUCK_AFTER = timedelta(days=1)
_SEARCHED = ("system__name", "team__name", "filename", "submitted_by__email")


class SubmissionState(StrEnum):
    """What organisers look for: each status of a submission, and what became of it or needs them."""

    NEEDS_ACTION = "failed-now"
    STUCK = "stuck"
    SUSPECT = "suspect"
    NAMESAKE = "namesake"
    PUBLISHED = "published"
    UNPUBLISHED = "unpublished"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"
    RECEIVED = Status.RECEIVED.value
    QUEUED = Status.QUEUED.value
    SCORING = Status.SCORING.value
    SCORED = Status.SCORED.value
    INCOMPLETE = Status.INCOMPLETE.value
    REJECTED = Status.REJECTED.value
    FAILED = Status.FAILED.value
    CANCELLED = Status.CANCELLED.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which submissions an organiser wants; each field narrows, None and "" do not.

    since, until: days (UTC) on which they were received, both included
    text: part of the id, the digest, or the name of file, system, team or sender
    """

    board: Board | None = None
    team: Team | None = None
    state: SubmissionState | None = None
    since: date | None = None
    until: date | None = None
    text: str = ""


def select(boards: BoardQuerySet, wanted: Wanted) -> SubmissionQuerySet:
    """Return the wanted submissions to `boards`, newest first, with what a list shows."""
    rows = Submission.objects.with_result().filter(board__in=boards.values("pk"))
    if wanted.board is not None:
        rows = rows.filter(board=wanted.board)
    if wanted.team is not None:
        rows = rows.filter(team=wanted.team)
    if wanted.state is not None:
        rows = rows.filter(condition(wanted.state, timezone.now()))
    rows = rows.filter(within_days("received_at", wanted.since, wanted.until))
    if wanted.text:
        has_digest = Q(sha256__startswith=wanted.text.lower())
        rows = rows.filter(has_digest | holds_text(wanted.text, fields=_SEARCHED, key="pk"))
    return rows.defer("problems", "warnings", "evaluation__verdicts", "evaluation__details").order_by(
        "-received_at", "pk"
    )


def condition(state: SubmissionState, now: datetime) -> Q:
    """Return what submissions in a state have in common."""
    reviews = AuditEvent.objects.filter(submission=OuterRef("pk"), action=AuditEvent.Action.REVIEWED)
    not_reviewed, not_disqualified = ~Q(Exists(reviews)), Q(disqualified_at=None)
    if state is SubmissionState.NAMESAKE:
        return Q(pk__in=first_files_of_namesakes()) & not_disqualified & not_reviewed
    scored = Q(status=Status.SCORED)
    conditions = {
        SubmissionState.NEEDS_ACTION: Q(status=Status.FAILED, moved_at__gt=now - FAILED_KEPT) & not_reviewed,
        SubmissionState.STUCK: _is_stuck(now),
        SubmissionState.SUSPECT: scored & ~Q(evaluation__suspects=[]) & not_disqualified & not_reviewed,
        SubmissionState.PUBLISHED: scored
        & Q(published_at__isnull=False, withdrawn_at=None)
        & not_disqualified,
        SubmissionState.UNPUBLISHED: scored & Q(published_at=None) & not_disqualified,
        SubmissionState.WITHDRAWN: Q(withdrawn_at__isnull=False) & not_disqualified,
        SubmissionState.DISQUALIFIED: Q(disqualified_at__isnull=False),
    }
    return conditions.get(state) or Q(status=state.value)


def _is_stuck(now: datetime) -> Q:
    """Return the condition for submissions that have waited much longer than their kind should."""
    in_work = Q(status__in=(Status.RECEIVED, Status.QUEUED, Status.SCORING))
    short = Q(is_long=False, moved_at__lt=now - _STUCK_AFTER)
    long = Q(is_long=True, moved_at__lt=now - _LONG_STUCK_AFTER)
    # Without a time to resume, the organisers have to act first.
    waits = Q(resume_at=None) | Q(moved_at__lt=now - _INCOMPLETE_STUCK_AFTER)
    return (in_work & (short | long)) | (Q(status=Status.INCOMPLETE) & waits)


def mark_reviewed(*, submission: Submission, by: Any) -> None:
    """Record that an organiser looked at a failure or a suspect, which then needs nobody any more."""
    audit.record(AuditEvent.Action.REVIEWED, actor=by, submission=submission)


_COLUMNS = (
    *("submission", "leaderboard", "team", "system", "status", "published", "received_at", "scored_at"),
    *("score", "right", "total", "judge", "judge_calls", "judge_cost_usd", "size_bytes", "sha256"),
    *("failure", "disqualified_at", "disqualification_reason"),
)


def as_csv(rows: SubmissionQuerySet) -> Iterator[str]:
    """Yield the lines of a CSV file of submissions, with the figures that an organiser may see."""
    return write_csv(map(_line, rows.iterator(chunk_size=500)), names=_COLUMNS)


def _line(submission: Submission) -> Mapping[str, Any]:
    result = visibility.visible_result(submission, to_organiser=True)
    return {
        "submission": str(submission.pk),
        "leaderboard": submission.board.slug,
        "team": neutralise(submission.team.name),
        "system": neutralise(submission.system.name),
        "status": submission.status,
        "published": "yes" if submission.is_published else "no",
        "received_at": submission.received_at.isoformat(),
        "scored_at": submission.scored_at.isoformat() if submission.scored_at else "",
        "score": visibility.round_figure(result.overall.rate) if result else "",
        "right": result.overall.right if result else "",
        "total": result.overall.total if result else "",
        "judge": result.evaluation.judge if result else "",
        "judge_calls": submission.judge_calls,
        "judge_cost_usd": round(submission.judge_cost, 4),
        "size_bytes": submission.size_bytes,
        "sha256": submission.sha256,
        "failure": submission.failure,
        "disqualified_at": submission.disqualified_at.isoformat() if submission.disqualified_at else "",
        "disqualification_reason": neutralise(submission.disqualification_reason),
    }
