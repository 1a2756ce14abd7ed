"""Notice that the write-ahead log of SQLite was removed under the processes that have it open.

They would go on writing into a file without a name, and lose all of it when they end. SQLite removes the log
itself only when the last connection to the database is closed.
"""

import logging
import os
import sqlite3
from pathlib import Path

logger = logging.getLogger(__name__)

# Databases whose log this process has lost. It must not write to one again: other processes, and its own new
# connections, have another log.
_lost: set[str] = set()


class OpenLog:
    """The log of a connection. path: of the database."""

    def __init__(self, path: str) -> None:
        self._path = str(Path(path).absolute())
        self._found: tuple[int, int] | None = None

    def look(self) -> bool:
        """Return whether the write-ahead log is the file that we opened."""
        if self._path in _lost:
            return False
        try:
            status = os.stat(f"{self._path}-wal")
            now = (status.st_dev, status.st_ino)
        except FileNotFoundError:
            now = None
        if self._found is None:
            self._found = now
        elif now != self._found:
            _lost.add(self._path)
            logger.error(
                "%s-wal was removed or replaced while the service ran, so this process writes nothing any "
                "more. What was committed last is in it alone. %sThen stop all processes, put the copy in "
                "the place of %s-wal, remove %s-shm, and start them; or restore a backup.",
                *(self._path, self._where(), self._path, self._path),
            )
        return now == self._found

    def check(self) -> None:
        if not self.look():
            raise sqlite3.OperationalError("the write-ahead log was removed while the service ran")

    def _where(self) -> str:
        """Return how to copy the log, which is kept open until this process ends."""
        for descriptor in Path("/proc/self/fd").glob("*"):
            # It may have been closed meanwhile.
            if descriptor.is_symlink() and os.readlink(descriptor) == f"{self._path}-wal (deleted)":
                kept = os.open(descriptor, os.O_RDONLY)
                return f"Copy it now: cp /proc/{os.getpid()}/fd/{kept} FILE. "
        return ""


def has_lost(path: str) -> bool:
    return str(Path(path).absolute()) in _lost
