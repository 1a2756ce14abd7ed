"""What waits for its turn to write to SQLite, and when the turn ends."""

import pytest
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, transaction

from leaderboard.database import patience
from leaderboard.database.sqlite.write_queue import queue_of
from leaderboard.models import Team
from leaderboard.services import outages

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "sqlite",
        reason="is about SQLite: writers of PostgreSQL need no turn",
    ),
]


@pytest.fixture
def queue():
    return queue_of(connection.settings_dict["NAME"])


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("leaderboard.database.sqlite.base.sqlite_seconds", lambda: 0.1)


def test_a_transaction_has_the_turn_from_its_beginning_to_its_end(queue):
    for ends_well in (True, False):
        with transaction.atomic():
            assert queue._is_taken
            with transaction.atomic():
                Team.objects.create(name=f"team {ends_well}")
            assert queue._is_taken
            transaction.set_rollback(not ends_well)
        assert not queue._is_taken
    assert Team.objects.count() == 1


def test_a_statement_without_a_transaction_has_a_turn_of_its_own(queue, impatient):
    Team.objects.create(name="Team")
    turn = queue.take(1)
    assert Team.objects.get().name == "Team"
    for write in (
        lambda: Team.objects.update(name="Other"),
        lambda: Team.objects.all().delete(),
        lambda: Team.objects.create(name="Third"),
    ):
        with pytest.raises(OperationalError, match="database is locked"):
            write()
    turn.end()
    Team.objects.update(name="Other")
    assert Team.objects.get().name == "Other"
    assert not queue._is_taken


def test_a_writer_whose_turn_does_not_come_is_told_what_sqlite_would_say(queue, impatient):
    turn = queue.take(1)
    with pytest.raises(OperationalError, match="database is locked") as raised, transaction.atomic():
        pytest.fail("it has no turn")
    assert outages.is_outage(raised.value)
    assert not outages.may_have_committed(raised.value)
    turn.end()
    with transaction.atomic():
        Team.objects.create(name="Team")


def test_a_transaction_that_sqlite_refuses_to_begin_gives_its_turn_back(queue):
    connection.ensure_connection()
    other = connection.copy(DEFAULT_DB_ALIAS)
    try:
        with other.cursor() as cursor, connection.cursor() as mine:
            mine.execute("PRAGMA busy_timeout = 50")
            # As a program would that knows nothing of the queue.
            cursor.execute("BEGIN IMMEDIATE")
            with pytest.raises(OperationalError, match="locked"), transaction.atomic():
                pytest.fail("another has the lock")
            assert not queue._is_taken
            cursor.execute("ROLLBACK")
    finally:
        other.close()
        connection.close()


def test_a_connection_closed_within_a_transaction_gives_its_turn_back(queue):
    with transaction.atomic():
        Team.objects.create(name="Team")
        connection.close()
        assert not queue._is_taken
    assert not Team.objects.exists()


def test_requests_that_only_read_wait_as_set_and_all_else_longer(settings):
    settings.DATABASE_LOCK_SECONDS = 7
    assert patience.sqlite_seconds() == 30
    patience.begin_request(environ={"REQUEST_METHOD": "GET"})
    try:
        assert patience.sqlite_seconds() == 7
    finally:
        patience.end_request()
