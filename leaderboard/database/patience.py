"""Limit how long a request waits for the database.

Requests alone have limits: commands, workers and the threads for background work wait as long as it takes. A
thread serves requests or does background work, never both, and so does its connection.
"""

from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver

# Seconds that background work waits for the lock of SQLite.
_SQLITE_BACKGROUND = 30

_is_request: ContextVar[bool] = ContextVar("is_request", default=False)


def is_request() -> bool:
    """Return whether this thread serves a request, whose limits are in the settings."""
    return _is_request.get()


@receiver(request_started)
def begin_request(**_: object) -> None:
    """Give this thread the limits of a request."""
    _is_request.set(True)


@receiver(request_finished)
def end_request(**_: object) -> None:
    """Take them back."""
    _is_request.set(False)


def sqlite_seconds() -> int:
    """Return how long this thread waits for the lock of SQLite."""
    seconds: int = settings.DATABASE_LOCK_SECONDS
    return seconds if is_request() else max(_SQLITE_BACKGROUND, seconds)


@receiver(connection_created)
def let_background_wait(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Let background work wait for the lock of SQLite for longer than DATABASE_LOCK_SECONDS."""
    if connection.vendor == "sqlite" and not is_request():
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {1000 * sqlite_seconds()}")
