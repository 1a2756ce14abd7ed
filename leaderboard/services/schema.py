"""Compare schema and code at the start: may this release work with the tables of the database?

docs/development.md has the rule for migrations.
"""

import logging
from collections.abc import Iterable

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.services.errors import ServiceError

logger = logging.getLogger(__name__)

APP = "leaderboard"

# Migrations that were squashed more than once. Old databases still list them.
_REPLACED_TWICE = frozenset(
    {
        "0001_initial",
        "0002_readable_team_names",
        "0003_installation",
        "0004_information_budget",
        "0005_sign_in_addresses",
        "0006_verdicts_by_team",
        "0007_stated_facts",
        "0008_answer_digests",
        "0009_lanes",
        "0010_leases",
        "0011_kept_bytes",
        "0012_code_level",
        "0013_limit_entries",
        "0014_shorter_digests",
        "0015_conditions",
        "0016_clusters",
        "0017_data_class",
        "0018_designation",
        "0019_statistics_method",
        "0020_runs",
        "0021_clustered_interval",
        "0022_traces",
        "0023_runs_filter",
        "0024_official_judge",
        "0025_judge_errors",
        "0026_rescoring_orders",
        "0001_first_release",
        "0002_organisers",
        "0003_rescoring_ordered",
        "0004_announcements_and_quotas",
        "0005_drafts",
        "0006_account_deletion",
        "0007_notifications",
        "0008_review_links",
        "0009_release",
        "0010_submission_log_lines",
        "0011_tokens",
        "0012_receipts_and_log",
        "0013_chain_of_events",
        "0015_trusted_publishers",
        "0016_teams",
        "0017_device_codes",
        "0018_name_erased",
        "0019_team_emails",
        "0014_record_written_once",
    }
)


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
    applied = MigrationRecorder(executor.connection).applied_migrations()
    return sorted(name for app, name in {*applied} - known_migrations(executor.loader) if app == APP)


def known_migrations(loader: MigrationLoader) -> set[tuple[str, str]]:
    """Return the keys of this release's migrations, and of the earlier ones that these replaced."""
    disk = loader.disk_migrations or {}
    replaced = {key for migration in disk.values() for key in migration.replaces}
    return {*disk, *replaced, *((APP, name) for name in _REPLACED_TWICE)}


def explain_replaced(executor: MigrationExecutor) -> str:
    """Return why the tables cannot be migrated by this release; "" if they can.

    A migration that replaces earlier ones counts as applied where all of them are. Where only some are,
    Django neither applies it nor says so.
    """
    applied = MigrationRecorder(executor.connection).applied_migrations()
    for (app, name), migration in (executor.loader.disk_migrations or {}).items():
        missing = [key for key in migration.replaces if key not in applied]
        if app == APP and missing and len(missing) < len(migration.replaces):
            return (
                f"The database lacks {missing[0][1]}, one of the migrations that {name} replaces. Apply them "
                "with the checkout that CHANGELOG.md names, then start this release again."
            )
    return ""


def _names(migrations: Iterable[Migration]) -> str:
    names = [f"{migration.app_label}.{migration.name}" for migration in migrations]
    if len(names) > 3:
        return f"{names[0]} and {len(names) - 1} more migrations are"
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
