"""Test databases. As a program: print the URL of a PostgreSQL server where databases may be created.

If no server answers, it prints the reason and exits with 1.
"""

import os
import sys
from collections.abc import Callable

import psycopg
import pytest

# TEST_POSTGRES_URL first, then what a developer's machine usually has.
CANDIDATES = (
    os.environ.get("TEST_POSTGRES_URL", ""),
    "postgres://postgres@127.0.0.1:5432/postgres",
    "postgres:///postgres",
)


def shared_rows(build: Callable) -> Callable:
    """Make a fixture from `build`: its rows are written once, and every test of the module finds them.

    A test gets what `build` returns, so let that be keys: an object would carry changes to the next test.
    Each test works in a savepoint, and so leaves nothing to the next. None may be `transaction=True`.
    """

    @pytest.fixture(scope="module", autouse=True, name=build.__name__)
    def rows(django_db_setup, django_db_blocker):
        from django.db import transaction

        atomic = transaction.atomic()
        # As in a TestCase: the service's durable blocks may then begin inside it.
        atomic._from_testcase = True
        with django_db_blocker.unblock():
            atomic.__enter__()
            try:
                keys = build()
            except BaseException:
                atomic.__exit__(*sys.exc_info())
                raise
        # Blocked meanwhile: a test that does not ask for the database would leave rows to the next one.
        yield keys
        with django_db_blocker.unblock():
            transaction.set_rollback(True)
            atomic.__exit__(None, None, None)

    return rows


def delete_instead_of_truncate() -> None:
    """Make Django empty tables after a test with DELETE, as it does on SQLite.

    TRUNCATE writes new files for each table and its indexes: a second per test, for tables of ten rows.
    """
    from django.db.backends.postgresql.operations import DatabaseOperations

    def sql_flush(self, style, tables, *, reset_sequences=False, allow_cascade=False) -> list[str]:
        assert not reset_sequences
        # The order does not matter: foreign keys are checked when the transaction ends.
        return [f"DELETE FROM {self.quote_name(table)}" for table in tables]

    DatabaseOperations.sql_flush = sql_flush


def main() -> int:
    reason = ""
    for url in filter(None, CANDIDATES):
        try:
            with psycopg.connect(url, connect_timeout=20) as connection:
                row = connection.execute(
                    "select rolcreatedb from pg_roles where rolname = current_user"
                ).fetchone()
        except psycopg.Error as error:
            reason = str(error).strip().splitlines()[0]
            continue
        if row and row[0]:
            print(url)
            return 0
        reason = f"{url} may not make databases"
    print(f"Not run on PostgreSQL: {reason}. TEST_POSTGRES_URL names one.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
