"""Wait within a request until a submission has its score."""

import threading
from contextlib import suppress
from time import monotonic
from uuid import UUID

from leaderboard.models import Submission
from leaderboard.models.submissions import PENDING
from leaderboard.services import turns

# Proxies commonly end a request after 60 seconds.
MOST_SECONDS = 50
_PAUSES = (0.1, 0.2, 0.4, 0.8)  # seconds between two looks; the last is repeated
# leaderboard.gunicorn sets it when the process has to stop.
STOPPING = threading.Event()


def wait_until_done(submission_id: UUID, seconds: float) -> None:
    """Return once the submission is no longer in progress, at the latest after `seconds`.

    Returns at once, and the client asks again, where as many requests wait as may, so that threads remain
    for pages, and when the process stops.
    """
    deadline, looks = monotonic() + min(seconds, MOST_SECONDS), 0
    with suppress(turns.TooBusy), turns.waiting.take(0):
        while Submission.objects.filter(pk=submission_id, status__in=PENDING).exists():
            left = deadline - monotonic()
            if left <= 0 or STOPPING.wait(min(left, _PAUSES[min(looks, len(_PAUSES) - 1)])):
                return
            looks += 1
