"""A release works with its own tables, and with no others."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.management.commands import sweep
from leaderboard.services import schema

pytestmark = pytest.mark.both_databases


def names_of_the_last_migration() -> list[str]:
    """Return the name of the last migration, and of those that it replaces."""
    loader = MigrationLoader(connection)
    [(_, name)] = loader.graph.leaf_nodes(schema.APP)
    return [name, *(replaced for _, replaced in loader.disk_migrations[schema.APP, name].replaces)]


def take_back(names: list[str]) -> None:
    for name in names:
        MigrationRecorder(connection).record_unapplied(schema.APP, name)


def test_tables_that_lack_one_of_the_replaced_migrations_are_refused(db):
    migration = MigrationLoader(connection).disk_migrations[schema.APP, "0001_all_tables"]
    for _, name in (migration.replaces[0], migration.replaces[-1]):
        MigrationRecorder(connection).record_unapplied(schema.APP, name)
        with pytest.raises(schema.OtherRelease, match=f"lacks {name}.*CHANGELOG"):
            schema.check()
        with pytest.raises(CommandError, match=f"lacks {name}.*CHANGELOG"):
            call_command("migrate", verbosity=0)
        MigrationRecorder(connection).record_applied(schema.APP, name)
    schema.check()


def test_tables_of_an_earlier_release_are_refused_with_the_command_that_helps(db):
    names = names_of_the_last_migration()
    take_back(names)
    with pytest.raises(
        schema.OtherRelease, match=rf"leaderboard\.{names[0]} is not applied.*manage\.py migrate"
    ):
        schema.check()
    with pytest.raises(SystemExit, match="Wardboard does not start"):
        schema.check_at_start()
    command = sweep.Command()
    command._called_from_command_line = True
    with pytest.raises(CommandError, match=r"manage\.py migrate"):
        command.execute(older_than=None)


def test_tables_of_a_later_release_are_refused_with_what_helps(db):
    MigrationRecorder(connection).record_applied(schema.APP, "9999_later")
    with pytest.raises(schema.OtherRelease, match=r"applied 9999_later\. Start that release, or restore"):
        schema.check()
