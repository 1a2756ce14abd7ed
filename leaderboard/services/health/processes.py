"""Count the living processes that work on each lane, by the rows that they renew."""

from datetime import timedelta

from django.conf import settings
from django.db.models.functions import Now

from leaderboard.models import RunningProcess
from leaderboard.services.engine import Lane


def processes_by_lane() -> dict[str, int]:
    """Count the living processes that work on each lane."""
    lease = timedelta(seconds=settings.LEASE_SECONDS)
    # None is seen in the future, unless the clock of the database was set back.
    living = RunningProcess.objects.filter(seen_at__gt=Now() - lease, seen_at__lte=Now() + lease)
    lanes = [lanes.split(",") for lanes in living.values_list("lanes", flat=True)]
    return {lane.value: sum(lane in names for names in lanes) for lane in Lane}
