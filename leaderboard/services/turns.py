"""Limit what a process works on at once, so that threads remain free for pages."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

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


class ArrivalOrder:
    """Let few threads calculate at once, in the order in which they came.

    Threads that calculate at the same time share one core, so each takes as long as all of them together: a
    page of 20 ms among eight would take 160. One after the other, the first takes 20 ms, and the last 160.

    at_once: how many have a turn at the same time.
    longest: seconds; where no turn ends for so long, the next thread starts beside those that have one.
    """

    def __init__(self, *, at_once: int, longest: float) -> None:
        self._changed = threading.Condition()
        self._free = at_once  # below 0 while some work beside those that take long
        self._longest = longest
        self._last_start = 0.0
        self._waiting = deque[object]()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and run the block in it."""
        me = object()
        with self._changed:
            self._waiting.append(me)
            while not (self._waiting[0] is me and self._may_start()):
                self._changed.wait(self._longest)
            self._waiting.popleft()
            self._free -= 1
            self._last_start = monotonic()
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def _may_start(self) -> bool:
        return self._free > 0 or monotonic() - self._last_start >= self._longest


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
# Public pages, and the answers of the API that say the same. Two: while one asks the database, another
# calculates. None waits long for what takes long, such as a picture.
pages = ArrivalOrder(at_once=2, longest=0.1)
