"""What works now, for everyone: whether files are scored, how much waits, and recent failures of ours.

No team, file or address is named. Anyone who asks gets what was found within the last seconds, so that a rush
to the page costs nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError
from django.utils import timezone

from leaderboard.models import Status, Submission
from leaderboard.services.health.queues import Queue, Waiting, waiting_by_queue
from leaderboard.services.health.readiness import read_readiness
from leaderboard.services.submissions import grade

FAILURES_OF = timedelta(hours=24)
_FRESH = 5  # seconds for which an answer is given again
_KEY = "service-status"
_cache = caches["pages"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """What works at a time.

    waiting, failed: None where the database does not answer. failed: through our fault, within FAILURES_OF.
    """

    at: datetime
    is_working: bool = False
    waiting: Mapping[Queue, Waiting] | None = None
    failed: int | None = None


def read_status(*, is_new: bool = False) -> ServiceStatus:
    """Return the status as it was found within the last seconds, or find it. is_new: in any case."""
    status: ServiceStatus | None = None if is_new else _cache.get(_KEY)
    if status is None:
        now = timezone.now()
        readiness = read_readiness()
        # Without workers the process that answers also does the work.
        why_not = readiness.database, readiness.storage, readiness.workers if settings.WORKERS else ""
        our_faults = Submission.objects.filter(
            status=Status.FAILED, failure__in=(grade.OUR_FAULT, grade.NO_END), moved_at__gte=now - FAILURES_OF
        )
        try:
            status = ServiceStatus(
                at=now, is_working=not any(why_not), waiting=waiting_by_queue(), failed=our_faults.count()
            )
        except DatabaseError:
            status = ServiceStatus(at=now)
        _cache.set(_KEY, status, _FRESH)
    return status
