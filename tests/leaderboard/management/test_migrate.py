"""The command `migrate` beside what Django's does."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.management.commands import migrate

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def test_a_table_in_use_ends_the_command_plainly_and_changes_nothing(monkeypatch):
    monkeypatch.setattr(migrate, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(migrate, "ATTEMPTS", 2)
    monkeypatch.setattr(migrate, "LOCK_SECONDS", 1)
    before = set(MigrationRecorder(connection).applied_migrations())
    other = connection.copy()
    try:
        if connection.vendor == "sqlite":
            connection.cursor().execute("PRAGMA busy_timeout = 10")
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("DELETE FROM leaderboard_submission")
            cursor.execute("SELECT id FROM leaderboard_event")
            with pytest.raises(CommandError, match="Gave up"):
                # Back by a migration, which drops triggers of the table in use.
                call_command("migrate", "leaderboard", "0001", verbosity=0, stderr=io.StringIO())
            cursor.execute("ROLLBACK")
    finally:
        other.close()
    # Those that do not touch the table were taken back before.
    left = before - set(MigrationRecorder(connection).applied_migrations())
    assert left <= {(app, name) for app, name in before if name > "0004"}
    call_command("migrate", "leaderboard", verbosity=0)
    connection.close()
