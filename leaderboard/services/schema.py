"""Compare schema and code at the start: may this release work with the tables of the database?

docs/development.md has the rule for migrations.
"""

import logging
from collections.abc import Iterable

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor

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
    if reason := explain_unknown(executor):
        raise OtherRelease(reason)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan and not executor.loader.applied_migrations:
        raise OtherRelease(
            "The database is empty. Check DATABASE_URL and WARDBOARD_DATA; for a new installation run "
            "`manage.py migrate`, then start again."
        )
    if plan:
        raise OtherRelease(
            "The database is of an earlier release: it lacks "
            f"{_list(f'{migration.app_label}.{migration.name}' for migration, _ in plan)}. "
            "Run `manage.py migrate`, then start again."
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


def explain_unknown(executor: MigrationExecutor) -> str:
    """Return why this release can neither use nor migrate the tables; "" if it can."""
    known = executor.loader.disk_migrations or {}
    applied = executor.loader.applied_migrations or {}
    unknown = sorted(name for app, name in {*applied} - {*known} if app == APP)
    if not unknown:
        return ""
    return (
        f"The database is of another release, which applied {_list(unknown)}. Start that release, "
        "or restore a backup that this one made, or begin with an empty database: DATABASE_URL and "
        "WARDBOARD_DATA name it."
    )


def _list(names: Iterable[str]) -> str:
    first, *more = names
    return f"{first} and {len(more)} more" if len(more) > 2 else ", ".join([first, *more])
