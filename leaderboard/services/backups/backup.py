"""Back up the database and the uploads into one folder, while the service goes on."""

import hashlib
import json
import logging
import os
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.crypto import salted_hmac

from leaderboard.services.backups.database import CopyError, applied_migrations, dump_database
from leaderboard.services.files import installation, store
from leaderboard.services.files.storage import storage

logger = logging.getLogger(__name__)

_NAME = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Describe a backup. It is written last: a backup without it is not complete.

    made_at: the time in UTC. vendor: sqlite or postgresql
    migrations: those that the database has, as app.name
    key_digest: of SECRET_KEY, which the backup does not hold
    dump, dump_sha256: the name of the dump of the database, and its digest
    missing: ids of files that the database needs and the storage did not have
    """

    made_at: str
    vendor: str
    migrations: list[str]
    key_digest: str
    dump: str
    dump_sha256: str
    files: Mapping[str, str]
    missing: Sequence[str]


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a backup. Raises CopyError."""
    try:
        return Manifest(**json.loads((folder / _NAME).read_text()))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CopyError(f"{folder} is not a complete backup: it has no {_NAME}.") from error
    except OSError as error:
        raise CopyError(f"The backup cannot be read: {error}") from error
    except (ValueError, TypeError) as error:
        raise CopyError(
            f"{folder / _NAME} is damaged, or of another release: {error}. Restore another backup."
        ) from error


def back_up(folder: Path) -> Manifest:
    """Write a backup into `folder`, which must be new or empty. Raises CopyError, OtherInstallation."""
    installation.check()
    try:
        if folder.exists() and any(folder.iterdir()):
            raise CopyError(
                f"{folder} is not empty. Name a new folder. "
                f"One without {_NAME} has a backup that was interrupted, or that still runs."
            )
        # The backup holds the hidden references: only its owner may read it.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "uploads").mkdir()
    except OSError as error:
        raise CopyError(f"No backup can be written there: {error}") from error
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


def digest_of_key() -> str:
    """Return a digest by which two SECRET_KEYs can be compared; it reveals nothing else."""
    return salted_hmac("leaderboard.backup", "", algorithm="sha256").hexdigest()[:16]


def digest_of(file: BinaryIO) -> str:
    """Return the SHA-256 digest of what is left to read of a file."""
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # any that reads into a buffer


def _mark() -> Path:
    return settings.DATA / "last-backup"


def _fill(folder: Path) -> Manifest:
    """Write the backup. The database comes first: no row of it names a file that arrived in between."""
    needed = installation.needed_files()
    dump = dump_database(folder)
    target = folder / "uploads"
    files: dict[str, str] = {}
    # Twice: what is checked or compressed meanwhile gets another name, which the first list may not have.
    for _ in range(2):
        for name in sorted(entry.name for entry in store.entries()):
            if name in files or name.endswith(".new"):
                continue
            with suppress(FileNotFoundError), storage().open(name) as source:
                with open(target / name, "xb") as copy:
                    shutil.copyfileobj(source, copy)
                files[name] = _synced_digest(target / name)
    manifest = Manifest(
        made_at=timezone.now().isoformat(timespec="seconds"),
        vendor=connection.vendor,
        migrations=applied_migrations(),
        key_digest=digest_of_key(),
        dump=dump.name,
        dump_sha256=_synced_digest(dump),
        files=files,
        missing=sorted(map(str, needed - {store.file_id_of(name) for name in files})),
    )
    new = folder / f"{_NAME}.new"
    new.write_text(json.dumps(asdict(manifest), indent=1))
    _synced_digest(new)
    new.replace(folder / _NAME)
    return manifest


def _synced_digest(path: Path) -> str:
    """Have a file survive a power cut; return its SHA-256 digest."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
        return digest_of(file)
