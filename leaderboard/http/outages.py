"""Answer requests that meet an outage: 503 or 507, with one line in the log."""

import logging

from django.http import HttpRequest, HttpResponse

from leaderboard.monitoring.withheld import describe
from leaderboard.services import outages
from leaderboard.services.errors import RETRY_AFTER, StorageAway

logger = logging.getLogger(__name__)


def code_of(error: BaseException | None) -> str | None:
    """Return the type of problem of an error that passes; None for any other error."""
    if outages.is_disk_full(error):
        return "storage-full"
    return "unavailable" if outages.is_outage(error) else None


def finish(response: HttpResponse, request: HttpRequest, error: BaseException) -> HttpResponse:
    """Log the cause in one line, and tell the client when to ask again."""
    # The storage has logged why it is away.
    if not isinstance(error, StorageAway):
        cause = describe(error)
        logger.warning("%d at %s %s: %s", response.status_code, request.method, request.path, cause)
    # Django would log a line of its own.
    response._has_been_logged = True  # type: ignore[attr-defined]
    response.headers.setdefault("Retry-After", str(RETRY_AFTER))
    return response
