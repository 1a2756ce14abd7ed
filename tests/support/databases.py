"""Test databases. As a program: print the URL of a PostgreSQL server where databases may be created.

If no server answers, it prints the reason and exits with 1.
"""

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

# TEST_POSTGRES_URL first, then what a developer's machine usually has. A statement takes a fifth less time by
# the socket.
CANDIDATES = (
    os.environ.get("TEST_POSTGRES_URL", ""),
    "postgres:///postgres",
    "postgres://postgres@/postgres",
    "postgres://postgres@127.0.0.1:5432/postgres",
)


# By the name of the fixture that hands out the board.
FIXTURES = ("demo", "fhir_demo")
# The modules that write rows of their own (`shared_rows`), and so begin with an empty database.
_modules_with_rows: set[str] = set()


class _OpenTransaction:
    """Hold a transaction around many tests, whose rows all of them find."""

    def __init__(self) -> None:
        from django.db import transaction

        self._atomic = transaction.atomic()
        # As in a TestCase: the service's durable blocks may then begin inside it.
        self._atomic._from_testcase = True
        self._atomic.__enter__()

    def is_whole(self) -> bool:
        """Return whether no test has ended it, as one does that closes the connection."""
        from django.db import connection

        return connection.in_atomic_block and not connection.closed_in_transaction

    def roll_back(self) -> None:
        from django.db import connection, transaction

        if connection.in_atomic_block:
            transaction.set_rollback(True)
        self._atomic.__exit__(None, None, None)


class SharedBoards:
    """Keep the boards that the next test asks for in an open transaction, and no others."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._rows: _OpenTransaction | None = None

    def lay(self, names: tuple[str, ...]) -> None:
        """Let the database hold the boards of the fixtures `names` alone."""
        if self._rows and names == self._names and self._rows.is_whole():
            return
        self.clear()
        if names:
            from tests.support import factories

            self._rows, self._names = _OpenTransaction(), names
            for name in names:
                {"demo": factories.make_demo, "fhir_demo": factories.make_fhir_demo}[name]()

    def clear(self) -> None:
        """Take all boards away."""
        rows, self._rows = self._rows, None
        if rows:
            rows.roll_back()


shared_boards = SharedBoards()


def boards_of(item: pytest.Item) -> tuple[str, ...]:
    """Return the fixtures of shared boards that a test asks for; none where it commits what it writes."""
    marker = item.get_closest_marker("django_db")
    commits = {"transactional_db", "live_server"}.intersection(item.fixturenames)
    if commits or (marker and marker.kwargs.get("transaction")) or item.module.__name__ in _modules_with_rows:
        return ()
    return tuple(name for name in FIXTURES if name in item.fixturenames)


def sort_by_boards(items: list[pytest.Item]) -> None:
    """Put tests with the same shared boards beside each other, and the others behind them."""
    items.sort(key=lambda item: (not boards_of(item), boards_of(item)))


def shared_rows(build: Callable) -> Callable:
    """Make a fixture from `build`: its rows are written once, and every test of the module finds them.

    A test gets what `build` returns, objects of models read anew, also those in a list or a dictionary.
    Each test works in a savepoint, and so leaves nothing to the next. None may be `transaction=True`.
    """
    _modules_with_rows.add(build.__module__)
    written_once = f"written_by_{build.__name__}"

    @pytest.fixture(scope="module", autouse=True, name=written_once)
    def rows(django_db_setup, django_db_blocker):
        with django_db_blocker.unblock():
            shared_boards.clear()
            written = _OpenTransaction()
            try:
                returned = build()
            except BaseException:
                written.roll_back()
                raise
        # Blocked meanwhile: a test that does not ask for the database would leave rows to the next one.
        yield returned
        with django_db_blocker.unblock():
            written.roll_back()

    # Where pytest finds it.
    build.__globals__[written_once] = rows

    @pytest.fixture(name=build.__name__)
    def anew(request, db):
        return _read_anew(request.getfixturevalue(written_once))

    return anew


def _read_anew(returned: Any) -> Any:
    from django.db.models import Model

    match returned:
        case dict():
            return {name: _read_anew(each) for name, each in returned.items()}
        case list():
            return [_read_anew(each) for each in returned]
        case Model():
            return type(returned)._default_manager.get(pk=returned.pk)
    return returned


def flush_for_tests() -> None:
    """Make Django empty tables after a test with DELETE, past the triggers that keep the record.

    On PostgreSQL TRUNCATE writes new files for each table and its indexes: a second per test, for tables of
    ten rows. Content types and permissions stay, which the signal after a flush would write again: it would
    take longer than the flush, and no app writes anything else then.
    """
    from django.contrib.auth.models import Permission
    from django.contrib.contenttypes.models import ContentType
    from django.core.management.commands import flush
    from django.db import connection

    kept = {model._meta.db_table for model in (ContentType, Permission)}

    def sql_flush(self, style, tables, *, reset_sequences=False, allow_cascade=False) -> list[str]:
        assert not reset_sequences
        # The order does not matter: foreign keys are checked when the transaction ends.
        deletes = [f"DELETE FROM {self.quote_name(table)}" for table in tables if table not in kept]
        before, after = _switches(self.connection)
        return [*before, *deletes, *after]

    type(connection.ops).sql_flush = sql_flush
    flush.emit_post_migrate_signal = lambda *_, **__: None


def end_other_sessions() -> None:
    """End what other processes have open on the test database, which could not be dropped otherwise.

    The session of a killed process lasts until PostgreSQL notices.
    """
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@contextmanager
def around_triggers() -> Iterator[None]:
    """Let a test change rows of the record, as nothing else can."""
    from django.db import connection

    def run(statements: list[str]) -> None:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    before, after = _switches(connection)
    run(before)
    yield
    run(after)


def _switches(connection) -> tuple[list[str], list[str]]:
    """Return the statements that switch the triggers off, and those that switch them on again."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
            return [f"DROP TRIGGER {name}" for name, _ in triggers], [sql for _, sql in triggers]
        cursor.execute("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
        tables = [table for (table,) in cursor.fetchall()]
    off, on = (
        [f"ALTER TABLE {table} {act} TRIGGER USER" for table in tables] for act in ("DISABLE", "ENABLE")
    )
    # A table whose foreign keys still have to be checked cannot be altered.
    check, wait = (f"SET CONSTRAINTS ALL {when}" for when in ("IMMEDIATE", "DEFERRED"))
    return [check, wait, *off], [check, wait, *on]


@contextmanager
def tables_made_once(copy: Path) -> Iterator[None]:
    """Let the first process that creates a test database on SQLite migrate it, and the others copy it.

    copy: the migrated database, which the next runs find
    """
    from django.conf import settings
    from django.db.backends.base.creation import BaseDatabaseCreation

    migrate = BaseDatabaseCreation.create_test_db

    def create_test_db(creation, verbosity=1, autoclobber=False, serialize=True, keepdb=False) -> str:
        # One process at a time.
        with (copy.parent / "migrated.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not copy.exists():
                name = migrate(creation, verbosity, autoclobber, serialize, keepdb)
                _write_copy(copy)
                creation.connection.close()
                return name
            name = creation._create_test_db(verbosity, autoclobber, keepdb)
        Path(name).write_bytes(copy.read_bytes())
        creation.connection.close()
        settings.DATABASES[creation.connection.alias]["NAME"] = name
        creation.connection.settings_dict["NAME"] = name
        creation.connection.ensure_connection()
        return name

    BaseDatabaseCreation.create_test_db = create_test_db
    try:
        yield
    finally:
        BaseDatabaseCreation.create_test_db = migrate


def kept_tables(folder: Path) -> Path:
    """Return where `folder` has, or will have, the database that the migrations of today make.

    Databases of other migrations are removed.
    """
    import django
    from django.apps import apps

    migrations = (
        file for app in apps.get_app_configs() for file in Path(app.path).glob("migrations/**/*.py")
    )
    digest = sha256(django.__version__.encode())
    for file in sorted(migrations):
        digest.update(file.read_bytes())
    kept = folder / f"{digest.hexdigest()}.sqlite3"
    for other in folder.glob("*.sqlite3"):
        if other != kept:
            other.unlink(missing_ok=True)
    return kept


def _write_copy(copy: Path) -> None:
    """Write a copy of the database, renamed when it is whole: a killed run leaves no half to the next."""
    from django.db import connection

    part = copy.with_suffix(".part")
    part.unlink(missing_ok=True)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(part)])
    part.replace(copy)


def main() -> int:
    import psycopg

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
