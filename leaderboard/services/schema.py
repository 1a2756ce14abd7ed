"""Compare schema and code at the start: may this release work with the tables of the database?

docs/development.md has the rule for migrations.
"""

import json
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.services.errors import ServiceError
from wardboard.version import __version__

APP = "leaderboard"
# The migrations of each release with their digests, the first release first; tools/migrations.py writes it.
RELEASES = Path(__file__).resolve().parents[1] / "migrations" / "releases.json"


class OtherRelease(ServiceError, code="other-release"):
    """The tables belong to another release, and this one cannot work with them."""


def check() -> None:
    """Raise OtherRelease where the database has other migrations than this release, and DatabaseError."""
    connection = connections[DEFAULT_DB_ALIAS]
    if reason := explain_replaced(connection):
        raise OtherRelease(reason)
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        raise OtherRelease(
            f"The database is empty or of an earlier release: {plan[0][0]} is not applied. Check "
            "DATABASE_URL and WARDBOARD_DATA, run `manage.py migrate`, then start again."
        )
    if later := sorted(_compare(connection)[1]):
        raise OtherRelease(
            f"The database is of a later release, which applied {', '.join(later)}. Start that release, or "
            "restore a backup that this one made."
        )


def explain_replaced(connection: BaseDatabaseWrapper) -> str:
    """Return why this release cannot migrate the tables, and what to do; "" if it can.

    It cannot where the database has migrations that are gone, and lacks some of this release.
    """
    applied, gone, lacking = _compare(connection)
    if not gone or not lacking:
        return ""
    releases: dict[str, dict[str, str]] = json.loads(RELEASES.read_text())
    for release, names in reversed(releases.items()):
        if applied <= names.keys():
            return (
                f"The database is of an earlier release, which {__version__} cannot upgrade in one step. "
                f"Nothing was changed. Install {release} first, run `migrate` with it, then {__version__}."
            )
    return (
        f"The database was made before {next(iter(releases))}, the first release, and no release reads its "
        "tables. Nothing was changed. Go on with what made it, or start on an empty database: move the "
        "folder of the service away (WARDBOARD_DATA, by default var/), or let DATABASE_URL name another one. "
        "docs/operators-backup.md says under Upgrades what can be taken along."
    )


def _compare(connection: BaseDatabaseWrapper) -> tuple[set[str], set[str], set[str]]:
    """Return the migrations that the database has, those of them that are gone, and those that it lacks."""
    applied = {name for app, name in MigrationRecorder(connection).applied_migrations() if app == APP}
    disk = MigrationLoader(None).disk_migrations or {}
    replaced = {name: {old for _, old in each.replaces} for (app, name), each in disk.items() if app == APP}
    # As Django counts it, a squash is applied once all that it replaces is.
    done = applied | {name for name, olds in replaced.items() if olds and olds <= applied}
    gone = applied - replaced.keys() - {old for name in replaced.keys() & done for old in replaced[name]}
    return applied, gone, replaced.keys() - done
