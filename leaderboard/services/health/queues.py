"""What waits for its turn, in each lane."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Case, Count, Exists, F, Min, OuterRef, Q, Subquery, When

from leaderboard.models import BoardEvent, BoardState, BoardStatistics, Standing, Status, Submission


class Queue(StrEnum):
    """Where something may wait: the lanes of services.background, and a judge that cannot go on."""

    SHORT = "short"
    LONG = "long"
    JUDGE = "judge"
    STATISTICS = "statistics"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How many files (or leaderboards, for statistics) wait, and since when the first of them does."""

    count: int
    since: datetime | None

    def seconds(self, now: datetime) -> float:
        """Return for how long the first one has waited; 0 where none waits."""
        return max(0.0, (now - self.since).total_seconds()) if self.since else 0.0


def waiting_by_queue() -> dict[Queue, Waiting]:
    """Return what waits in each queue. Teams are not named."""
    unchecked = Q(status=Status.RECEIVED, begun_at=None)
    rows = Submission.objects.filter(Q(status__in=(Status.QUEUED, Status.INCOMPLETE)) | unchecked)
    # A file that was set aside waits since then.
    since = Case(When(begun_at=None, then=F("received_at")), default=F("moved_at"))
    is_incomplete = Case(When(status=Status.INCOMPLETE, then=True), default=False)
    groups = rows.order_by().annotate(is_incomplete=is_incomplete).values("is_long", "is_incomplete")
    waiting = {queue: Waiting(count=0, since=None) for queue in Queue}
    found: dict[Queue, list[Waiting]] = {}
    for group in groups.annotate(count=Count("pk"), since=Min(since)):
        queue = Queue.LONG if group["is_long"] else Queue.SHORT
        queue = Queue.JUDGE if group["is_incomplete"] else queue
        found.setdefault(queue, []).append(Waiting(count=group["count"], since=group["since"]))
    for queue, parts in found.items():
        first = min(part.since for part in parts if part.since)
        waiting[queue] = Waiting(count=sum(part.count for part in parts), since=first)
    waiting[Queue.STATISTICS] = _boards_without_statistics()
    return waiting


def _boards_without_statistics() -> Waiting:
    on_board = {"benchmark": OuterRef("benchmark")}
    known = BoardStatistics.objects.filter(**on_board, number=OuterRef("rows_number"))
    entrants = Standing.objects.filter(
        **on_board, evaluation__revision=OuterRef("benchmark__active_revision")
    )
    changed = BoardEvent.objects.filter(**on_board, number=OuterRef("rows_number")).values("at")[:1]
    boards = BoardState.objects.filter(~Exists(known), Exists(entrants))
    times = [at for at in boards.values_list(Subquery(changed), flat=True) if at is not None]
    return Waiting(count=len(times), since=min(times, default=None))
