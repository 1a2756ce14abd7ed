"""A release works with its own tables, and with no others."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.management.commands import sweep
from leaderboard.services import schema

pytestmark = pytest.mark.both_databases


def test_tables_of_an_earlier_release_are_refused_with_the_command_that_helps(db):
    [(_, name)] = MigrationLoader(connection).graph.leaf_nodes(schema.APP)
    MigrationRecorder(connection).record_unapplied(schema.APP, name)
    with pytest.raises(schema.OtherRelease, match=rf"lacks leaderboard\.{name}\. Run .manage\.py migrate"):
        schema.check()
    with pytest.raises(SystemExit, match="Wardboard does not start"):
        schema.check_at_start()
    command = sweep.Command()
    command._called_from_command_line = True
    with pytest.raises(CommandError, match=r"manage\.py migrate"):
        command.execute(older_than=None)


@pytest.mark.parametrize("name", ["9999_later", "0001_tables"])
def test_tables_that_another_release_made_are_refused_with_what_helps(db, name):
    MigrationRecorder(connection).record_applied(schema.APP, name)
    text = rf"applied {name}\. Start that release, or restore a backup.*or begin with an empty database"
    with pytest.raises(schema.OtherRelease, match=text):
        schema.check()
    with pytest.raises(CommandError, match=text):
        call_command("migrate", verbosity=0)
