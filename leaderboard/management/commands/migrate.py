"""Migrate the database while an earlier release may still be serving.

Beside what Django's command does, it waits for locks only for a short time, and runs once at a time.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from leaderboard.services import schema

# A statement that waits for a lock holds up all later ones, even those that only read.
LOCK_SECONDS = 2
PAUSE_SECONDS = 5
ATTEMPTS = 12
# Of PostgreSQL: lock_not_available, deadlock_detected. Every other error is not one of waiting.
_LOCKED = {"55P03", "40P01"}
# Any number that nothing else on this database uses as the key of an advisory lock.
_ADVISORY_LOCK = 7_734_001


class Command(migrate.Command):
    help = "Bring the tables to this release, while an earlier one may still be serving."

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if options["plan"] or options["check_unapplied"]:
            super().handle(*args, **options)
            return
        if reason := schema.explain_replaced(connection):
            raise CommandError(reason)
        with _one_at_a_time(connection):
            self._migrate_patiently(connection, *args, **options)

    def _migrate_patiently(self, connection: BaseDatabaseWrapper, *args: Any, **options: Any) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                super().handle(*args, **options)
            except OperationalError as error:
                is_locked = getattr(error.__cause__, "sqlstate", None) in _LOCKED or "locked" in str(error)
                if not is_locked:
                    raise
                if attempt == ATTEMPTS:
                    raise CommandError(
                        "Gave up: a table is in use, by an open transaction. What was done before is kept, "
                        "so run the same command again."
                    ) from error
                self.stderr.write(
                    f"A table is in use ({attempt} of {ATTEMPTS} attempts); next in {PAUSE_SECONDS} s."
                )
                time.sleep(PAUSE_SECONDS)
            else:
                return


@contextmanager
def _one_at_a_time(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Keep other `migrate`s on this database waiting, and limit the time for which we wait for a lock."""
    if connection.vendor != "postgresql":
        # A writer has SQLite for itself.
        yield
        return
    with connection.cursor() as cursor:
        # A migration may take as long as it needs, once it has its locks.
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [_ADVISORY_LOCK])
        cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_ADVISORY_LOCK])
            cursor.execute("RESET lock_timeout")
            cursor.execute("RESET statement_timeout")
