"""Limit what a process works on at once, so that threads remain free for pages."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.conf import settings
from django.utils.translation import gettext

from leaderboard.monitoring import metrics
from leaderboard.services.errors import Busy
from leaderboard.turn import Turn

PATIENCE = 1.5  # seconds
PATIENCE_OF_CHECKS = 30  # seconds: in a rush everyone waits for all others


class TooBusy(Exception):
    """The process already works on as much as it may."""


class Turns:
    """The threads of a process that may be occupied at once: `at_once`, and `room` with those that wait.

    room: at_once where nobody may wait. others: what further turns of the process share, each for a thread
    that is occupied or waiting.
    """

    def __init__(self, at_once: int, room: int = 0, others: threading.BoundedSemaphore | None = None) -> None:
        self._at_once = threading.BoundedSemaphore(at_once)
        self._room = threading.BoundedSemaphore(room or at_once)
        self._others = others or threading.BoundedSemaphore(room or at_once)

    def take(self, patience: float | None = None) -> Turn:
        """Return a turn, after waiting up to `patience` seconds for a free one. Raises TooBusy."""
        last = PATIENCE if patience is None else patience
        with ExitStack() as taken:
            for semaphore, wait in ((self._others, 0.0), (self._room, 0.0), (self._at_once, last)):
                if not semaphore.acquire(timeout=wait):
                    raise TooBusy
                taken.callback(semaphore.release)
            return Turn(taken.pop_all().close)


# What these may hold together: an eighth of the threads is left for pages. A process with few threads has no
# pages to show, as a proxy sends it files alone.
_MOST = max(8, settings.WEB_THREADS * 7 // 8)
_held = threading.BoundedSemaphore(_MOST)
# Exports and pictures.
drawing = Turns(4, 7, _held)
# Requests that wait for a score: few, as each holds a thread that does nothing.
waiting = Turns(max(1, settings.WEB_THREADS // 4), _MOST, _held)
# Checks of files; those of senders without an account, who keep nobody else waiting; scoring in requests, for
# which a check keeps its turn. A page that is made beside several of a kind waits for each.
reading = Turns(1, _MOST, _held)
reading_for_visitors = Turns(1, max(2, _MOST // 4), _held)
scoring = Turns(1, _MOST, _held)
# Public pages, and the answers of the API that say the same. Two: while one asks the database, another
# calculates.
_pages = threading.BoundedSemaphore(2)
_LONGEST = 0.5  # seconds: no page waits longer for what takes long, such as a picture


def take_to_read(*, has_account: bool = True) -> Turn:
    """Return a turn to unpack or read what a request has brought. Raises Busy."""
    try:
        return (reading if has_account else reading_for_visitors).take(PATIENCE_OF_CHECKS)
    except TooBusy:
        metrics.REFUSED.labels(Busy.code).inc()
        raise Busy(
            gettext("Several files are being checked right now. Try again in a few seconds.")
        ) from None


@contextmanager
def page_turn() -> Iterator[None]:
    """Calculate a page beside few others: of pages that share a core each takes as long as all together."""
    is_mine = _pages.acquire(timeout=_LONGEST)
    try:
        yield
    finally:
        if is_mine:
            _pages.release()
