"""A release works with its own tables, and with no others."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.management.commands import reference_key
from leaderboard.services import schema

pytestmark = pytest.mark.both_databases


def test_tables_of_a_checkout_from_before_the_first_release_are_refused_and_kept(db):
    recorder = MigrationRecorder(connection)
    for _, name in MigrationLoader(connection).graph.nodes:
        recorder.record_unapplied(schema.APP, name)
    recorder.record_applied(schema.APP, "0001_all_tables")
    with pytest.raises(schema.OtherRelease, match=r"before the first release.*WARDBOARD_DATA"):
        schema.check()
    with pytest.raises(CommandError, match=r"before the first release.*Nothing was changed"):
        call_command("migrate", verbosity=0)
    assert "leaderboard_board" in connection.introspection.table_names()


def test_tables_of_an_earlier_release_are_refused_with_the_command_that_helps(db):
    [(_, name)] = MigrationLoader(connection).graph.leaf_nodes(schema.APP)
    MigrationRecorder(connection).record_unapplied(schema.APP, name)
    with pytest.raises(schema.OtherRelease, match=rf"leaderboard\.{name} is not applied.*migrate"):
        schema.check()
    with pytest.raises(SystemExit, match="Wardboard does not start"):
        schema.check_at_start()
    command = reference_key.Command()
    command._called_from_command_line = True
    with pytest.raises(CommandError, match=r"manage\.py migrate"):
        command.execute()


def test_tables_of_a_later_release_are_refused_with_what_helps(db):
    MigrationRecorder(connection).record_applied(schema.APP, "9999_later")
    with pytest.raises(schema.OtherRelease, match=r"applied 9999_later\. Start that release, or restore"):
        schema.check()
