"""Django's backend for PostgreSQL, on which no request waits for ever.

PostgreSQL itself ends statements that take too long and waits for locks. What it cannot end is our wait for a
server that is silent (a stopped process, a network that swallows packets), so the client has a limit of its
own.

A server that accepts no writes, because it is not the primary any more, its disk is full or our role lacks a
right, counts as away.
"""

from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper, OperationalError
from django.utils.functional import cached_property

from leaderboard.breaker import Breaker, Resting
from leaderboard.database.patience import is_request, limits_locks, lock_timeout

if TYPE_CHECKING:
    from psycopg.abc import RV, PQGen

# Seconds to find out whether an old connection still works.
_SHORT = 1.0

# How PostgreSQL lists the sessions of requests.
OF_REQUESTS = "wardboard request"

# Of a process: after an attempt to connect has failed, requests are refused at once.
breaker = Breaker(rest=2, patience=1)


class PatientConnection(psycopg.Connection[Any]):
    """A connection on which a request waits no longer than it may."""

    is_checked = False

    def wait(self, gen: "PQGen[RV]", interval: float = 0.1, timeout: float | None = None) -> "RV":
        """Wait as psycopg does; close the connection where no answer comes in time."""
        if timeout is not None or not is_request() or not settings.DATABASE_STATEMENT_SECONDS:
            return super().wait(gen, interval, timeout)
        # A second beyond the limits of the server, which needs time to say that it ended a statement.
        limit = _SHORT if self.is_checked else settings.DATABASE_STATEMENT_SECONDS + 1
        began = monotonic()
        try:
            return super().wait(gen, interval, limit)
        except psycopg.OperationalError as error:
            if monotonic() - began < limit or self.closed:
                raise
            # The answer may still come: nothing else can be asked here. The server ends a statement itself.
            self.pgconn.finish()
            raise psycopg.OperationalError(f"the database gave no answer within {limit:g} seconds") from error


class _Errors(DatabaseErrorWrapper):
    """Raise Django's errors for those of psycopg, and OperationalError where the server lets us not write.

    A right that the role lacks is for the operators, as a disk that is full is, and no fault of a request.
    """

    def __init__(self, database: "DatabaseWrapper") -> None:
        super().__init__(database)
        self._database = database

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.InsufficientPrivilege):
            self._database.errors_occurred = True
            self._database.is_read_only |= isinstance(error, psycopg.errors.ReadOnlySqlTransaction)
            raise OperationalError(*error.args).with_traceback(trace) from error
        super().__exit__(kind, error, trace)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection to PostgreSQL, with the limits of a request where this thread serves one."""

    is_read_only = False

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        return _Errors(self)

    def get_connection_params(self) -> dict[str, Any]:
        """Return the parameters of psycopg, among them the limits that the server keeps."""
        params: dict[str, Any] = super().get_connection_params()
        if limits_locks():
            limits = {
                "lock_timeout": lock_timeout(),
                # What hangs elsewhere must not keep its locks.
                "idle_in_transaction_session_timeout": f"{6 * settings.DATABASE_STATEMENT_SECONDS}s",
            }
            if is_request():
                limits["statement_timeout"] = f"{settings.DATABASE_STATEMENT_SECONDS}s"
                params.setdefault("application_name", OF_REQUESTS)
            texts = [f"-c {name}={limit}" for name, limit in limits.items()]
            params["options"] = " ".join([params.get("options", ""), *texts]).strip()
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> PatientConnection:
        """Connect. Raises OperationalError, for a request at once where the last attempt has just failed."""
        self.is_read_only = False
        self.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        if not is_request():
            return PatientConnection.connect(**conn_params)
        try:
            with breaker.attempt():
                return PatientConnection.connect(**conn_params)
        except Resting:
            raise OperationalError("the database could not be reached a moment ago") from None

    def is_usable(self) -> bool:
        """Return whether the connection still works; that of a request has to show it soon.

        It takes this request's limit on locks, as the one before may have had another. One to a server that
        refuses to write is given up: the next may reach the primary.
        """
        if self.is_read_only:
            return False
        if self.connection is None or not limits_locks():
            return bool(super().is_usable())
        self.connection.is_checked = True
        try:
            self.connection.execute(f"SET lock_timeout = '{lock_timeout()}'")
        except psycopg.Error:
            return False
        self.connection.is_checked = False
        return True
