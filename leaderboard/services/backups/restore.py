"""Restore a backup into an empty database and folder, and prove that all of it is there."""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import connection

from leaderboard.services.backups.backup import Manifest, digest_of, digest_of_key, read_manifest
from leaderboard.services.backups.database import (
    CopyError,
    load_database,
    require_no_tables,
    require_this_release,
)
from leaderboard.services.errors import NoRoom, ServiceError
from leaderboard.services.files import installation, store
from leaderboard.services.files.folder import Folder
from leaderboard.services.files.storage import Storage, storage


def restore(folder: Path) -> Manifest:
    """Restore the backup in `folder`, and verify the result. Raises CopyError.

    Whatever can be wrong with the backup is looked at before anything is written.
    """
    manifest = read_manifest(folder)
    if manifest.vendor != connection.vendor:
        raise CopyError(f"The backup is of {manifest.vendor}, and DATABASE_URL names {connection.vendor}.")
    require_this_release(manifest.migrations, "The backup")
    with _hidden_from_others():
        # On a new machine not even the folder of an SQLite database is there.
        _make_folder(Path(settings.UPLOADS))
        require_no_tables()
        if any(store.entries()):
            raise CopyError(
                f"{storage().label} has files. Restore into an empty storage. "
                "If a restore was interrupted, empty it and the database first."
            )
        _require_undamaged(folder, manifest)
        with _explaining_what_is_left():
            _load(folder, manifest)
    return verify(folder)


@contextmanager
def _hidden_from_others() -> Iterator[None]:
    """Make files that other users of the machine cannot read: they hold the hidden references."""
    before = os.umask(0o077)
    os.umask(before | 0o007)
    try:
        yield
    finally:
        os.umask(before)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CopyError(f"Nothing can be restored there: {error}. WARDBOARD_DATA names it.") from error


def _require_undamaged(folder: Path, manifest: Manifest) -> None:
    """Raise CopyError where the backup has other bytes than the manifest says."""
    backup = Folder(folder / "uploads")
    damaged = _damaged(Folder(folder), {manifest.dump: manifest.dump_sha256})
    if damaged := damaged + _damaged(backup, manifest.files):
        raise CopyError(f"The backup is damaged; nothing was restored. {_list(damaged)}")


@contextmanager
def _explaining_what_is_left() -> Iterator[None]:
    """Raise CopyError that says what to do after a restore that stopped half-way."""
    try:
        yield
    except (OSError, sqlite3.Error, ServiceError) as error:
        reason = "no space left" if isinstance(error, NoRoom) else str(error).rstrip(".")
        raise CopyError(
            f"The restore stopped half-way: {reason}. "
            f"Before you try again, empty {storage().label} and the database."
        ) from error


def _load(folder: Path, manifest: Manifest) -> None:
    """Copy the files, then the database: without its rows nothing is served."""
    backup = Folder(folder / "uploads")
    for name in manifest.files:
        with backup.open(name) as source:
            storage().replace(name, partial(shutil.copyfileobj, source))
    load_database(folder / manifest.dump)
    installation.adopt_uploads()


def verify(folder: Path) -> Manifest:
    """Compare the uploads with the backup in `folder`, and with the rows of the database that name them.

    Raises CopyError, which names what differs, and OtherInstallation.
    """
    manifest = read_manifest(folder)
    installation.check()
    lines = _damaged(storage(), manifest.files)
    stored = {store.file_id_of(entry.name) for entry in store.entries()}
    lost = {str(file_id) for file_id in installation.needed_files() - stored}
    lines += [f"{file_id}: no file, though the database needs it" for file_id in lost - {*manifest.missing}]
    if lines:
        raise CopyError(f"This is not what was backed up. {_list(lines)}")
    return manifest


def has_another_key(manifest: Manifest) -> bool:
    """Return whether the backup was made with another SECRET_KEY."""
    return manifest.key_digest != digest_of_key()


def _damaged(kept: Storage, expected: Mapping[str, str]) -> list[str]:
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
    more = f"; and {len(lines) - 20} more" if len(lines) > 20 else ""
    return "; ".join(lines[:20]) + more
