"""The databases of the tests. Run as a program, it prints the address of a PostgreSQL that may make some.

Where none answers it says why and exits 1.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

# TEST_POSTGRES_URL first, then what a developer's machine usually has.
CANDIDATES = (
    os.environ.get("TEST_POSTGRES_URL", ""),
    "postgres://postgres@127.0.0.1:5432/postgres",
    "postgres:///postgres",
)


@contextmanager
def rows_for_a_module(django_db_blocker) -> Iterator[None]:
    """Keep what is written until the end, for a fixture that many tests of a module only read.

    Each test works in a savepoint of this transaction, and so leaves nothing to the next. No test of the
    module may be `transaction=True`.
    """
    from django.db import transaction

    with django_db_blocker.unblock():
        atomic = transaction.atomic()
        # As that of a TestCase: inside it, a block that is durable in the service may begin.
        atomic._from_testcase = True
        with atomic:
            yield
            transaction.set_rollback(True)


def shared_rows(build: Callable) -> Callable:
    """Make a fixture from `build`: its rows are written once, and every test of the module finds them.

    A test gets what `build` returns, so let that be keys: an object would carry changes to the next test.
    """

    @pytest.fixture(scope="module", autouse=True, name=build.__name__)
    def rows(django_db_setup, django_db_blocker):
        with rows_for_a_module(django_db_blocker):
            yield build()

    return rows


def delete_instead_of_truncate() -> None:
    """Make Django empty the tables after a test by DELETE, as it does on SQLite.

    TRUNCATE writes new files for each table and its indexes: a second a test, where the tables hold ten rows.
    """
    from django.db.backends.postgresql.operations import DatabaseOperations

    def sql_flush(self, style, tables, *, reset_sequences=False, allow_cascade=False) -> list[str]:
        assert not reset_sequences
        # In any order: foreign keys are checked when the transaction ends.
        return [f"DELETE FROM {self.quote_name(table)}" for table in tables]

    DatabaseOperations.sql_flush = sql_flush


def main() -> int:
    why = ""
    for url in filter(None, CANDIDATES):
        try:
            with psycopg.connect(url, connect_timeout=20) as connection:
                row = connection.execute(
                    "select rolcreatedb from pg_roles where rolname = current_user"
                ).fetchone()
        except psycopg.Error as error:
            why = str(error).strip().splitlines()[0]
            continue
        if row and row[0]:
            print(url)
            return 0
        why = f"{url} may not make databases"
    print(f"Not run on PostgreSQL: {why}. TEST_POSTGRES_URL names one.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
