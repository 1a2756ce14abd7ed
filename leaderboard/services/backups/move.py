"""Copy the rows of a backup of SQLite to PostgreSQL, and count them before anything is kept.

Django's `dumpdata` would write times without their microseconds.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, models, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper as SqliteDatabase

from leaderboard.services.backups.database import CopyError

# Rows in memory at a time: the ground truth of a leaderboard is one row of many megabytes.
_ROWS_AT_A_TIME = 50


def move_rows(path: Path) -> None:
    """Copy every row of an SQLite file to this empty database, in one transaction. Raises CopyError."""
    call_command("migrate", verbosity=0)
    # With those between two models of a many-to-many relation.
    all_models = apps.get_models(include_auto_created=True)
    stored = [model for model in all_models if model._meta.managed and not model._meta.proxy]
    with _open_sqlite(path) as source, transaction.atomic(durable=True), connection.cursor() as cursor:
        # `migrate` fills these; the rows of SQLite take their place, because other rows refer to their keys.
        for table in ("django_content_type", "auth_permission"):
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608 - our own table  # nosec B608
        for model in stored:
            _copy(model, source)
        for statement in connection.ops.sequence_reset_sql(no_style(), stored):
            cursor.execute(statement)
        if others := [
            model._meta.db_table
            for model in stored
            if model._base_manager.using(source).count() != model._base_manager.count()
        ]:
            raise CopyError(f"The rows are not as many: {', '.join(sorted(others))}")


@contextmanager
def _open_sqlite(path: Path) -> Iterator[str]:
    """Open an SQLite file as another database; yield its alias."""
    alias = "copy"
    settings: dict[str, dict[str, Any]] = {DEFAULT_DB_ALIAS: {}, alias: {"NAME": str(path)}}
    # For this thread alone: the settings of the service do not name it.
    connections[alias] = SqliteDatabase(connections.configure_settings(settings)[alias], alias)
    try:
        yield alias
    finally:
        connections[alias].close()
        del connections[alias]


def _copy(model: type[models.Model], source: str) -> None:
    """Copy a table. Foreign keys are checked when the transaction ends, so the order does not matter."""
    fields: Any = model._meta.local_concrete_fields
    rows = model._base_manager.using(source).order_by().iterator(chunk_size=_ROWS_AT_A_TIME)
    while batch := list(islice(rows, _ROWS_AT_A_TIME)):
        try:
            # Raw: times that a model sets when it is saved stay as they are.
            model._base_manager.get_queryset()._insert(  # type: ignore[attr-defined]  # not in the stubs
                batch, fields=fields, raw=True, using=DEFAULT_DB_ALIAS
            )
        except (DatabaseError, ValueError) as error:
            raise CopyError(f"{model._meta.db_table} cannot be moved; no row was. {error}") from error
