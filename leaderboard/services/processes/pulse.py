"""Count time in the database: a number that is raised every few seconds, by one process at a time.

A process that has seen the number unchanged for `interval()` seconds raises it, and does the sweep. Of
processes that try at the same time one succeeds, so the number elects who sweeps, and two numbers are at
least an interval apart. Each process measures the interval by a clock that nobody can set.
"""

from dataclasses import dataclass
from time import monotonic

from django.conf import settings
from django.db.models import BigIntegerField, F, Subquery, Value
from django.db.models.functions import Coalesce, Now

from leaderboard.models import Pulse

# A lease or heartbeat has run out when the number has been raised so often since. As the first of these can
# come at once, it lasts for three intervals at least.
LASTS = 4
_LOOKS = 2  # in an interval


def interval() -> float:
    """Return the seconds between two numbers, and between two heartbeats of a process."""
    return settings.LEASE_SECONDS / LASTS


def number() -> int:
    """Return the present number; 0 before the first one."""
    return Pulse.objects.values_list("number", flat=True).first() or 0


def present() -> Coalesce:
    """Return the present number as an expression for an UPDATE."""
    row = Pulse.objects.values("number")[:1]
    return Coalesce(Subquery(row), Value(0), output_field=BigIntegerField())


def raise_from(seen: int) -> bool:
    """Raise the number from `seen`; return whether this caller did."""
    Pulse.objects.get_or_create(pk=1)
    return bool(Pulse.objects.filter(number=seen).update(number=F("number") + 1))


def note_sweep() -> None:
    """Note that a sweep has come to its end now, by the clock of the database."""
    Pulse.objects.update_or_create(pk=1, defaults={"swept_at": Now()})


@dataclass(slots=True)
class Watch:
    """What a process has seen of the number.

    seen: the number; None before the first look.
    since: when it was first seen, by a clock that nobody can set.
    """

    seen: int | None = None
    since: float = 0.0

    def look(self) -> bool:
        """Look at the number, and raise it where it is time; return whether this process raised it."""
        present_number = number()
        if present_number != self.seen:
            self.seen, self.since = present_number, monotonic()
            return False
        if monotonic() - self.since < interval() or not raise_from(present_number):
            return False
        self.seen, self.since = present_number + 1, monotonic()
        return True

    def seconds_to_next_look(self) -> float:
        """Return how long to wait: until it is time to raise the number, or to see what others did."""
        left = self.since + interval() - monotonic()
        return max(0.01, min(left, interval() / _LOOKS))
