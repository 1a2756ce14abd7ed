"""A release works with its own tables, with compatible later ones, and with no others."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from leaderboard import tasks
from leaderboard.management.commands import sweep
from leaderboard.models import CODE_LEVEL, Installation
from leaderboard.services import schema
from leaderboard.services.submissions import lanes

pytestmark = pytest.mark.both_databases


@pytest.fixture
def set_level(db):
    """Return a function that writes the level of code that the tables need."""

    def write(level):
        Installation.objects.update_or_create(pk=1, defaults={"code_level": level})

    return write


@pytest.fixture
def watch(monkeypatch):
    """Watch as a running process does, and ask the database each time."""
    monkeypatch.setattr(schema, "NOTICE_SECONDS", 0)
    schema.watch.start(is_checked=True)
    yield schema.watch
    schema.watch.stop()


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


def test_tables_of_a_later_release_are_taken_as_long_as_they_are_compatible(set_level, caplog):
    MigrationRecorder(connection).record_applied(schema.APP, "9999_later")
    set_level(CODE_LEVEL)
    schema.check()
    assert "9999_later" in caplog.text
    set_level(CODE_LEVEL + 1)
    with pytest.raises(schema.OtherRelease, match="Start the later release"):
        schema.check()


def test_a_running_process_notices_and_works_again_once_the_tables_are_back(set_level, watch):
    assert watch.reason() is None
    set_level(CODE_LEVEL + 1)
    assert "level" in watch.reason()
    set_level(CODE_LEVEL)
    assert watch.reason() is None


def test_a_process_asks_the_database_at_most_once_in_two_seconds(
    set_level, watch, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(schema, "NOTICE_SECONDS", 2)
    with django_assert_max_num_queries(1):
        for _ in range(100):
            watch.reason()


def test_a_database_that_could_not_be_asked_at_the_start_is_compared_later(db, watch):
    names = names_of_the_last_migration()
    take_back(names)
    watch.start(is_checked=False)
    assert "migrate" in watch.reason()
    for name in names:
        MigrationRecorder(connection).record_applied(schema.APP, name)
    assert watch.reason() is None


def test_a_process_of_an_earlier_release_leaves_the_work_to_others(set_level, watch, monkeypatch):
    set_level(CODE_LEVEL + 1)
    monkeypatch.setattr(lanes, "work_on_next", lambda **_: pytest.fail("worked"))
    assert tasks.work_on_next(is_long=False) is None
