"""Read the time at which a run was finished, as files write it: in milliseconds since 1970 (UTC).

Source of the form in runs.jsonl: the harness (AgentBench's assigner).
"""

from datetime import UTC, datetime
from typing import Any

_LATEST = 253_402_300_799_999  # milliseconds at the end of the year 9999


def time_of_line(value: Any) -> int | None:
    """Return the time that a line of runs.jsonl states in `time`; None without one."""
    at = value.get("timestamp") if isinstance(value, dict) else None
    return at if type(at) is int and 0 <= at <= _LATEST else None


def time_of_result(value: Any) -> int | None:
    """Return the time that a result states in `timestamp`, as UTC if it has no zone; None without one."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        at = round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
    return at if 0 <= at <= _LATEST else None
