"""Dump the database into a file, and load it from one: SQLite's own copy, or pg_dump and pg_restore."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper as SqliteDatabase
from psycopg.conninfo import make_conninfo

from leaderboard.services.errors import ServiceError

_LIBPQ = (
    *("dbname", "user", "host", "port", "target_session_attrs"),
    *("sslmode", "sslrootcert", "sslcert", "sslkey", "service"),
)


class CopyError(ServiceError):
    """The installation cannot be copied; the detail says what an operator can do."""

    code = "copy-failed"


@contextmanager
def dump_database(folder: Path) -> Iterator[tuple[Path, str]]:
    """Write a dump into `folder`; yield its path, and an alias that reads the rows of the dump.

    The service may go on meanwhile. Raises CopyError.
    """
    if connection.vendor == "sqlite":
        path = folder / "database.sqlite3"
        connection.ensure_connection()
        with closing(sqlite3.connect(path)) as copy:
            connection.connection.backup(copy)
            # One file, without a log beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
        with open_sqlite(path) as alias:
            yield path, alias
        return
    path = folder / "database.dump"
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        _run("pg_dump", "--format=custom", f"--snapshot={snapshot}", f"--file={path}")
        yield path, DEFAULT_DB_ALIAS


def load_database(path: Path) -> None:
    """Load a dump into the database, which must be empty. Raises CopyError."""
    require_no_tables()
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(path)) as dump:
            dump.backup(connection.connection)
    else:
        _run(
            "pg_restore",
            "--no-owner",
            "--no-privileges",
            "--single-transaction",
            "--exit-on-error",
            str(path),
        )
    # The connection still caches facts about the database as it was before.
    connection.close()


def require_no_tables() -> None:
    """Raise CopyError unless the database is empty."""
    if tables := connection.introspection.table_names():
        raise CopyError(
            f"The database is not empty: it has {len(tables)} tables. DATABASE_URL must name a new one."
        )


@contextmanager
def open_sqlite(path: Path) -> Iterator[str]:
    """Open an SQLite file as another database; yield its alias."""
    alias = "copy"
    settings: dict[str, dict[str, Any]] = {
        DEFAULT_DB_ALIAS: {},
        # A transaction keeps others from writing.
        alias: {"NAME": str(path), "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 30}},
    }
    # For this thread alone: the settings of the service do not name it.
    connections[alias] = SqliteDatabase(connections.configure_settings(settings)[alias], alias)
    try:
        yield alias
    finally:
        connections[alias].close()
        del connections[alias]


def _run(program: str, *options: str) -> None:
    """Run a program of PostgreSQL on the database. Raises CopyError."""
    parameters = connection.get_connection_params()
    password = parameters.get("password")
    database = make_conninfo("", **{key: parameters[key] for key in _LIBPQ if parameters.get(key)})
    try:
        subprocess.run(  # noqa: S603 - the arguments are the operator's own settings
            [program, f"--dbname={database}", *options],
            check=True,
            capture_output=True,
            text=True,
            # Not among the arguments, which every user of the machine can read.
            env={**os.environ, **({"PGPASSWORD": password} if password else {})},
        )
    except FileNotFoundError as error:
        raise CopyError(f"{program} is not installed. Debian and Ubuntu: postgresql-client.") from error
    except subprocess.CalledProcessError as error:
        raise CopyError(f"{program} failed: {error.stderr.strip()}") from error
