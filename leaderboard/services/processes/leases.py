"""Leases: who works on a submission holds its claim, which a thread of the process keeps renewing.

A lease that is not renewed runs out, whatever happened to its holder, and the sweep gives the work to
someone else. Each time the work is taken up it gets a new claim, and a result is stored only where the claim
is still that of its maker: a holder that was away for too long writes nothing. All times are those of the
database, so the clocks of several machines need not agree.
"""

import logging
import os
import platform
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import Error, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from leaderboard.models import RescoringOrder, Submission, Work
from leaderboard.monitoring import ids
from leaderboard.monitoring.withheld import describe

logger = logging.getLogger(__name__)

# The claims that threads of this process hold, each with its row.
_held: dict[uuid.UUID, QuerySet[Any]] = {}
_lock = threading.Lock()


def process_name() -> str:
    """Return the machine and the number of this process."""
    return f"{platform.node()[:80]}:{os.getpid()}"


def begin(submission_id: uuid.UUID) -> None:
    """Lease a submission that this process claims in the same transaction, and count the attempt.

    It is counted before the work, so that a file that kills every worker is given up in the end.
    """
    Work.objects.filter(pk=submission_id).update(
        leased_until=until(), worked_on_by=process_name(), attempts=F("attempts") + 1
    )


def held(submission_id: uuid.UUID, claim: uuid.UUID) -> QuerySet[Work]:
    """Select the work on a submission as long as it has this claim."""
    return Work.objects.filter(pk=submission_id, submission__claim=claim)


@contextmanager
def holding(submission_id: uuid.UUID, claim: uuid.UUID) -> Iterator[None]:
    """Have the lease renewed while the caller works on the submission; log lines carry its id."""
    with ids.bound(submission_id=submission_id), holding_row(held(submission_id, claim), claim):
        yield


@contextmanager
def holding_row(row: QuerySet[Any], claim: uuid.UUID) -> Iterator[None]:
    """Have `leased_until` of a row renewed, as long as the row is selected by its claim."""
    with _lock:
        _held[claim] = row
    try:
        yield
    finally:
        with _lock:
            del _held[claim]


def leave(submission_id: uuid.UUID, claim: uuid.UUID, error: Exception) -> None:
    """Leave work to the sweep after an outage, which passes: once the lease has run out, it takes it up.

    What the storage of uploads or a full disk interrupts is no attempt that may be the last.
    """
    logger.warning("work on submission %s was interrupted: %s", submission_id, describe(error))
    if not isinstance(error, Error):
        held(submission_id, claim).update(attempts=0)


def leave_for_retry(submission_id: uuid.UUID, claim: uuid.UUID) -> bool:
    """Leave work that failed unexpectedly to the sweep, which takes it up once the lease has run out.

    Return whether it did: the last of ERROR_ATTEMPTS is left to nobody.
    """
    return held(submission_id, claim).filter(attempts__lt=settings.ERROR_ATTEMPTS).exists()


def renew() -> None:
    """Renew the leases that this process holds; one that was lost stays with its new holder."""
    with _lock:
        leased = list(_held.values())
    for row in leased:
        # Each in a transaction of its own: to lock several rows at once could end in a deadlock. One that a
        # session keeps locked must not cost the others their leases; it costs its own, and is taken up again.
        with transaction.atomic():
            if row.select_for_update(skip_locked=True, of=("self",)).exists():
                row.update(leased_until=until())


def begin_anew() -> None:
    """Let every lease last from now on, also those of holders that are gone; in the caller's transaction."""
    claimed = Submission.objects.filter(claim__isnull=False)
    leased: list[QuerySet[Any]] = [Work.objects.filter(submission__in=claimed), RescoringOrder.objects.all()]
    for rows in leased:
        # A row that a session keeps locked holds up no other.
        keys = list(rows.select_for_update(skip_locked=True).values_list("pk", flat=True))
        rows.model.objects.filter(pk__in=keys).update(leased_until=until())


def until() -> CombinedExpression:
    """Return until when a lease lasts that is given or renewed now, by the clock of the database."""
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


def has_run_out(lease: str = "leased_until") -> Q:
    """Return the condition for rows with a claim whose lease, in the column of this name, ran out."""
    return Q(("claim__isnull", False), (f"{lease}__lte", Now()))


def interval() -> float:
    """Return the seconds between two sweeps, and between two signs of life of a process."""
    return settings.LEASE_SECONDS / 4
