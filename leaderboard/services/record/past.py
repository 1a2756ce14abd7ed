"""Results that are no longer on their board, and the reasons."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
    return {
        **{system: removal for system, removal in removals.items() if removal},
        **unlistings_of(board, unlisted),
    }


def unlistings_of(board: Board, systems: Collection[int] | QuerySet[Any, Any]) -> dict[int, Removal]:
    """Return system -> when its row was last taken off, of `systems` that left the board."""
    events = BoardEvent.objects.filter(board=board, action=BoardAction.UNLISTED, system__in=systems)
    return {
        event.system_id: Removal(action=BoardAction.UNLISTED, at=event.at, reason=_reason_of(event))
        for event in events.order_by("number")
        if event.system_id is not None
    }


def _reason_of(event: BoardEvent) -> str:
    """Return why a row was taken off, in the words of a person; "" for none."""
    return event.reason or str((event.data or {}).get("reason", ""))


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
