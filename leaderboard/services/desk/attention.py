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
from leaderboard.services.submissions import quotas, rescore, similar
from leaderboard.services.submissions.similar import SimilarFamily, SimilarFiles
from wardboard.scoring.reading.limits import MIB

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
    STORAGE = "storage"
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

    count: of submissions, teams, reports, revisions, scores, or families of similar files; percent taken, for
        STORAGE
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
        if count := len(unreviewed_families(board)):
            needs.append(Need(kind=NeedKind.SIMILAR, board=board, count=count))
    for board in by_pk.values():
        if count := prepared_revisions(board).count():
            needs.append(Need(kind=NeedKind.PREPARED, board=board, count=count))
        if board.is_open and (count := rescore.outdated(board).count()):
            needs.append(Need(kind=NeedKind.OUTDATED, board=board, count=count))
        used = room_of(board)
        if used.is_nearly_spent and used.share is not None:
            needs.append(Need(kind=NeedKind.STORAGE, board=board, count=int(100 * used.share)))
    return needs


def prepared_revisions(board: Board) -> QuerySet[ReferenceRevision]:
    """Select the revisions of a board that were prepared after the active one and never activated."""
    newest = max(numbers_once_active(board), default=0)
    return ReferenceRevision.objects.filter(board=board, number__gt=newest)


def room_of(board: Board) -> Use:
    """Return how much of a board's room for files and reports is taken, in bytes."""
    used = quotas.kept_bytes(Submission.objects.filter(board=board))
    return Use(used=used, most=board.storage_mib * MIB or None)


def _by_board(kind: NeedKind, rows: object, by_pk: dict[int, Board], since: str) -> Iterable[Need]:
    counts = rows.order_by().values_list("board").annotate(n=Count("pk"), since=Min(since))  # type: ignore[attr-defined]
    return [
        Need(kind=kind, board=by_pk[pk], count=count, since=first)
        for pk, count, first in sorted(counts, key=lambda row: by_pk[row[0]].position)
    ]


def similar_files(board: Board) -> SimilarFiles | None:
    """Return the families of similar files among the last of a board; None for a board without references.

    Kept by process until another file is scored.
    """
    if not board.is_open:
        return None
    scored = Submission.objects.filter(board=board, status=Status.SCORED)
    version = scored.aggregate(n=Count("pk"), last=Max("scored_at"))
    last = version["last"].timestamp() if version["last"] else 0
    key = f"similar:{board.pk}:{board.active_revision_id}:{board.rounding}:{version['n']}:{last}"
    similar_set: SimilarFiles | None = _cache.get(key)
    if similar_set is None:
        similar_set = similar.find_similar(board=board)
        if not similar_set.left:
            _cache.set(key, similar_set, 3600)
    return similar_set


def unreviewed_families(board: Board) -> list[SimilarFamily]:
    """Return the families of similar files that hold a file that no organiser has reviewed."""
    # On a demonstration nothing can be learnt from results.
    similar_set = None if board.is_demo else similar_files(board)
    if similar_set is None:
        return []
    members = {submission.pk for family in similar_set.families for submission in family.submissions}
    reviewed = reviewed_among(members)
    gone = set(
        Submission.objects.filter(pk__in=members, disqualified_at__isnull=False).values_list("pk", flat=True)
    )
    return [
        family
        for family in similar_set.families
        if any(submission.pk not in reviewed | gone for submission in family.submissions)
    ]


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
