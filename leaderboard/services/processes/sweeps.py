"""Elect who sweeps: one process in each interval, by a row of the database and the clock of the database."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from leaderboard.models import RunningProcess, SweepTimes
from leaderboard.services.processes import leases


def begin() -> bool:
    """Begin the sweep that is due; return False where none is, or where another process began it."""
    SweepTimes.objects.get_or_create(pk=1)
    interval = timedelta(seconds=leases.interval())
    is_due = Q(begun_at=None) | Q(begun_at__lte=Now() - interval) | Q(begun_at__gt=Now())
    # Asked first, as a statement that changes nothing would wait for its turn to write.
    due = SweepTimes.objects.filter(is_due)
    number = due.values_list("number", flat=True).first()
    if number is None:
        return False
    was_ahead = due.filter(number=number, begun_at__gt=Now()).exists()
    if not due.filter(number=number).update(number=number + 1, begun_at=Now()):
        return False
    bridge_gap(was_ahead=was_ahead)
    return True


def bridge_gap(*, was_ahead: bool = False) -> None:
    """Let every lease begin anew where no process has given a sign of life for three intervals.

    Nobody could renew one then: the database was away, or its clock was changed. The fourth interval of a
    lease is left to its holder, to see that the database is there again. was_ahead: the clock was set back.
    """
    gap = timedelta(seconds=settings.LEASE_SECONDS - leases.interval())
    is_seen = RunningProcess.objects.filter(seen_at__gt=Now() - gap, seen_at__lte=Now()).exists()
    if was_ahead or not is_seen:
        with transaction.atomic():
            leases.begin_anew()


def end() -> None:
    """Note that a sweep has come to its end, and forget processes that stopped long ago."""
    SweepTimes.objects.update_or_create(pk=1, defaults={"ended_at": Now()})
    # After 60 leases the row of a process that stopped is removed.
    long_ago = Now() - timedelta(seconds=60 * settings.LEASE_SECONDS)
    RunningProcess.objects.filter(seen_at__lt=long_ago).delete()


def is_thorough() -> bool:
    """Return whether the sweep that began last does what need not be done each time."""
    return (SweepTimes.objects.values_list("number", flat=True).first() or 0) % 4 == 0
