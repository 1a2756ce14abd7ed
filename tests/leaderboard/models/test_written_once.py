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


def test_no_row_can_be_changed_or_deleted(rows, demo):
    for table in TABLES:
        column = "public_key" if table == "leaderboard_signingkey" else "number"
        for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"):
            with pytest.raises(IntegrityError, match="are written once"):
                run(statement)
    # Nor with the leaderboard that it is about.
    with pytest.raises(IntegrityError, match="are written once"):
        run(f"DELETE FROM leaderboard_paststanding WHERE board_id = {demo.pk}")
    assert BoardEvent.objects.filter(board=demo).exists()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="TRUNCATE is about PostgreSQL")
def test_no_table_can_be_emptied(rows):
    # Foreign keys that still have to be checked would refuse it first.
    run("SET CONSTRAINTS ALL IMMEDIATE")
    for table in TABLES:
        with pytest.raises(IntegrityError, match="are written once"):
            run(f"TRUNCATE {table} CASCADE")


def test_a_private_event_has_no_number_and_is_among_no_public_ones(rows, demo):
    assert AuditEvent.objects.filter(board=demo).exists()
    assert not AuditEvent.objects.filter(number__isnull=False).exists()
    assert not BoardEvent.objects.filter(number__isnull=True).exists()
    assert AuditEvent.objects.count() + BoardEvent.objects.count() == Event.objects.count()
