"""What the searches of the desk have in common: days, and a text."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from uuid import UUID

from django.db.models import Q


def within_days(field: str, since: date | None, until: date | None) -> Q:
    """Return the condition for a time from one day to another (UTC), both included; None does not narrow."""
    is_within = Q()
    if since is not None:
        is_within &= Q(**{f"{field}__gte": datetime.combine(since, time.min, tzinfo=UTC)})
    if until is not None:
        # Not before the beginning of the next day: the last day that Python knows has none.
        is_within &= Q(**{f"{field}__lte": datetime.combine(until, time.max, tzinfo=UTC)})
    return is_within


def holds_text(text: str, *, fields: Iterable[str], key: str) -> Q:
    """Return the condition for a text that is part of one of the fields, or that is the id in `key`."""
    match = Q()
    for name in fields:
        match |= Q(**{f"{name}__icontains": text})
    try:
        return match | Q(**{key: UUID(text)})
    except ValueError:
        return match
