"""What takes a processor for a while, or a thread for as long as somebody reads, and anybody may ask for:
large exports, charts, cards. Few of them at a time in a process, so that there are threads left for pages.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.cache import caches

RETRY_AFTER = 5  # seconds, for who comes too late
_KEPT_FOR = 24 * 60 * 60  # seconds
_PATIENCE = 1.5  # seconds
# For a picture, which a browser asks for once: longer than the engine takes to start on a busy machine.
_PATIENCE_OF_PICTURES = 10


class TooBusy(Exception):
    """Too much is worked on already."""


class Turns:
    """threads: that a process answers with. Half of them may be taken, and one never waits."""

    def __init__(self, threads: int) -> None:
        at_once = max(1, threads // 2)
        self._at_once = threading.BoundedSemaphore(at_once)
        self._room = threading.BoundedSemaphore(max(at_once, threads - 1))

    def take(self, patience: float | None = None) -> "Turn":
        """Return a turn, after a wait of up to `patience` seconds where there is none. Raises TooBusy."""
        if not self._room.acquire(blocking=False):
            raise TooBusy
        if not self._at_once.acquire(timeout=_PATIENCE if patience is None else patience):
            self._room.release()
            raise TooBusy
        return Turn(self._end)

    def _end(self) -> None:
        self._at_once.release()
        self._room.release()


class Turn:
    """Taken until `end`, which may be called again, or until nobody holds it any more."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = [end]

    def end(self) -> None:
        # pop is one step, whichever thread comes second.
        try:
            end = self._end.pop()
        except IndexError:
            return
        end()

    __del__ = end


turns = Turns(settings.WEB_THREADS)
# The first drawing starts an engine of some 70 MB in the process; one at a time is enough of it.
_one_drawing = threading.Lock()


def picture(*, place: str, name: str, draw: Callable[[], bytes], is_rare: bool = False) -> bytes:
    """Return the picture `name`, drawn unless it is kept at `place`: what had the place goes. Raises
    TooBusy.

    is_rare: of those that are few, and each drawn once whoever asks. A page shows several at once, and they
    may take every thread for the moment that they wait for each other.
    """
    found = _kept(place, name)
    if found is None:
        with _drawing() if is_rare else _drawing_by_turns():
            # Another may have drawn it meanwhile.
            found = _kept(place, name) or draw()
            caches["boards"].set(place, (name, found), _KEPT_FOR)
    return found


@contextmanager
def _drawing_by_turns() -> Iterator[None]:
    turn = turns.take(_PATIENCE_OF_PICTURES)
    try:
        with _drawing():
            yield
    finally:
        turn.end()


@contextmanager
def _drawing() -> Iterator[None]:
    if not _one_drawing.acquire(timeout=_PATIENCE_OF_PICTURES):
        raise TooBusy
    try:
        yield
    finally:
        _one_drawing.release()


def _kept(place: str, name: str) -> bytes | None:
    kept = caches["boards"].get(place)
    return kept[1] if kept is not None and kept[0] == name else None
