"""Where uploaded files are kept, by their names: a folder, or a bucket of S3-compatible storage.

Names have no slash, except that those in quarantine begin with the name of a folder.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import BinaryIO, Protocol

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from leaderboard.services.files.folder import FileEntry, Folder


class Storage(Protocol):
    """Files by name. Every method raises StorageAway where the storage does not answer."""

    label: str
    """What people call it: a path, or s3://bucket."""

    def arrival(self, name: str) -> Path:
        """Return where to write a file while it arrives; its folder exists."""

    def arrive_again(self, name: str, to: str) -> None:
        """Make a kept file an arrival under another name, too. Raises FileNotFoundError, NoRoom."""

    def draft(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        """Let `write` write a file on this machine, which `sync` keeps, or nothing. Raises NoRoom."""

    def sync(self, names: Iterable[str]) -> None:
        """Keep complete arrivals and drafts, so that they survive a power cut. Repeatable. Raises NoRoom."""

    def release(self, names: Iterable[str]) -> None:
        """Remove arrivals and drafts from this machine, where these are not the files themselves."""

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open a file. Raises FileNotFoundError."""

    def stat(self, name: str) -> FileEntry | None:
        """Describe a file; None where there is none."""

    def replace(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        """Do what `draft` and `sync` do. Raises NoRoom."""

    def create(self, name: str, content: bytes) -> None:
        """Write a file unless there is one."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files. Repeatable; what cannot be removed now is logged, and left for the sweep."""

    def move(self, name: str, to: str) -> None:
        """Move a file, and set its time to now; do nothing where another process has moved it."""

    def entries(self, folder: str = "") -> Iterator[FileEntry]:
        """Yield the files of a folder, without those in folders below."""


def storage() -> Storage:
    """Return the storage that the settings name."""
    return _bucket() if settings.UPLOADS_S3 else Folder(Path(settings.UPLOADS))


@cache
def _bucket() -> Storage:
    try:
        # Import them here: only this deployment needs the libraries.
        from leaderboard.services.files.bucket import Bucket  # noqa: PLC0415
    except ImportError as error:
        raise ImproperlyConfigured(
            "UPLOADS_S3_BUCKET needs django-storages and boto3: "
            f"install requirements/requirements-s3.lock ({error})"
        ) from error
    return Bucket(Path(settings.UPLOADS), **settings.UPLOADS_S3)


# Its connections must not be shared with a process that was forked.
os.register_at_fork(after_in_child=_bucket.cache_clear)
