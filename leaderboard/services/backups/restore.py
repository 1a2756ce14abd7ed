"""Restore a backup into an empty database and folder, and prove that all of it is there."""

import shutil
import sqlite3
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from leaderboard.services.backups.backup import Manifest, digest_of, read_manifest
from leaderboard.services.backups.database import (
    CopyError,
    load_database,
    require_no_tables,
    require_this_release,
)
from leaderboard.services.backups.move import move_rows
from leaderboard.services.errors import NoRoom, ServiceError
from leaderboard.services.files import installation, store
from leaderboard.services.files.folder import Folder
from leaderboard.services.files.storage import storage


def restore(folder: Path) -> Manifest:
    """Restore the backup in `folder` once all of it is looked at, and verify it. Raises CopyError."""
    manifest = read_manifest(folder)
    if manifest.vendor != connection.vendor == "sqlite":
        raise CopyError(f"The backup is of {manifest.vendor}, and DATABASE_URL names {connection.vendor}.")
    require_this_release(manifest.migrations)
    try:
        # On a new machine not even the folder of an SQLite database is there.
        Path(settings.UPLOADS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CopyError(f"Nothing can be restored there: {error}. WARDBOARD_DATA names it.") from error
    require_no_tables()
    if any(store.entries()):
        raise CopyError(
            f"{storage().label} has files. Restore into an empty storage. "
            "If a restore was interrupted, empty it and the database first."
        )
    uploads = Folder(folder / "uploads")
    damaged = _damaged(Folder(folder), {manifest.dump: manifest.dump_sha256})
    if damaged := damaged + _damaged(uploads, manifest.files):
        raise CopyError(f"The backup is damaged; nothing was restored. {_list(damaged)}")
    try:
        # The files first: without the rows nothing is served.
        for name in manifest.files:
            with uploads.open(name) as source:
                storage().replace(name, partial(shutil.copyfileobj, source))
        load = load_database if manifest.vendor == connection.vendor else move_rows
        load(folder / manifest.dump)
        installation.adopt_uploads()
    except (OSError, sqlite3.Error, DatabaseError, ServiceError) as error:
        reason = "no space left" if isinstance(error, NoRoom) else str(error).partition("\n")[0].rstrip(".")
        raise CopyError(
            f"The restore stopped half-way: {reason}. "
            f"Before you try again, empty {storage().label} and the database."
        ) from error
    return verify(folder)


def verify(folder: Path) -> Manifest:
    """Compare the uploads with the backup and with the database. Raises CopyError, OtherInstallation."""
    manifest = read_manifest(folder)
    installation.check()
    lines = _damaged(storage(), manifest.files)
    stored = {store.file_id_of(entry.name) for entry in store.entries()}
    lost = {str(file_id) for file_id in installation.needed_files() - stored}
    lines += [f"{file_id}: no file, though the database needs it" for file_id in lost - {*manifest.missing}]
    if lines:
        raise CopyError(f"This is not what was backed up. {_list(lines)}")
    return manifest


def _damaged(kept: Folder, expected: Mapping[str, str]) -> list[str]:
    """Return a line for each file that has not the digest that is expected of its name."""
    lines = []
    for name, sha256 in expected.items():
        try:
            with kept.open(name) as file:
                digest = digest_of(file)
        except FileNotFoundError:
            lines.append(f"{kept.label}/{name}: no file")
        except OSError as error:
            lines.append(f"{kept.label}/{name}: {error.strerror}")
        else:
            if digest != sha256:
                lines.append(f"{kept.label}/{name}: its SHA-256 digest is {digest}, not {sha256}")
    return lines


def _list(lines: list[str]) -> str:
    return "; ".join(lines[:20]) + (f"; and {len(lines) - 20} more" if len(lines) > 20 else "")
