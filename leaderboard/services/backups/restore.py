"""Restore a backup into an empty database and folder, and prove that all of it is there."""

from pathlib import Path

from django.db import connection

from leaderboard.services.backups.digests import differences, digest_tables
from leaderboard.services.backups.dump import CopyError, load_database, require_no_tables
from leaderboard.services.backups.manifest import (
    Manifest,
    copy_file,
    digest_file,
    digest_of_key,
    read_manifest,
    require_migrations_of_this_release,
)
from leaderboard.services.files import installation, store


def restore(folder: Path) -> Manifest:
    """Restore the backup in `folder`, and verify the result. Raises CopyError.

    Whatever can be wrong with the backup is looked at before anything is written.
    """
    manifest = read_manifest(folder)
    if manifest.vendor != connection.vendor:
        raise CopyError(f"The backup is of {manifest.vendor}, and DATABASE_URL names {connection.vendor}.")
    require_migrations_of_this_release(manifest.migrations, "The backup")
    # On a new machine not even the folder of an SQLite database is there.
    store.folder().mkdir(parents=True, exist_ok=True)
    require_no_tables()
    if any(store.paths()):
        raise CopyError(f"{store.folder()} has files. Restore into an empty folder.")
    expected = {folder / manifest.dump: manifest.dump_sha256}
    expected |= {folder / "uploads" / name: sha256 for name, sha256 in manifest.files.items()}
    if damaged := _damaged(expected):
        raise CopyError(f"The backup is damaged; nothing was restored. {_list(damaged)}")
    for name in manifest.files:
        copy_file(folder / "uploads" / name, store.folder() / name)
    load_database(folder / manifest.dump)
    installation.join()
    return verify(folder)


def verify(folder: Path) -> Manifest:
    """Compare the database and the uploads with the backup in `folder`.

    Raises CopyError, which names what differs, and OtherInstallation.
    """
    manifest = read_manifest(folder)
    installation.check()
    lines = differences(manifest.tables, digest_tables())
    lines += _damaged({store.folder() / name: sha256 for name, sha256 in manifest.files.items()})
    stored = {store.file_id_of(path) for path in store.paths()}
    lost = {str(file_id) for file_id in installation.needed_files() - stored}
    lines += [f"{file_id}: no file, though the database needs it" for file_id in lost - {*manifest.missing}]
    if lines:
        raise CopyError(f"This is not what was backed up. {_list(lines)}")
    return manifest


def has_another_key(manifest: Manifest) -> bool:
    """Return whether the backup was made with another SECRET_KEY."""
    return manifest.key_digest != digest_of_key()


def _damaged(expected: dict[Path, str]) -> list[str]:
    lines = []
    for path, sha256 in expected.items():
        if not path.is_file():
            lines.append(f"{path}: no file")
        elif (digest := digest_file(path)) != sha256:
            lines.append(f"{path}: its SHA-256 digest is {digest}, not {sha256}")
    return lines


def _list(lines: list[str]) -> str:
    more = f"; and {len(lines) - 20} more" if len(lines) > 20 else ""
    return "; ".join(lines[:20]) + more
