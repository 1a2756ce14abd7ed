"""Dump the database into a file and load it from one: SQLite's own copy, or pg_dump and pg_restore."""

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from psycopg.conninfo import make_conninfo

from leaderboard.services.errors import ServiceError

_LIBPQ = (
    *("dbname", "user", "host", "port", "target_session_attrs"),
    *("sslmode", "sslrootcert", "sslcert", "sslkey", "service"),
)


class CopyError(ServiceError, code="copy-failed"):
    """The installation cannot be copied; the detail says what an operator can do."""


def dump_database(folder: Path) -> Path:
    """Write a dump into `folder`, while the service goes on; return its path. Raises CopyError."""
    if connection.vendor != "sqlite":
        path = folder / "database.dump"
        _run("pg_dump", "--format=custom", f"--file={path}")
        return path
    path = folder / "database.sqlite3"
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as copy:
        connection.connection.backup(copy)
        # One file, without a log beside it.
        copy.execute("PRAGMA journal_mode=DELETE")
    return path


def load_database(path: Path) -> None:
    """Load a dump into the database, which must be empty. Raises CopyError."""
    require_no_tables()
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(path)) as dump:
            dump.backup(connection.connection)
    else:
        _run(
            *("pg_restore", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"),
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


def applied_migrations() -> list[str]:
    """Return the migrations that the database has, as app.name."""
    return sorted(".".join(key) for key in MigrationLoader(connection).applied_migrations or ())


def require_this_release(migrations: list[str]) -> None:
    """Raise CopyError where a backup has other migrations than this release."""
    if others := {".".join(key) for key in MigrationLoader(None).disk_migrations or ()} ^ {*migrations}:
        raise CopyError(
            f"The backup is of another release: they differ in {', '.join(sorted(others))}. "
            "Use the release that it is of, and upgrade afterwards."
        )


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
