"""Wait within a request until a submission has its score."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
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

# Who has a request that waits in this process: primary keys of users, None for visitors.
_who_waits: set[int | None] = set()
_lock = threading.Lock()


@contextmanager
def _only_one_of(user_id: int | None) -> Iterator[None]:
    """Let one request of a user wait at a time, so that nobody takes every turn. Raises TooBusy."""
    with _lock:
        if user_id in _who_waits:
            raise turns.TooBusy
        _who_waits.add(user_id)
    try:
        yield
    finally:
        with _lock:
            _who_waits.remove(user_id)


def wait_until_done(submission_id: UUID, seconds: float, *, user_id: int | None) -> None:
    """Return once the submission is no longer in progress, at the latest after `seconds`.

    user_id: who asks; None for all visitors. Returns at once, and the client asks again,

    - where another request of the user waits,
    - where as many requests wait as may, so that threads remain for pages, and
    - when the process stops.
    """
    try:
        with _only_one_of(user_id), turns.waiting.take(0):
            _look_until_done(submission_id, seconds)
    except turns.TooBusy:
        return


def _look_until_done(submission_id: UUID, seconds: float) -> None:
    deadline, looks = monotonic() + min(seconds, MOST_SECONDS), 0
    while Submission.objects.filter(pk=submission_id, status__in=PENDING).exists():
        left = deadline - monotonic()
        if left <= 0 or STOPPING.wait(min(left, _PAUSES[min(looks, len(_PAUSES) - 1)])):
            return
        looks += 1
