"""Why rows of a past board stand no longer."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.models import (
    Benchmark,
    BoardAction,
    BoardEvent,
    Kind,
    PastStanding,
    Standing,
    Submission,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """Why a row of the past stands no longer. action: withdrawn, disqualified or unlisted."""

    action: BoardAction
    at: datetime
    reason: str


def removals_of(*, benchmark: Benchmark, rows: QuerySet[PastStanding]) -> dict[int, Removal]:
    """Return system -> why its row among `rows`, which the board once had, stands no longer."""
    taken_back = Q(withdrawn_at__isnull=False) | Q(disqualified_at__isnull=False)
    of_rows = rows.filter(evaluation__isnull=False).values("evaluation__submission")
    back = Submission.objects.filter(taken_back, benchmark=benchmark, pk__in=of_rows)
    gone = {submission.system_id: removal_of(submission) for submission in back}
    listed = Standing.objects.filter(benchmark=benchmark, system=OuterRef("system"))
    unlisted = rows.exclude(kind=Kind.RESCORED).filter(~Exists(listed)).values("system")
    return gone | unlistings_of(benchmark, unlisted)


def unlistings_of(benchmark: Benchmark, systems: Collection[int] | QuerySet) -> dict[int, Removal]:
    """Return when rows of `systems`, which are on the board no more, were last taken off."""
    events = BoardEvent.objects.filter(benchmark=benchmark, action=BoardAction.UNLISTED, system__in=systems)
    return {
        event.system_id: Removal(action=BoardAction.UNLISTED, at=event.at, reason=event.reason)
        for event in events.order_by("number")
    }


def removal_of(submission: Submission) -> Removal | None:
    """Return why a submission that was published stands no longer; None where it stands."""
    if submission.disqualified_at is not None:
        reason = submission.disqualification_reason
        return Removal(action=BoardAction.DISQUALIFIED, at=submission.disqualified_at, reason=reason)
    if submission.withdrawn_at is not None:
        reason = submission.withdrawal_reason
        return Removal(action=BoardAction.WITHDRAWN, at=submission.withdrawn_at, reason=reason)
    return None


def is_public(system_id: int) -> bool:
    """Whether the system was ever on a board; of others nothing may be told, not even that they are there."""
    return (
        Standing.objects.filter(system=system_id).exists()
        or PastStanding.objects.filter(system=system_id).exists()
    )
