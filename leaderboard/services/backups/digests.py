"""Count and digest the rows of every table, so that two databases can be compared.

SQLite and PostgreSQL give the same digest for the same rows, whatever order they return them in.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, models

from leaderboard.models import StorageToken

# Rows in memory at a time: the ground truth of a leaderboard is one row of many megabytes.
ROWS_AT_A_TIME = 50


@dataclass(frozen=True, slots=True)
class TableDigest:
    """Count the rows of a table, and digest them.

    sha256: the sum of the digests of the rows, modulo 2^256
    """

    rows: int
    sha256: str


def stored_models() -> list[type[models.Model]]:
    """Return every model that has a table, with those between two models of a many-to-many relation."""
    all_models = apps.get_models(include_auto_created=True)
    return [model for model in all_models if model._meta.managed and not model._meta.proxy]


def digest_tables(using: str = DEFAULT_DB_ALIAS) -> dict[str, TableDigest]:
    """Return the digest of each table of a database, by its name.

    Without the token of the storage: a database that was restored gets a new one.
    """
    digested = [model for model in stored_models() if model is not StorageToken]
    return {model._meta.db_table: _digest(model, using) for model in digested}


def differences(first: Mapping[str, TableDigest], second: Mapping[str, TableDigest]) -> list[str]:
    """Return a line for each table that differs, with its rows in the first and in the second."""
    lines = []
    for table in sorted({*first, *second}):
        first_digest, second_digest = first.get(table), second.get(table)
        if first_digest != second_digest:
            lines.append(f"{table}: {_count(first_digest)} before, {_count(second_digest)} now")
    return lines


def _count(digest: TableDigest | None) -> str:
    return "no table" if digest is None else f"{digest.rows} rows ({digest.sha256[:8]})"


def _digest(model: type[models.Model], using: str) -> TableDigest:
    columns = [field.attname for field in model._meta.concrete_fields]
    rows = model._base_manager.using(using).order_by().values_list(*columns)
    total = count = 0
    for row in rows.iterator(chunk_size=ROWS_AT_A_TIME):
        total += _digest_row(row)
        count += 1
    return TableDigest(rows=count, sha256=f"{total % 2**256:064x}")


def _digest_row(row: Iterable[Any]) -> int:
    text = repr([_plain(value) for value in row])
    return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest())


def _plain(value: Any) -> Any:
    """Return `value` in the form that it has in every database."""
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat()
        case memoryview() | bytearray():
            return bytes(value)
        case float() if value.is_integer():
            # PostgreSQL writes 1e22 in JSON as a whole number.
            return int(value)
        case dict():
            return sorted((key, _plain(item)) for key, item in value.items())
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value
