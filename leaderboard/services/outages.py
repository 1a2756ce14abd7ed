"""Recognise errors that pass: a database, storage or benchmark that is not there, a disk that is full.

Nothing is wrong with the request that meets one, nor with our code.
"""

import errno

from django.db import InterfaceError, OperationalError

from leaderboard.services.errors import StorageAway
from wardboard.scoring.registry import BenchmarkMissing

# The classes of PostgreSQL's errors: of connections, and of what an operator does, such as a restart.
# Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
_CONNECTION_CLASSES = ("08", "57P")
_POSTGRESQL_DISK_FULL = "53100"


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether an error, or one that caused it, says that there is no room to write."""
    while error is not None:
        if (
            (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
            or getattr(error, "sqlstate", None) == _POSTGRESQL_DISK_FULL
            or getattr(error, "sqlite_errorname", None) == "SQLITE_FULL"
        ):
            return True
        error = error.__cause__
    return False


def is_outage(error: BaseException | None) -> bool:
    """Return whether an error passes by itself, or once the organisers made room or installed a benchmark."""
    passing = StorageAway | BenchmarkMissing | OperationalError | InterfaceError
    return isinstance(error, passing) or is_disk_full(error)


def may_have_committed(error: BaseException) -> bool:
    """Return whether the connection broke, so that a transaction may have been committed all the same."""
    if isinstance(error, InterfaceError):
        return True
    cause = error.__cause__
    if not isinstance(error, OperationalError) or hasattr(cause, "sqlite_errorname"):
        return False
    state = getattr(cause, "sqlstate", None)
    return state is None or state.startswith(_CONNECTION_CLASSES)
