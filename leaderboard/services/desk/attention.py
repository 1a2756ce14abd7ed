"""Find what needs an organiser now, on the boards that they organise."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from urllib.parse import urlencode

from django.core.cache import caches
from django.db.models import Count, Max, Min, QuerySet
from django.urls import reverse
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
from leaderboard.services.desk.submissions import SubmissionState, condition
from leaderboard.services.publishing.stage_references import numbers_once_active
from leaderboard.services.submissions import rescore
from leaderboard.services.submissions.digests import SimilarGroup, similar_answers

_cache = caches["boards"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedWords:
    """What the desk and its emails say about a kind of need, in English.

    label: of the things that need an organiser. action: what the link to `page` says
    state: of the submissions that cause the need, which the page lists; None for another page
    part: id of the heading on `page` below which an organiser decides
    """

    label: str
    action: str = "Review"
    page: str = "web:organise-submissions"
    state: SubmissionState | None = None
    part: str = ""


class NeedKind(Enum):
    """Why a board needs its organiser, the most urgent first."""

    FAILED = NeedWords(
        label="Failed submissions", action="Look, and try again", state=SubmissionState.NEEDS_ACTION
    )
    STUCK = NeedWords(
        label="Submissions that have waited too long",
        action="Look, and resume",
        state=SubmissionState.STUCK,
    )
    APPROVALS = NeedWords(
        label="Teams that ask for approval", action="Decide", page="web:organise-teams", part="asking"
    )
    DOUBTS = NeedWords(
        label="Reports of doubtful reference answers",
        action="Decide",
        page="web:organise-doubts",
        part="reported",
    )
    SUSPECTS = NeedWords(
        label="Submissions with answers that address the judge", state=SubmissionState.SUSPECT
    )
    SIMILAR = NeedWords(label="Groups of similar files", page="web:organise-similar")
    PREPARED = NeedWords(
        label="Prepared revisions of the reference answers",
        action="Decide",
        page="web:organise-revision",
        part="changes",
    )
    OUTDATED = NeedWords(label="Scores to rescore", action="Rescore", page="web:organise-rescoring")


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Something on a board that needs its organiser.

    count: of submissions, teams, reports, revisions, scores, or groups of similar files
    since: when the oldest of them began; None where that is not known
    revision: the number of the newest prepared one
    """

    kind: NeedKind
    board: Board
    count: int
    since: datetime | None = None
    revision: int | None = None

    @property
    def words(self) -> NeedWords:
        return self.kind.value

    @property
    def text(self) -> str:
        """What needs the organiser, in English."""
        return f"{self.words.label}: {self.count:,}"

    @property
    def path(self) -> str:
        """The path of what an organiser does, which is a part of a page."""
        if self.words.state is None:
            args = [self.board.slug, *([self.revision] if self.revision else [])]
            return reverse(self.words.page, args=args) + (f"#{self.words.part}" if self.words.part else "")
        query = urlencode({"board": self.board.slug, "state": self.words.state.value})
        return f"{reverse(self.words.page)}?{query}"

    @property
    def is_urgent(self) -> bool:
        return self.kind in (NeedKind.FAILED, NeedKind.STUCK)


def list_needs(boards: BoardQuerySet) -> list[Need]:
    """Return what needs the organiser of `boards`, the most urgent kind first."""
    now = timezone.now()
    by_pk = {board.pk: board for board in boards}
    causes: list[tuple[NeedKind, QuerySet[Any], str]] = [
        *(
            (kind, Submission.objects.filter(condition(kind.value.state, now)), "moved_at")
            for kind in NeedKind
            if kind.value.state
        ),
        (NeedKind.APPROVALS, TeamApproval.objects.filter(status=ApprovalStatus.REQUESTED), "requested_at"),
        (NeedKind.DOUBTS, Doubt.objects.filter(state=DoubtState.OPEN), "reported_at"),
    ]
    needs = []
    for kind, rows, since in causes:
        counts = rows.filter(board__in=by_pk).order_by().values_list("board")
        needs += [
            Need(kind=kind, board=by_pk[pk], count=count, since=first)
            for pk, count, first in counts.annotate(n=Count("pk"), since=Min(since))
        ]
    for board in by_pk.values():
        newest = max(numbers_once_active(board), default=0)
        # A revision before the active one was activated, or left aside for it.
        prepared = ReferenceRevision.objects.filter(board=board, number__gt=newest)
        if numbers := list(prepared.values_list("number", flat=True)):
            last = max(numbers)
            needs.append(Need(kind=NeedKind.PREPARED, board=board, count=len(numbers), revision=last))
        others = {
            NeedKind.SIMILAR: len(unreviewed_groups(board)),
            NeedKind.OUTDATED: rescore.outdated(board).count() if board.is_open else 0,
        }
        needs += [Need(kind=kind, board=board, count=count) for kind, count in others.items() if count]
    order = list(NeedKind)
    return sorted(needs, key=lambda need: (order.index(need.kind), need.board.position))


def similar_files(board: Board) -> list[SimilarGroup]:
    """Return the groups of similar files of a board, published or not; none on a demonstration."""
    # On a demonstration everyone may send the example.
    if not board.is_open or board.is_demo:
        return []
    scored = Submission.objects.filter(board=board, status=Status.SCORED)
    # What the desk shows of a file changes at each of these.
    moments = ("scored_at", "published_at", "withdrawn_at", "disqualified_at")
    version = scored.aggregate(Count("pk"), *map(Max, moments)).values()
    key = f"similar:{board.pk}:{'-'.join(str(value) for value in version)}".replace(" ", "T")
    groups: list[SimilarGroup] | None = _cache.get_or_set(key, lambda: similar_answers(board), 3600)
    return groups or []


def unreviewed_groups(board: Board) -> list[SimilarGroup]:
    """Return the groups of similar files that hold a file that no organiser has reviewed."""
    groups = similar_files(board)
    members = {submission.pk for group in groups for submission in group.submissions}
    gone = Submission.objects.filter(pk__in=members, disqualified_at__isnull=False)
    settled = reviewed_among(members) | set(gone.values_list("pk", flat=True))
    return [group for group in groups if any(one.pk not in settled for one in group.submissions)]


def reviewed_among(submissions: Iterable[object]) -> set[object]:
    """Return the keys of those submissions that an organiser has reviewed."""
    events = AuditEvent.objects.filter(action=AuditEvent.Action.REVIEWED, submission__in=list(submissions))
    return set(events.values_list("submission", flat=True))
