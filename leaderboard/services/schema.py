"""Compare schema and code at the start: may this release work with the tables of the database?

docs/development.md has the rule for migrations.
"""

import logging
from collections.abc import Iterable

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.services.errors import ServiceError

logger = logging.getLogger(__name__)

APP = "leaderboard"


class OtherRelease(ServiceError):
    """The tables belong to another release, and this one cannot work with them."""

    code = "other-release"


def check() -> None:
    """Compare the migrations that the database has with those of this release.

    Raises OtherRelease, with what an operator can do, and DatabaseError.
    """
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    if reason := explain_replaced(executor):
        raise OtherRelease(reason)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan and not executor.loader.applied_migrations:
        raise OtherRelease(
            "The database is empty. Check DATABASE_URL and WARDBOARD_DATA; for a new installation run "
            "`manage.py migrate`, then start again."
        )
    if plan:
        raise OtherRelease(
            f"The database is of an earlier release: {_names(migration for migration, _ in plan)} "
            "not applied. Run `manage.py migrate`, then start again."
        )
    if later := later_migrations(executor):
        raise OtherRelease(
            f"The database is of a later release, which applied {', '.join(later)}. Start that release, or "
            "restore a backup that this one made."
        )


def check_at_start() -> None:
    """Check as `check` does, and end the process where it fails.

    A database that cannot be asked yet does not end it: requests say so until it answers.
    """
    try:
        check()
    except OtherRelease as error:
        raise SystemExit(f"Wardboard does not start. {error.detail}") from error
    except DatabaseError as error:
        logger.warning("the tables could not be compared with this release: %s", error)


def later_migrations(executor: MigrationExecutor) -> list[str]:
    """Return the names of the migrations that the database has and this release does not know."""
    return sorted(name for app, name in {*_applied(executor)} - {*_disk(executor)} if app == APP)


def explain_replaced(executor: MigrationExecutor) -> str:
    """Return why this release cannot migrate the tables; "" if it can.

    A checkout from before the first release made its tables by other migrations. Nothing turns them into
    ours.
    """
    ours = sorted(key for key in _disk(executor) if key[0] == APP)
    if ours[0] in _applied(executor) or not later_migrations(executor):
        return ""
    return (
        "The database is of a checkout from before the first release, and this release cannot read its "
        "tables. Nothing was changed. To keep what it holds, go on with that checkout, or export the results "
        "there. To begin anew, move the folder of the service away (WARDBOARD_DATA, by default var/), or let "
        "DATABASE_URL name an empty database, and start again."
    )


def _applied(executor: MigrationExecutor) -> set[tuple[str, str]]:
    return {*MigrationRecorder(executor.connection).applied_migrations()}


def _disk(executor: MigrationExecutor) -> set[tuple[str, str]]:
    return {*(executor.loader.disk_migrations or ())}


def _names(migrations: Iterable[Migration]) -> str:
    names = [f"{migration.app_label}.{migration.name}" for migration in migrations]
    if len(names) > 3:
        return f"{names[0]} and {len(names) - 1} more migrations are"
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
