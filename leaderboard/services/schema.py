"""Compare schema and code at the start: may this release work with the tables of the database?

docs/development.md has the rule for migrations.
"""

import logging

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.services.errors import ServiceError

logger = logging.getLogger(__name__)

APP = "leaderboard"


class OtherRelease(ServiceError):
    """The tables belong to another release, and this one cannot work with them."""

    code = "other-release"


def check() -> None:
    """Raise OtherRelease where the database has other migrations than this release, and DatabaseError."""
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    if reason := explain_replaced(executor):
        raise OtherRelease(reason)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        raise OtherRelease(
            f"The database is empty or of an earlier release: {plan[0][0]} is not applied. Check "
            "DATABASE_URL and WARDBOARD_DATA, run `manage.py migrate`, then start again."
        )
    if later := _later_migrations(executor):
        raise OtherRelease(
            f"The database is of a later release, which applied {', '.join(later)}. Start that release, or "
            "restore a backup that this one made."
        )


def check_at_start() -> None:
    """Check as `check` does, and end the process where it fails; a database that is away does not end it."""
    try:
        check()
    except OtherRelease as error:
        raise SystemExit(f"Wardboard does not start. {error.detail}") from error
    except DatabaseError as error:
        logger.warning("the tables could not be compared with this release: %s", error)


def _later_migrations(executor: MigrationExecutor) -> list[str]:
    """Return the names of the migrations that the database has and this release does not know."""
    later = {*MigrationRecorder(executor.connection).applied_migrations()}
    later -= {*(executor.loader.disk_migrations or ())}
    return sorted(name for app, name in later if app == APP)


def explain_replaced(executor: MigrationExecutor) -> str:
    """Return why this release cannot migrate the tables, which others made; "" if it can."""
    first = min(key for key in executor.loader.disk_migrations or () if key[0] == APP)
    is_ours = first in MigrationRecorder(executor.connection).applied_migrations()
    if is_ours or not _later_migrations(executor):
        return ""
    return (
        "The database is of a checkout from before the first release, and this release cannot read its "
        "tables. Nothing was changed. Go on with that checkout, or move the folder of the service away "
        "(WARDBOARD_DATA, by default var/), or let DATABASE_URL name an empty database, and start again."
    )
