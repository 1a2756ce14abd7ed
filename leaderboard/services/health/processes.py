"""Count the living processes that work on each lane, by the rows that they renew."""

from datetime import datetime

from leaderboard.models import Pulse, RunningProcess
from leaderboard.services.engine import Lane
from leaderboard.services.processes import pulse


def processes_by_lane(number: int) -> dict[str, int]:
    """Count the living processes that work on each lane. number: the present number of the pulse."""
    living = RunningProcess.objects.filter(pulse__gt=number - pulse.LASTS)
    lanes = [lanes.split(",") for lanes in living.values_list("lanes", flat=True)]
    return {lane.value: sum(lane in names for names in lanes) for lane in Lane}


def last_sweep() -> datetime | None:
    """Return when a sweep last came to its end; None before the first one."""
    return Pulse.objects.values_list("swept_at", flat=True).first()
