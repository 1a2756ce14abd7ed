"""Read the time at which a run was finished, as files write it; organisers see remarks on impossible times.

Source of the form in runs.jsonl: the harness (AgentBench's assigner), which appends a line when a run is
finished, with the time in milliseconds and the same as local time.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

_LATEST = 253_402_300_799_999  # milliseconds at the end of the year 9999
_QUARTER = timedelta(minutes=15)  # the least difference between two time zones
_FURTHEST_ZONE = timedelta(hours=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTime:
    """When a run was finished: `at`, in milliseconds since 1970 (UTC).

    contradicts: whether the file writes it in two forms that are not the same time in any time zone.
    """

    at: int
    contradicts: bool = False


def time_of_line(value: Any) -> RunTime | None:
    """Return the time that a line of runs.jsonl states in `time`; None without one."""
    at = value.get("timestamp") if isinstance(value, dict) else None
    if type(at) is not int or not 0 <= at <= _LATEST:
        return None
    return RunTime(at=at, contradicts=_contradicts(at, value.get("str")))


def time_of_result(value: Any) -> RunTime | None:
    """Return the time that a result states in `timestamp`, as UTC if it has no zone; None without one."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        at = round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
    return RunTime(at=at) if 0 <= at <= _LATEST else None


def _contradicts(at: int, local: Any) -> bool:
    if not isinstance(local, str):
        return False
    try:
        stated = datetime.strptime(local, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return False
    apart = stated - datetime.fromtimestamp(at // 1000, UTC)
    return abs(apart) > _FURTHEST_ZONE or apart % _QUARTER != timedelta(0)
