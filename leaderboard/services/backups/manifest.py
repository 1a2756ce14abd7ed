"""What a backup has: its manifest, which is written last and without which it is not complete."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.utils.crypto import salted_hmac

from leaderboard.services.backups.digests import TableDigest
from leaderboard.services.backups.dump import CopyError
from wardboard.scoring.reading.limits import MIB

_NAME = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Describe a backup.

    made_at: the time in UTC
    vendor: sqlite or postgresql
    migrations: those that the database has, as app.name
    key_digest: of SECRET_KEY, which the backup does not hold
    files: the digest of each upload, by its name
    missing: ids of files that the database needs and the folder did not have
    """

    made_at: str
    vendor: str
    migrations: Sequence[str]
    key_digest: str
    dump: str
    dump_sha256: str
    tables: Mapping[str, TableDigest]
    files: Mapping[str, str]
    missing: Sequence[str]

    def write(self, folder: Path) -> None:
        """Write the manifest, complete or not at all."""
        new = folder / f"{_NAME}.new"
        with open(new, "w") as file:
            json.dump(asdict(self), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        new.replace(folder / _NAME)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a backup. Raises CopyError."""
    try:
        values = json.loads((folder / _NAME).read_text())
        tables = {name: TableDigest(**digest) for name, digest in values.pop("tables").items()}
        return Manifest(**values, tables=tables)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CopyError(f"{folder} is not a complete backup: it has no {_NAME}.") from error
    except OSError as error:
        raise CopyError(f"The backup cannot be read: {error}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CopyError(
            f"{folder / _NAME} is damaged, or of another release: {error}. Restore another backup."
        ) from error


def applied_migrations(using: str) -> list[str]:
    """Return the migrations that a database has, as app.name."""
    return sorted(".".join(key) for key in MigrationLoader(connections[using]).applied_migrations or ())


def require_migrations_of_this_release(migrations: Sequence[str], whose: str) -> None:
    """Raise CopyError where a database has other migrations than this release.

    Those of the engine do not count: SQLite has none of them, and its jobs are made again from our rows.
    """
    release = {".".join(key) for key in MigrationLoader(None).disk_migrations or ()}
    others = release ^ {*migrations}
    if others := {name for name in others if not name.startswith("procrastinate.")}:
        raise CopyError(
            f"{whose} is of another release: they differ in {', '.join(sorted(others))}. "
            "Use the release that it is of, and upgrade afterwards."
        )


def digest_of_key() -> str:
    """Return a digest by which two SECRET_KEYs can be compared; it reveals nothing else."""
    return salted_hmac("leaderboard.backup", "", algorithm="sha256").hexdigest()[:16]


def digest_file(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    with open(path, "rb") as file:
        return digest_open_file(file)


def digest_open_file(file: BinaryIO) -> str:
    """Return the SHA-256 digest of what is left to read of a file."""
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # any that reads into a buffer


def copy_and_digest(source: BinaryIO, target: BinaryIO) -> str:
    """Copy a file; return the SHA-256 digest of what was written."""
    digest = hashlib.sha256()
    while chunk := source.read(MIB):
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest()


def settle(file: BinaryIO) -> None:
    """Flush a file to the disk, so that it survives a power cut."""
    file.flush()
    os.fsync(file.fileno())
