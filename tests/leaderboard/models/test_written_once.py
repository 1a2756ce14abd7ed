"""The database itself refuses changes of the record, from any client."""

import pytest
from django.db import IntegrityError, connection, transaction

from leaderboard.models import AuditEvent, BoardEvent, Event, PastStanding, SigningKey
from leaderboard.services.record.keys import signer
from tests.support.factories import make_published

pytestmark = pytest.mark.both_databases

TABLES = [model._meta.db_table for model in (BoardEvent, PastStanding, SigningKey)]


@pytest.fixture
def rows(demo, user, good_file):
    make_published(user, demo, good_file)
    signer()
    for model in (BoardEvent, PastStanding, SigningKey):
        assert model.objects.exists()


def run(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("table", TABLES)
def test_no_row_can_be_changed(rows, table):
    column = {"leaderboard_signingkey": "public_key"}.get(table, "number")
    with pytest.raises(IntegrityError, match="are written once"):
        run(f"UPDATE {table} SET {column} = {column}")


@pytest.mark.parametrize("table", TABLES)
def test_no_row_can_be_deleted(rows, table):
    with pytest.raises(IntegrityError, match="are written once"):
        run(f"DELETE FROM {table}")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="TRUNCATE is about PostgreSQL")
@pytest.mark.parametrize("table", TABLES)
def test_no_table_can_be_emptied(rows, table):
    # Foreign keys that still have to be checked would refuse it first.
    run("SET CONSTRAINTS ALL IMMEDIATE")
    with pytest.raises(IntegrityError, match="are written once"):
        run(f"TRUNCATE {table} CASCADE")


def test_deleting_a_leaderboard_with_events_is_refused_whole(rows, demo):
    with pytest.raises(IntegrityError, match="are written once"):
        run(f"DELETE FROM leaderboard_paststanding WHERE board_id = {demo.pk}")
    assert BoardEvent.objects.filter(board=demo).exists()


def test_a_private_event_has_no_number_and_is_among_no_public_ones(rows, demo):
    assert AuditEvent.objects.filter(board=demo).exists()
    assert not AuditEvent.objects.filter(number__isnull=False).exists()
    assert not BoardEvent.objects.filter(number__isnull=True).exists()
    assert AuditEvent.objects.count() + BoardEvent.objects.count() == Event.objects.count()
