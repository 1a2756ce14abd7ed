"""A release works with its own tables, and with no others."""

import json
from importlib import import_module

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.management.commands import reference_key
from leaderboard.services import schema
from leaderboard.services.files import installation

pytestmark = pytest.mark.both_databases


def record_only(*names: str) -> None:
    MigrationRecorder(connection).migration_qs.filter(app=schema.APP).delete()
    for name in names:
        MigrationRecorder(connection).record_applied(schema.APP, name)


# Of the tables before the first release, the earliest share a name with those of today.
@pytest.mark.parametrize("names", [["0001_all_tables"], ["0001_tables", "0002_record_written_once"]])
def test_tables_from_before_the_first_release_are_refused_and_kept(db, names):
    record_only(*names)
    with pytest.raises(schema.OtherRelease, match=r"before 0\.2\.0, the first release.*WARDBOARD_DATA"):
        schema.check()
    with pytest.raises(CommandError, match=r"the first release.*Nothing was changed"):
        call_command("migrate", verbosity=0)
    assert "leaderboard_board" in connection.introspection.table_names()


def test_tables_that_are_too_old_are_refused_with_the_release_to_install_first(db, monkeypatch, tmp_path):
    monkeypatch.setattr(schema, "RELEASES", tmp_path / "releases.json")
    releases = {"0.2.0": {"0001_a": ""}, "0.3.0": {"0001_a": "", "0001_b": ""}, "0.4.0": {"0001_b": ""}}
    schema.RELEASES.write_text(json.dumps(releases))
    record_only("0001_a")
    with pytest.raises(CommandError, match=r"Install 0\.3\.0 first, run `migrate` with it"):
        call_command("migrate", verbosity=0)


def test_a_squash_is_applied_where_all_that_it_replaces_is(db, monkeypatch):
    *names, last = sorted(name for app, name in MigrationLoader(None).disk_migrations if app == schema.APP)
    squash = import_module(f"leaderboard.migrations.{last}").Migration
    monkeypatch.setattr(squash, "replaces", [(schema.APP, "0005_a"), (schema.APP, "0005_b")])
    record_only(*names, "0005_a")
    with pytest.raises(schema.OtherRelease, match="first release"):
        schema.check()
    record_only(*names, "0005_a", "0005_b")
    schema.check()


def test_tables_of_an_earlier_release_are_refused_with_the_command_that_helps(db):
    [(_, name)] = MigrationLoader(connection).graph.leaf_nodes(schema.APP)
    MigrationRecorder(connection).record_unapplied(schema.APP, name)
    with pytest.raises(schema.OtherRelease, match=rf"leaderboard\.{name} is not applied.*migrate"):
        schema.check()
    with pytest.raises(SystemExit, match="Wardboard does not start"):
        installation.check_at_start()
    command = reference_key.Command()
    command._called_from_command_line = True
    with pytest.raises(CommandError, match=r"manage\.py migrate"):
        command.execute()


def test_tables_of_a_later_release_are_refused_with_what_helps(db):
    MigrationRecorder(connection).record_applied(schema.APP, "9999_later")
    with pytest.raises(schema.OtherRelease, match=r"applied 9999_later\. Start that release, or restore"):
        schema.check()
