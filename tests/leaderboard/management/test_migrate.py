"""The command `migrate` beside what Django's does."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from leaderboard.management.commands import migrate
from leaderboard.models import CODE_LEVEL, Installation
from leaderboard.services import schema

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def no_patience(monkeypatch):
    monkeypatch.setattr(schema, "NOTICE_SECONDS", -1)
    monkeypatch.setattr(migrate, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(migrate, "ATTEMPTS", 2)


def level() -> int:
    return Installation.objects.get().code_level


def test_an_incompatible_migration_is_announced_and_can_be_reversed(later_release, monkeypatch):
    levels = []
    django_handle = migrate.migrate.Command.handle
    monkeypatch.setattr(
        migrate.migrate.Command,
        "handle",
        lambda *args, **options: (levels.append(level()), django_handle(*args, **options)),
    )
    output = io.StringIO()
    call_command("migrate", verbosity=0, stdout=output)
    # Before any table changed.
    assert levels == [CODE_LEVEL + 1]
    assert level() == CODE_LEVEL + 1
    assert "refuse requests" in output.getvalue()
    call_command("migrate", verbosity=0, stdout=(again := io.StringIO()))
    assert not again.getvalue()
    call_command("migrate", "leaderboard", later_release, verbosity=0)
    assert level() == CODE_LEVEL


def test_an_earlier_release_does_not_lower_the_level(later_release, settings):
    call_command("migrate", verbosity=0, stdout=io.StringIO())
    later = settings.MIGRATION_MODULES
    settings.MIGRATION_MODULES = {"knox": None}
    call_command("migrate", verbosity=0)
    settings.MIGRATION_MODULES = later
    assert level() == CODE_LEVEL + 1


def test_a_table_in_use_ends_the_command_plainly_and_leaves_the_level(later_release, monkeypatch):
    monkeypatch.setattr(migrate, "LOCK_SECONDS", 1)
    other = connection.copy()
    try:
        if connection.vendor == "sqlite":
            connection.cursor().execute("PRAGMA busy_timeout = 10")
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("DELETE FROM leaderboard_submission")
            with pytest.raises(CommandError, match="Gave up") as error:
                call_command("migrate", verbosity=0, stdout=io.StringIO(), stderr=io.StringIO())
            cursor.execute("ROLLBACK")
    finally:
        other.close()
    assert level() == CODE_LEVEL
    if connection.vendor == "postgresql":
        assert "idle in transaction" in str(error.value)
    connection.close()
