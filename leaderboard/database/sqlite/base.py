"""Django's connection to SQLite, which waits in `write_queue` before it writes."""

import sqlite3
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db.backends.sqlite3 import base

from leaderboard.database.patience import sqlite_seconds
from leaderboard.database.sqlite.lost_files import OpenLog
from leaderboard.database.sqlite.write_queue import queue_of
from leaderboard.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable

_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class QueuedCursor(base.SQLiteCursorWrapper):
    """A cursor that waits for its turn where a statement writes without a transaction around it."""

    def __init__(self, connection: sqlite3.Connection, *, turn: "Callable[[], Turn]"):
        super().__init__(connection)
        self._turn = turn

    def execute(self, query: str, params: Any = None) -> "QueuedCursor":
        with self._turn_for(query):
            super().execute(query, params)
            return self

    def executemany(self, query: str, param_list: Iterable[Any]) -> "QueuedCursor":
        with self._turn_for(query):
            super().executemany(query, param_list)
            return self

    def _turn_for(self, query: str) -> AbstractContextManager[object]:
        is_alone = not self.connection.in_transaction and query.lstrip()[:7].upper().startswith(_WRITES)
        return self._turn() if is_alone else nullcontext()


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection to SQLite, with the turn to write while a transaction lasts."""

    # Of Django's own, which its stubs do not list.
    transaction_mode: str | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: Turn | None = None
        self._log: OpenLog | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        connection: sqlite3.Connection = super().get_new_connection(conn_params)
        self._log = None if self.is_in_memory_db() else OpenLog(conn_params["database"])
        return connection

    def create_cursor(self, name: str | None = None) -> sqlite3.Cursor:
        if self.is_in_memory_db():
            cursor: sqlite3.Cursor = super().create_cursor(name)
        else:
            cursor = self.connection.cursor(factory=partial(QueuedCursor, turn=self._take_turn))
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        if self.transaction_mode is None or self.is_in_memory_db():
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in the stubs
            return
        with self.wrap_database_errors:
            self._turn = self._take_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # not in the stubs
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # not in the stubs
        self._end_turn()

    def _rollback(self) -> None:
        super()._rollback()  # type: ignore[misc]  # not in the stubs
        self._end_turn()

    def _close(self) -> None:
        if self._log is not None:
            # If this connection is the last one, SQLite removes the log now.
            self._log.look()
        try:
            super()._close()  # type: ignore[misc]  # not in the stubs
        finally:
            self._end_turn()

    def _take_turn(self) -> Turn:
        if self._log is not None:
            self._log.check()
        try:
            return queue_of(str(Path(self.settings_dict["NAME"]).absolute())).take(sqlite_seconds())
        except TimeoutError:
            # Use SQLite's own wording: `outages` matches on it.
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_BUSY, "SQLITE_BUSY"
            raise error from None

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.end()
