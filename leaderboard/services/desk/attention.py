"""Find what needs an organiser now, on the boards that they organise."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.conf import settings
from django.core.cache import caches
from django.db.models import Count, Max, Min, QuerySet
from django.utils import timezone

from leaderboard.models import (
    ApprovalStatus,
    AuditEvent,
    Board,
    Doubt,
    DoubtState,
    ReferenceRevision,
    Status,
    Submission,
    TeamApproval,
)
from leaderboard.models.boards import BoardQuerySet
from leaderboard.models.emails import EMAILS
from leaderboard.services.desk.submissions import SubmissionState, condition
from leaderboard.services.judging.budget import most_spent_today
from leaderboard.services.publishing.stage_references import numbers_once_active
from leaderboard.services.submissions import rescore
from leaderboard.services.submissions.digests import equal_answers

_NEARLY = 0.8  # share of a budget, or of the room for files, from which organisers should know
_cache = caches["boards"]


class NeedKind(StrEnum):
    """Why a board needs its organiser."""

    FAILED = "failed"
    STUCK = "stuck"
    APPROVALS = "approvals"
    DOUBTS = "doubts"
    SUSPECTS = "suspects"
    NAMESAKES = "namesakes"
    SIMILAR = "similar"
    PREPARED = "prepared"
    OUTDATED = "outdated"


# The state of the submissions that cause a need.
STATE_OF_NEED = {
    NeedKind.FAILED: SubmissionState.NEEDS_ACTION,
    NeedKind.STUCK: SubmissionState.STUCK,
    NeedKind.SUSPECTS: SubmissionState.SUSPECT,
    NeedKind.NAMESAKES: SubmissionState.NAMESAKE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Something on a board that needs its organiser.

    count: of submissions, teams, reports, revisions, scores, or groups of similar files
    since: when the oldest of them began; None where that is not known
    """

    kind: NeedKind
    board: Board
    count: int
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How much of a limit is used. most: None for no limit."""

    used: float
    most: float | None

    @property
    def share(self) -> float | None:
        """The used share, from 0; None where there is no limit."""
        return self.used / self.most if self.most else None

    @property
    def is_nearly_spent(self) -> bool:
        """Whether 80% or more is used."""
        return self.share is not None and self.share >= _NEARLY


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """What all boards share.

    judge_calls, judge_cost: of today (UTC), by the leaderboard that spent most, in calls and in US dollars
    disk_free, disk_reserved: bytes; uploads that would leave less than `disk_reserved` are refused
    emails_given_up: emails of the last 60 days that no mail server took
    """

    judge_calls: Use
    judge_cost: Use
    disk_free: int
    disk_reserved: int
    emails_given_up: int

    @property
    def is_disk_nearly_full(self) -> bool:
        """Whether less than twice the reserve is free."""
        return self.disk_free < 2 * self.disk_reserved


def list_needs(boards: BoardQuerySet) -> list[Need]:
    """Return what needs the organiser of `boards`, the most urgent kind first."""
    now = timezone.now()
    by_pk = {board.pk: board for board in boards}
    causes = {
        kind: Submission.objects.filter(condition(state, now), board__in=by_pk)
        for kind, state in STATE_OF_NEED.items()
    }
    requests = TeamApproval.objects.filter(status=ApprovalStatus.REQUESTED, board__in=by_pk)
    doubts = Doubt.objects.filter(state=DoubtState.OPEN, board__in=by_pk)
    needs = [
        *_by_board(NeedKind.FAILED, causes[NeedKind.FAILED], by_pk, "moved_at"),
        *_by_board(NeedKind.STUCK, causes[NeedKind.STUCK], by_pk, "moved_at"),
        *_by_board(NeedKind.APPROVALS, requests, by_pk, "requested_at"),
        *_by_board(NeedKind.DOUBTS, doubts, by_pk, "reported_at"),
        *_by_board(NeedKind.SUSPECTS, causes[NeedKind.SUSPECTS], by_pk, "received_at"),
        *_by_board(NeedKind.NAMESAKES, causes[NeedKind.NAMESAKES], by_pk, "received_at"),
    ]
    for board in by_pk.values():
        if count := len(unreviewed_groups(board)):
            needs.append(Need(kind=NeedKind.SIMILAR, board=board, count=count))
    for board in by_pk.values():
        if count := prepared_revisions(board).count():
            needs.append(Need(kind=NeedKind.PREPARED, board=board, count=count))
        if board.is_open and (count := rescore.outdated(board).count()):
            needs.append(Need(kind=NeedKind.OUTDATED, board=board, count=count))
    return needs


def prepared_revisions(board: Board) -> QuerySet[ReferenceRevision]:
    """Select the revisions of a board that were prepared after the active one and never activated."""
    newest = max(numbers_once_active(board), default=0)
    return ReferenceRevision.objects.filter(board=board, number__gt=newest)


def _by_board(kind: NeedKind, rows: object, by_pk: dict[int, Board], since: str) -> Iterable[Need]:
    counts = rows.order_by().values_list("board").annotate(n=Count("pk"), since=Min(since))  # type: ignore[attr-defined]
    return [
        Need(kind=kind, board=by_pk[pk], count=count, since=first)
        for pk, count, first in sorted(counts, key=lambda row: by_pk[row[0]].position)
    ]


def equal_files(board: Board) -> list[list[Submission]]:
    """Return the groups of files of several teams with equal answers; none on a demonstration.

    Kept by process until another file is scored.
    """
    # On a demonstration everyone may send the example.
    if not board.is_open or board.is_demo:
        return []
    scored = Submission.objects.filter(board=board, status=Status.SCORED)
    version = scored.aggregate(n=Count("pk"), last=Max("scored_at"))
    last = version["last"].timestamp() if version["last"] else 0
    key = f"equal:{board.pk}:{version['n']}:{last}"
    groups: list[list[Submission]] | None = _cache.get(key)
    if groups is None:
        groups = equal_answers(board)
        _cache.set(key, groups, 3600)
    return groups


def unreviewed_groups(board: Board) -> list[list[Submission]]:
    """Return the groups of equal files that hold a file that no organiser has reviewed."""
    groups = equal_files(board)
    members = {submission.pk for group in groups for submission in group}
    reviewed = reviewed_among(members)
    gone = set(
        Submission.objects.filter(pk__in=members, disqualified_at__isnull=False).values_list("pk", flat=True)
    )
    return [group for group in groups if any(submission.pk not in reviewed | gone for submission in group)]


def reviewed_among(submissions: Iterable[object]) -> set[object]:
    """Return the keys of those submissions that an organiser has reviewed."""
    events = AuditEvent.objects.filter(action=AuditEvent.Action.REVIEWED, submission__in=list(submissions))
    return set(events.values_list("submission", flat=True))


def service_state() -> ServiceState:
    """Return the state of what all boards share, as it is now."""
    calls, cost = most_spent_today()
    budget = settings.JUDGE_BUDGET
    return ServiceState(
        judge_calls=Use(used=calls, most=budget["day_calls"]),
        judge_cost=Use(used=cost, most=budget["day_cost"]),
        disk_free=shutil.disk_usage(settings.DATA).free,
        disk_reserved=settings.UPLOAD_MIN_FREE_BYTES,
        emails_given_up=sum(model.objects.given_up().count() for model in EMAILS),
    )
