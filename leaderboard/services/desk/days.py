"""Where a day (UTC) that an organiser types begins and ends."""

from datetime import UTC, date, datetime, time


def first_moment(day: date) -> datetime:
    """Return the beginning of a day."""
    return datetime.combine(day, time.min, tzinfo=UTC)


def last_moment(day: date) -> datetime:
    """Return the last microsecond of a day, which belongs to it.

    Not the beginning of the next day: the last day that Python knows has none.
    """
    return datetime.combine(day, time.max, tzinfo=UTC)
