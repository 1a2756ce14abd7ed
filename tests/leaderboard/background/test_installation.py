"""No process of the service starts with uploads that belong to another database."""

import contextlib
import sqlite3
import subprocess
import time
import uuid
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from leaderboard import gunicorn
from leaderboard.services.files import installation
from tests.support import forks
from tests.support.processes import database_url, environment

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

GUNICORN = ("-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi")
WORKER = ("manage.py", "worker")


@pytest.mark.parametrize("arguments", [GUNICORN, WORKER])
def test_a_mismatch_of_the_keys_ends_the_start_with_both_keys_and_a_fix(
    settings, tmp_path, closed_port, arguments
):
    settings.UPLOADS = tmp_path / "uploads"
    installation.check()
    other = uuid.uuid4()
    (settings.UPLOADS / "installation").write_text(f"{other}\n")
    process = forks.run(
        *arguments,
        env=environment(
            WARDBOARD_DATA=str(tmp_path),
            BIND=f"127.0.0.1:{closed_port}",
        ),
        timeout=120,
    )
    assert process.returncode == 1
    assert "Wardboard does not start." in process.stderr
    assert str(other) in process.stderr
    assert "pair_uploads" in process.stderr


def test_no_connection_is_left_for_forked_processes_to_share(settings, tmp_path):
    settings.UPLOADS = tmp_path / "uploads"
    connection.ensure_connection()
    gunicorn.on_starting(None)
    assert (settings.UPLOADS / "installation").exists()
    assert connection.connection is None


@contextlib.contextmanager
def copy_of_the_database(tmp_path):
    """Copy the database of the test, as an operator does; yield its URL."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with contextlib.closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy:
            connection.connection.backup(copy)
        yield f"sqlite:///{tmp_path / 'copy.sqlite3'}"
        return
    name = f"test_copy_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(database_url(), autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        url = database_url().rsplit("/", 1)[0] + f"/{name}"
        try:
            subprocess.run(["pg_dump", "-Fc", f"--file={tmp_path / 'dump'}", database_url()], check=True)
            subprocess.run(["pg_restore", "-d", url, str(tmp_path / "dump")], check=True)
            yield url
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def test_a_copy_of_the_database_does_not_start_on_the_uploads_of_the_original(
    settings, tmp_path, closed_port, monkeypatch
):
    settings.UPLOADS = tmp_path / "uploads"
    installation.check()
    with copy_of_the_database(tmp_path) as url:
        monkeypatch.setattr(installation, "_started", time.monotonic() - 3600)
        monkeypatch.setattr(installation, "_TOKEN_LASTS", timedelta(0))
        for _ in range(2):
            installation.renew()
        env = environment(WARDBOARD_DATA=str(tmp_path), DATABASE_URL=url, BIND=f"127.0.0.1:{closed_port}")
        process = forks.run(*GUNICORN, env=env, timeout=120)
    assert process.returncode == 1
    assert "belong to another copy of this database" in process.stderr
    assert "WARDBOARD_DATA" in process.stderr
    installation.check()
