"""What waits for its turn in each lane, and how many processes work on it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db.models import Case, Count, F, Min, OuterRef, Subquery, When
from django.db.models.functions import Now

from leaderboard.models import BoardEvent, RunningProcess, Status, Submission
from leaderboard.models.record import boards_without_statistics
from leaderboard.services.background import Lane


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
    # A file that was set aside waits since then.
    since = Case(When(begun_at=None, then=F("received_at")), default=F("moved_at"))
    rows = {
        Queue.SHORT: Submission.objects.waiting(is_long=False),
        Queue.LONG: Submission.objects.waiting(is_long=True),
        Queue.JUDGE: Submission.objects.filter(status=Status.INCOMPLETE),
    }
    waiting = {
        queue: Waiting(**of_queue.order_by().aggregate(count=Count("pk"), since=Min(since)))
        for queue, of_queue in rows.items()
    }
    event = BoardEvent.objects.filter(board=OuterRef("board"), number=OuterRef("rows_number"))
    changed = boards_without_statistics().values_list(Subquery(event.values("at")[:1]), flat=True)
    times = [at for at in changed if at is not None]
    waiting[Queue.STATISTICS] = Waiting(count=len(times), since=min(times, default=None))
    return waiting


def processes_by_lane() -> dict[str, int]:
    """Count the living processes that work on each lane, by the rows that they renew."""
    lease = timedelta(seconds=settings.LEASE_SECONDS)
    # None is seen in the future, unless the clock of the database was set back.
    living = RunningProcess.objects.filter(seen_at__gt=Now() - lease, seen_at__lte=Now() + lease)
    lanes = [lanes.split(",") for lanes in living.values_list("lanes", flat=True)]
    return {lane.value: sum(lane in names for names in lanes) for lane in Lane}
