"""Anyone who removes SQLite's write-ahead log under the service stops it from writing, and loses no more."""

import os
import re
import shutil
import sqlite3

import pytest
from django.db import OperationalError, connections

from leaderboard.database.sqlite import lost_files
from leaderboard.database.sqlite.base import DatabaseWrapper

# Otherwise no connection may be opened.
pytestmark = pytest.mark.django_db


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(lost_files, "_lost", set())
    return tmp_path / "board.sqlite3"


@pytest.fixture
def connect(path):
    """Return a function that opens a connection as the service does; close them all in the end."""
    opened = []

    def open_one():
        settings = {"ENGINE": "leaderboard.database.sqlite", "NAME": str(path)}
        options = {"init_command": "PRAGMA journal_mode=WAL", "transaction_mode": "IMMEDIATE"}
        database = DatabaseWrapper(
            connections.configure_settings({"default": {**settings, "OPTIONS": options}})["default"], "copy"
        )
        opened.append(database)
        return database

    yield open_one
    for database in opened:
        database.close()


def write(database):
    database.cursor().execute("INSERT INTO results VALUES (1)")


@pytest.fixture
def serving(connect):
    """Return a connection that has written, as a process of the service has."""
    database = connect()
    database.cursor().execute("CREATE TABLE results (value)")
    for _ in range(2):
        write(database)
    return database


@pytest.mark.parametrize("with_index", [False, True])
def test_nothing_is_written_once_the_log_is_removed_and_a_copy_brings_all_back(
    serving, connect, path, caplog, tmp_path, with_index
):
    os.unlink(f"{path}-wal")
    if with_index:
        os.unlink(f"{path}-shm")
    for _ in range(3):
        with pytest.raises(OperationalError, match="log was removed"):
            write(serving)
    assert lost_files.has_lost(str(path))
    # New connections of this process have another log.
    with pytest.raises(OperationalError):
        write(connect())
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    # As the line says.
    source = re.search(r"cp (/proc/\d+/fd/\d+) FILE", record.getMessage())[1]
    restored = tmp_path / "restored.sqlite3"
    shutil.copyfile(path, restored)
    shutil.copyfile(source, f"{restored}-wal")
    with sqlite3.connect(restored) as copy:
        assert copy.execute("SELECT count(*) FROM results").fetchone() == (2,)
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    copy.close()


def test_a_log_that_sqlite_removes_itself_with_the_last_connection_is_none_lost(serving, connect, path):
    for _ in range(3):
        serving.close()
        assert not os.path.exists(f"{path}-wal")
        write(serving)
    other = connect()
    for database in (other, serving, other):
        write(database)
        database.close()
    write(other)
    assert not lost_files.has_lost(str(path))
