import os
import uuid
from contextlib import closing
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from leaderboard.models import RunningProcess, StorageToken, SweepTimes
from leaderboard.services.files import installation
from leaderboard.services.health import readiness
from leaderboard.services.processes import sweeps

pytestmark = pytest.mark.both_databases

READY = {"status": "ready"} | dict.fromkeys(("database", "storage", "workers", "sweep", "mail"), "ok")


@pytest.fixture(autouse=True)
def ready(db, settings, tmp_path):
    """Have a sweep that has just ended, a living process for each lane, and an empty folder of uploads."""
    settings.UPLOAD_MIN_FREE_BYTES = 1
    settings.UPLOADS = tmp_path / "uploads"
    sweeps.end()
    for name, lanes in (("web:1", ""), ("one:2", "short,long"), ("two:3", "statistics")):
        RunningProcess.objects.create(name=name, lanes=lanes, seen_at=Now())


def ask(client):
    readiness._cache.clear()
    response = client.get("/readyz")
    body = response.json()
    assert response["Cache-Control"] == "no-store"
    assert response.status_code == (200 if body["status"] == "ready" else 503)
    return {part: why for part, why in body.items() if why not in ("ok", "ready", "not ready")}


def test_everything_is_ready(client, django_assert_max_num_queries):
    assert ask(client) == {}
    # What is written is not written again at once, however many ask.
    with django_assert_max_num_queries(5):
        response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, READY)


def test_a_database_that_is_away_is_named_without_its_address(client, monkeypatch):
    def be_away():
        raise DatabaseError("no connection to 10.0.0.1")

    monkeypatch.setattr(readiness, "Now", be_away)
    not_known = readiness.NOT_KNOWN
    assert ask(client) == {
        "database": "does not answer",
        "workers": not_known,
        "sweep": not_known,
        "mail": not_known,
    }


ON_POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="this is about PostgreSQL")


@ON_POSTGRESQL
def test_a_role_without_rights_is_named_and_its_requests_are_refused(client, caplog):
    role = f"reader_{os.getpid()}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {role}; GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
        cursor.execute(f"REVOKE ALL ON leaderboard_board FROM {role}; SET LOCAL ROLE {role}")
    assert ask(client)["database"].startswith("its role lacks rights on the tables")
    assert "lacks rights on leaderboard_board" in caplog.text
    client.raise_request_exception = False
    assert client.get("/").status_code == 503


@ON_POSTGRESQL
def test_a_full_disk_or_a_locked_table_of_the_database_is_named(client, monkeypatch, caplog):
    with connection.cursor() as cursor:
        # It limits temporary files alone, and so shows that the disk is written to.
        cursor.execute("SET LOCAL temp_file_limit = '15MB'")
    assert ask(client) == {}
    assert "temp_file_limit" in caplog.text
    with monkeypatch.context() as full:
        full.setattr(readiness, "_SPILL", "DO $$ BEGIN RAISE disk_full; END $$")
        assert ask(client)["database"] == "its disk is full"
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute("BEGIN; LOCK TABLE leaderboard_work IN ACCESS EXCLUSIVE MODE")
        assert ask(client)["database"] == "a table is locked"


def test_a_disk_that_is_full_or_cannot_be_written_to_is_named(client, settings, monkeypatch, tmp_path):
    settings.UPLOAD_MIN_FREE_BYTES = 10**18
    assert ask(client) == {"storage": "the disk has too little free space for uploads"}
    settings.UPLOAD_MIN_FREE_BYTES = 1
    with monkeypatch.context() as read_only:
        read_only.setattr(readiness.os, "access", lambda *_: False)
        assert ask(client) == {"storage": "the folder of uploads cannot be written to"}
    (tmp_path / "file").write_text("")
    settings.UPLOADS = tmp_path / "file" / "uploads"
    assert ask(client) == {"storage": "the folder of uploads cannot be read"}


def test_uploads_of_another_database_or_a_copy_are_named(client, tmp_path):
    installation.check()
    assert ask(client) == {}
    StorageToken.objects.update(token=uuid.uuid4())
    assert ask(client) == {"storage": "the uploads belong to another database, or a copy of this one"}
    (tmp_path / "uploads" / "owner").write_text("no token")
    assert ask(client) == {"storage": "the uploads belong to another database, or a copy of this one"}


def test_a_lane_whose_workers_gave_no_sign_of_life_is_named(client, settings):
    for seconds in (-settings.LEASE_SECONDS, 2 * settings.LEASE_SECONDS):
        seen_at = Now() + timedelta(seconds=seconds)
        RunningProcess.objects.filter(name="one:2").update(seen_at=seen_at)
        assert ask(client) == {"workers": "no process works on the lanes: short, long"}
    RunningProcess.objects.all().delete()
    assert ask(client) == {"workers": "no process works on the lanes: short, long, statistics"}


def test_a_sweep_that_is_late_or_was_never_done_is_named(client, settings):
    settings.LEASE_SECONDS = 20
    rows = SweepTimes.objects.filter(pk=1)
    for seconds in (-70, 1200):
        rows.update(ended_at=Now() + timedelta(seconds=seconds))
        assert ask(client) == {"sweep": f"the last one ended {abs(seconds)} seconds ago"}
    rows.update(ended_at=None)
    assert ask(client) == {"sweep": "no sweep has come to its end yet"}
    rows.delete()
    assert ask(client)["sweep"] == "no sweep has come to its end yet"
