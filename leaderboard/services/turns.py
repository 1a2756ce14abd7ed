"""Limit what a process works on at once, so that threads remain free for pages."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from leaderboard.turn import Turn

PATIENCE = 1.5  # seconds


class TooBusy(Exception):
    """The process already works on as much as it may."""


class Turns:
    """The threads of a process that may be occupied at once.

    Of `threads`, half may be occupied (or at_once), and all but one may be occupied or waiting (or room).
    others: what further turns of the process share, each for a thread that is occupied or waiting.
    """

    def __init__(
        self,
        threads: int,
        *,
        at_once: int | None = None,
        room: int | None = None,
        others: threading.BoundedSemaphore | None = None,
    ) -> None:
        at_once = at_once or max(1, threads // 2)
        self._at_once = threading.BoundedSemaphore(at_once)
        self._room = threading.BoundedSemaphore(max(at_once, room or threads - 1))
        self._others = others

    def take(self, patience: float | None = None, *, is_preferred: bool = False) -> Turn:
        """Return a turn, after waiting up to `patience` seconds for a free one. Raises TooBusy.

        is_preferred: may wait although there is no room for more, as long as a thread of the process is left.
        """
        taken: list[threading.BoundedSemaphore] = []
        waits = [(self._others, 0.0), (None if is_preferred else self._room, 0.0)]
        waits.append((self._at_once, PATIENCE if patience is None else patience))
        for semaphore, wait in waits:
            if semaphore is None:
                continue
            if not semaphore.acquire(timeout=wait):
                _release(taken)
                raise TooBusy
            taken.append(semaphore)
        return Turn(lambda: _release(taken))


def _release(semaphores: list[threading.BoundedSemaphore]) -> None:
    for semaphore in reversed(semaphores):
        semaphore.release()


# One thread of each process is never occupied by any of these.
_all_but_one = threading.BoundedSemaphore(max(1, settings.WEB_THREADS - 1))
# Exports and pictures.
drawing = Turns(settings.WEB_THREADS, others=_all_but_one)
# Requests that wait for a score: few, as each holds a thread that does nothing.
waiting = Turns(
    settings.WEB_THREADS,
    at_once=max(1, settings.WEB_THREADS // 4),
    others=_all_but_one,
)
# Checks of files, and scoring in requests. Threads of Python take turns at calculating anyway, and a page
# that is made beside several of them waits for each in turn.
reading = Turns(
    settings.WEB_THREADS,
    at_once=max(1, settings.WEB_THREADS // 8),
    room=max(1, settings.WEB_THREADS // 2),
    others=_all_but_one,
)
# The same for senders without an account.
reading_for_visitors = Turns(
    settings.WEB_THREADS,
    at_once=1,
    room=max(1, settings.WEB_THREADS // 4),
    others=_all_but_one,
)
# Public pages, and the answers of the API that say the same. Two: while one asks the database, another
# calculates.
_pages = threading.BoundedSemaphore(2)
_LONGEST = 0.1  # seconds: no page waits longer for what takes long, such as a picture


@contextmanager
def page_turn() -> Iterator[None]:
    """Calculate a page beside few others: of pages that share a core each takes as long as all together."""
    is_mine = _pages.acquire(timeout=_LONGEST)
    try:
        yield
    finally:
        if is_mine:
            _pages.release()
