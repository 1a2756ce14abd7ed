"""Let those who want to write to SQLite wait in the order in which they came.

SQLite has one writer at a time, and no queue: a thread that finds it busy asks again after pauses that grow
to 100 ms. So under load the one that happens to ask first writes next, and some wait for most of a second
while others write several times. Here the threads of a process wait in a queue; of each process, the first of
them waits for two locks on a file beside the database. The kernel takes these away from a process that ends,
however it ends.

All of this gives order and nothing else: that no two write at a time is still what SQLite's own lock is for.
So where the file cannot be locked, the work goes on, and processes are without an order among them.
"""

import errno
import fcntl
import logging
import os
import threading
from collections import deque
from time import monotonic, sleep

from leaderboard.turn import Turn

logger = logging.getLogger(__name__)

# Bytes of the file. Who holds the first is the next to have the second, whose holder may write. Without the
# first, a busy process would take the second again before others notice that it is free.
_NEXT, _WRITING = 0, 1


class WriteQueue:
    """Those who wait to write to the database whose locks are in the file at `path`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: int | None = None
        self._is_without_file = False
        self.forget_threads()

    def forget_threads(self) -> None:
        """Forget the threads of the process that forked this one; locks on files are not inherited."""
        self._guard = threading.Lock()
        self._is_taken = False
        # Each is held by nobody but the queue, which lets go of it to wake the thread that waits for it.
        self._waiting = deque[threading.Lock]()

    def take(self, seconds: float) -> Turn:
        """Return the turn to write, after waiting for at most `seconds`. Raises TimeoutError."""
        ends = monotonic() + seconds
        if not self._wait_for_threads(ends):
            raise TimeoutError
        try:
            if not self._wait_for_processes(ends):
                raise TimeoutError
        except BaseException:
            self._wake_next()
            raise
        return Turn(self._end)

    def _end(self) -> None:
        self._unlock(_WRITING)
        self._wake_next()

    def _wait_for_threads(self, ends: float) -> bool:
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=max(0.0, ends - monotonic())):
            return True
        with self._guard:
            if mine not in self._waiting:
                # It was this thread's turn in the same moment.
                return True
            self._waiting.remove(mine)
            return False

    def _wake_next(self) -> None:
        with self._guard:
            if self._waiting:
                # The lock is passed on and never free in between: nobody overtakes.
                self._waiting.popleft().release()
            else:
                self._is_taken = False

    def _wait_for_processes(self, ends: float) -> bool:
        if not self._lock(_NEXT, ends):
            return False
        try:
            return self._lock(_WRITING, ends)
        finally:
            self._unlock(_NEXT)

    def _lock(self, byte: int, ends: float) -> bool:
        while not self._try_to_lock(byte):
            if monotonic() >= ends:
                return False
            sleep(0.001)
        return True

    def _try_to_lock(self, byte: int) -> bool:
        try:
            if self._file is None and not self._is_without_file:
                # Never closed: to close any descriptor of a file ends all locks that the process has on it.
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            if self._file is not None:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN) and self._file is not None:
                return False
            logger.warning(
                "processes write to SQLite in no fixed order, because they cannot share a lock: %s", error
            )
            self._is_without_file, self._file = True, None
        return True

    def _unlock(self, byte: int) -> None:
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)


_queues: dict[str, WriteQueue] = {}


def queue_of(database: str) -> WriteQueue:
    """Return the queue of the database in the file `database`, one for all connections of this process."""
    # setdefault is atomic, and a queue that lost the race has opened no file.
    return _queues.get(database) or _queues.setdefault(database, WriteQueue(f"{database}-turns"))


def _forget_threads() -> None:
    for queue in _queues.values():
        queue.forget_threads()


os.register_at_fork(after_in_child=_forget_threads)
