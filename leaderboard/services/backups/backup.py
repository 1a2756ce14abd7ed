"""Back up the database and the uploads into one folder, while the service goes on."""

import logging
import sqlite3
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from leaderboard.services.backups.digests import digest_tables
from leaderboard.services.backups.dump import CopyError, dump_database
from leaderboard.services.backups.manifest import (
    Manifest,
    applied_migrations,
    copy_and_digest,
    digest_file,
    digest_of_key,
    settle,
)
from leaderboard.services.files import installation, store
from leaderboard.services.files.storage import storage

logger = logging.getLogger(__name__)


def back_up(folder: Path) -> Manifest:
    """Write a backup into `folder`, which must be new or empty. Raises CopyError, OtherInstallation."""
    installation.check()
    _make_folder(folder)
    try:
        manifest = _fill(folder)
    except (OSError, sqlite3.Error) as error:
        raise CopyError(
            f"The backup stopped: {error}. {folder} is not complete. Delete it before you try again."
        ) from error
    try:
        _mark().touch()
    except OSError as error:
        logger.warning("the backup is complete, but metrics will not know of it: %s", error)
    return manifest


def last_backup() -> float | None:
    """Return when a backup last came to its end, as a timestamp; None before the first."""
    try:
        return _mark().stat().st_mtime
    except OSError:
        return None


def _mark() -> Path:
    return settings.DATA / "last-backup"


def _make_folder(folder: Path) -> None:
    try:
        if folder.exists() and any(folder.iterdir()):
            raise CopyError(
                f"{folder} is not empty. Name a new folder. "
                "One without manifest.json has a backup that was interrupted, or that still runs."
            )
        # The backup holds the hidden references: only its owner may read it.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "uploads").mkdir()
    except OSError as error:
        raise CopyError(f"No backup can be written there: {error}") from error


def _fill(folder: Path) -> Manifest:
    """Write the backup. The database comes first: no row of it names a file that arrived in between."""
    with dump_database(folder) as (dump, alias):
        with open(dump, "rb+") as file:
            settle(file)
        tables = digest_tables(alias)
        migrations = applied_migrations(alias)
        needed = installation.needed_files(alias)
    files = _copy_uploads(folder / "uploads")
    copied = {store.file_id_of(name) for name in files}
    manifest = Manifest(
        made_at=timezone.now().isoformat(timespec="seconds"),
        vendor=connection.vendor,
        migrations=migrations,
        key_digest=digest_of_key(),
        dump=dump.name,
        dump_sha256=digest_file(dump),
        tables=tables,
        files=files,
        missing=sorted(map(str, needed - copied)),
    )
    manifest.write(folder)
    return manifest


def _copy_uploads(target: Path) -> dict[str, str]:
    """Copy the uploads; return the digest of each by its name."""
    digests: dict[str, str] = {}
    # Twice: what is checked or compressed meanwhile gets another name, which the first list may not have.
    for _ in range(2):
        for name in sorted(entry.name for entry in store.entries()):
            if name in digests or name.endswith(".new"):
                continue
            with (
                suppress(FileNotFoundError),
                storage().open(name) as source,
                open(target / name, "xb") as copy,
            ):
                digests[name] = copy_and_digest(source, copy)
                settle(copy)
    return digests
