"""Leases: who works on a submission holds its claim, which a thread of the process keeps renewing.

A lease that is not renewed runs out, whatever happened to its holder, and the sweep gives the work to
someone else. Each time the work is taken up it gets a new claim, and a result is stored only where the claim
is still that of its maker: a holder that was away for too long writes nothing.
"""

import logging
import os
import platform
import threading
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from django.conf import settings
from django.db import Error, transaction
from django.db.models import Q, QuerySet

from leaderboard.models import Submission
from leaderboard.monitoring.withheld import describe
from leaderboard.services.processes import pulse

logger = logging.getLogger(__name__)

# The claims that threads of this process hold, each with its row.
_held: dict[uuid.UUID, QuerySet[Any]] = {}
_lock = threading.Lock()


def process_name() -> str:
    """Return the machine and the number of this process."""
    return f"{platform.node()[:80]}:{os.getpid()}"


def new_claim() -> dict[str, Any]:
    """Return the columns of a submission on which this process begins to work."""
    return {"claim": uuid.uuid4(), "lease_pulse": pulse.present(), "worked_on_by": process_name()}


def first_claim() -> dict[str, Any]:
    """Return the columns of a new submission on which this process begins to work at once."""
    # An INSERT takes no expression that reads another table.
    return {**new_claim(), "lease_pulse": pulse.number(), "attempts": 1}


def holding(submission_id: uuid.UUID, claim: uuid.UUID) -> AbstractContextManager[None]:
    """Have the lease renewed while the caller works on the submission."""
    return holding_row(Submission.objects.filter(pk=submission_id), claim)


@contextmanager
def holding_row(row: QuerySet[Any], claim: uuid.UUID) -> Iterator[None]:
    """Have the lease of a row with the columns `claim` and `lease_pulse` renewed."""
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
        Submission.objects.filter(pk=submission_id, claim=claim).update(attempts=0)


def leave_for_retry(submission_id: uuid.UUID, claim: uuid.UUID) -> bool:
    """Leave work that failed unexpectedly to the sweep, which takes it up once the lease has run out.

    Return whether it did: the last of ERROR_ATTEMPTS is left to nobody.
    """
    attempts = (
        Submission.objects.filter(pk=submission_id, claim=claim).values_list("attempts", flat=True).first()
    )
    return attempts is not None and attempts < settings.ERROR_ATTEMPTS


def renew() -> None:
    """Renew the leases that this process holds; one that was lost stays with its new holder."""
    with _lock:
        leased = list(_held.items())
    for claim, row in leased:
        # Each in a transaction of its own: to lock several rows at once could end in a deadlock. One that a
        # session keeps locked must not cost the others their leases; it costs its own, and is taken up again.
        with transaction.atomic():
            if row.filter(claim=claim).select_for_update(skip_locked=True).exists():
                row.filter(claim=claim).update(lease_pulse=pulse.present())


def has_run_out() -> Q:
    """Return the condition for rows whose holder has given no sign of life for too long."""
    return Q(claim__isnull=False, lease_pulse__lte=pulse.number() - pulse.LASTS)
