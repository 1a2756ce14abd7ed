"""Results that are no longer on their board, and the reasons."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.models import (
    Board,
    BoardAction,
    BoardEvent,
    Kind,
    PastStanding,
    Standing,
    Submission,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The removal of a result. action: withdrawn, disqualified or unlisted."""

    action: BoardAction
    at: datetime
    reason: str


def removals_of(*, board: Board, rows: QuerySet[PastStanding]) -> dict[int, Removal]:
    """Return system -> the removal of its row, for those of `rows` that left the board."""
    is_removed = Q(withdrawn_at__isnull=False) | Q(disqualified_at__isnull=False)
    results = rows.filter(evaluation__isnull=False).values("evaluation__submission")
    removed = Submission.objects.filter(is_removed, board=board, pk__in=results)
    removals = {submission.system_id: removal_of(submission) for submission in removed}
    listed = Standing.objects.filter(board=board, system=OuterRef("system"))
    unlisted = rows.exclude(kind=Kind.RESCORED).filter(~Exists(listed)).values("system")
    events = BoardEvent.objects.filter(board=board, action=BoardAction.UNLISTED, system__in=unlisted)
    for event in events.order_by("number"):
        assert event.system_id is not None
        reason = event.reason or str((event.data or {}).get("reason", ""))
        removals[event.system_id] = Removal(action=BoardAction.UNLISTED, at=event.at, reason=reason)
    return {system: removal for system, removal in removals.items() if removal}


def removal_of(submission: Submission) -> Removal | None:
    """Return the removal of a submission that was published; None if its result is public."""
    if submission.disqualified_at is not None:
        reason = submission.disqualification_reason
        return Removal(action=BoardAction.DISQUALIFIED, at=submission.disqualified_at, reason=reason)
    if submission.withdrawn_at is not None:
        reason = submission.withdrawal_reason
        return Removal(action=BoardAction.WITHDRAWN, at=submission.withdrawn_at, reason=reason)
    return None


def is_public(system_id: int) -> bool:
    """Return whether the system was ever on a board. The existence of others is not public."""
    return (
        Standing.objects.filter(system=system_id).exists()
        or PastStanding.objects.filter(system=system_id).exists()
    )
