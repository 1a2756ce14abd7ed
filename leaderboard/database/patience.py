"""Limit how long a thread waits for the database.

Requests have limits. Workers and the threads for background work share that on waiting for a lock; commands
have none, and wait as long as it takes. A thread serves requests or does background work, never both, and so
does its connection.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from threading import Event
from typing import Any

from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver

# Whether background work of this process waits for a lock as long as a request does, and no longer.
_limits_locks = Event()
# Of the request that this thread serves.
_method: ContextVar[str] = ContextVar("method", default="")


def is_request() -> bool:
    return bool(_method.get())


def _only_reads() -> bool:
    return _method.get() in ("GET", "HEAD")


def limit_locks() -> None:
    """Have background work of this process give up a row that another session keeps locked."""
    _limits_locks.set()


def limits_locks() -> bool:
    """Return whether this thread waits for a lock of PostgreSQL for a limited time."""
    return _limits_locks.is_set() or is_request()


def lock_timeout() -> str:
    """Return how long this thread may wait for a lock of PostgreSQL, as the server reads it."""
    seconds = settings.DATABASE_PAGE_LOCK_SECONDS if _only_reads() else settings.DATABASE_LOCK_SECONDS
    return f"{1000 * seconds:.0f}ms"


@receiver(request_started)
def begin_request(environ: Mapping[str, Any] | None = None, **_: object) -> None:
    _method.set((environ or {}).get("REQUEST_METHOD", "POST"))


@receiver(request_finished)
def end_request(**_: object) -> None:
    _method.set("")


def sqlite_seconds() -> int:
    """Return how long this thread waits for the lock of SQLite: 30 seconds or longer unless it only reads."""
    seconds: int = settings.DATABASE_LOCK_SECONDS
    return seconds if _only_reads() else max(30, seconds)


@receiver(connection_created)
def let_background_wait(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Let background work wait for the lock of SQLite for longer than DATABASE_LOCK_SECONDS."""
    if connection.vendor == "sqlite" and not is_request():
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {1000 * sqlite_seconds()}")
