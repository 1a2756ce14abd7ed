"""Move all rows from an SQLite database to PostgreSQL, and count them before anything is kept.

Django's `dumpdata` would write times without their microseconds.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, models, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper as SqliteDatabase
from django.db.migrations.executor import MigrationExecutor

from leaderboard.models import Pulse, RunningProcess
from leaderboard.services.backups.database import CopyError, applied_migrations, require_this_release
from leaderboard.services.processes import pulse

# Rows in memory at a time: the ground truth of a leaderboard is one row of many megabytes.
_ROWS_AT_A_TIME = 50
_SQLITE = b"SQLite format 3\0"
# A living process raises the number of the pulse once in an interval.
_INTERVALS_TO_WATCH = 2
# `migrate` fills these; the rows of SQLite take their place, because other rows refer to their keys.
_FILLED_BY_MIGRATE = {"django_content_type", "auth_permission"}


def move_from_sqlite(path: Path) -> dict[str, int]:
    """Copy every row of an SQLite database to this one; return the number of rows of each table.

    One transaction, which nothing leaves half done. Raises CopyError.
    """
    if connection.vendor != "postgresql":
        raise CopyError("DATABASE_URL must name the PostgreSQL database that the rows move to.")
    if not path.is_file():
        raise CopyError(f"{path} is not a file.")
    with path.open("rb") as file:
        if file.read(len(_SQLITE)) != _SQLITE:
            raise CopyError(f"{path} is not a SQLite database.")
    _require_tables()
    with _open_sqlite(path) as source:
        require_this_release(applied_migrations(source), str(path))
        _require_stopped(source, path)
        return _move(source)


@contextmanager
def _open_sqlite(path: Path) -> Iterator[str]:
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


def _require_tables() -> None:
    migrations = applied_migrations(DEFAULT_DB_ALIAS)
    executor = MigrationExecutor(connection)
    if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        lacks = f"lacks {plan[0][0]}" if migrations else "has no tables yet"
        raise CopyError(f"The PostgreSQL database {lacks}. Run `manage.py migrate`, then move again.")
    require_this_release(migrations, "The PostgreSQL database")


def _require_stopped(source: str, path: Path) -> None:
    """Raise CopyError where a process works on the SQLite database: what it accepts later would be lost."""
    if not RunningProcess.objects.using(source).exists():
        return
    numbers = Pulse.objects.using(source).values_list("number", flat=True)
    before = numbers.first()
    time.sleep(_INTERVALS_TO_WATCH * pulse.interval())
    if numbers.first() != before:
        raise CopyError(
            f"A web server or worker still runs on {path}: what it accepts from now on would not be moved. "
            "Stop all of them, then move again."
        )


def _stored_models() -> list[type[models.Model]]:
    """Return every model that has a table, with those between two models of a many-to-many relation."""
    all_models = apps.get_models(include_auto_created=True)
    return [model for model in all_models if model._meta.managed and not model._meta.proxy]


def _move(source: str) -> dict[str, int]:
    with transaction.atomic(using=source), transaction.atomic(durable=True):
        _require_no_rows()
        for table in _FILLED_BY_MIGRATE:
            _execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608 - our own table  # nosec B608
        for model in _stored_models():
            _copy(model, source)
        for statement in connection.ops.sequence_reset_sql(no_style(), _stored_models()):
            _execute(statement)
        before, now = (_count(using) for using in (source, DEFAULT_DB_ALIAS))
        if before != now:
            others = sorted(name for name in before if before[name] != now[name])
            raise CopyError(f"The rows are not as many; none was moved: {', '.join(others)}")
    return now


def _count(using: str) -> dict[str, int]:
    return {model._meta.db_table: model._base_manager.using(using).count() for model in _stored_models()}


def _require_no_rows() -> None:
    for model in _stored_models():
        table = model._meta.db_table
        if table not in _FILLED_BY_MIGRATE and model._base_manager.exists():
            raise CopyError(f"The PostgreSQL database is not empty: {table} has rows.")


def _copy(model: type[models.Model], source: str) -> None:
    """Copy a table. Foreign keys are checked when the transaction ends, so the order does not matter."""
    fields: Sequence[Any] = model._meta.local_concrete_fields
    rows: Iterator[models.Model] = (
        model._base_manager.using(source).order_by().iterator(chunk_size=_ROWS_AT_A_TIME)
    )
    while batch := list(islice(rows, _ROWS_AT_A_TIME)):
        try:
            # Raw: times that a model sets when it is saved stay as they are.
            model._base_manager.get_queryset()._insert(  # type: ignore[attr-defined]  # not in the stubs
                batch, fields=fields, raw=True, using=DEFAULT_DB_ALIAS
            )
        except (DatabaseError, ValueError) as error:
            raise CopyError(f"{model._meta.db_table} cannot be moved; no row was. {error}") from error


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
