"""Uploaded files in a folder of the local disk, or of a network file system that honours fsync."""

import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from leaderboard.services.files.disk import disk_full_as_no_room, sync_folder


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of the storage, as listings describe it. size: in bytes. modified: last written or moved."""

    name: str
    size: int
    modified: datetime


class Folder:
    """Files by name: the storage of a service on one machine, where a file arrives where it is kept.

    `Bucket` is that of several machines. There, every method raises StorageAway where it does not answer.
    label: what people call it: a path, or s3://bucket
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self.label = str(root)

    def arrival(self, name: str) -> Path:
        """Return where to write a file while it arrives; its folder exists."""
        with disk_full_as_no_room():
            self._root.mkdir(parents=True, exist_ok=True)
        return self._root / name

    def arrive_again(self, name: str, to: str) -> None:
        """Make a kept file an arrival under another name, too. Raises FileNotFoundError, NoRoom."""
        # Files are never changed, so a second name does where the file system has links.
        try:
            (self._root / to).hardlink_to(self._root / name)
        except OSError:
            with disk_full_as_no_room():
                shutil.copyfile(self._root / name, self._root / to)
        os.utime(self._root / to)  # like one that has just arrived

    def draft(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        """Let `write` write a file on this machine, which `sync` keeps, or nothing. Raises NoRoom."""
        # Each writer has a name of its own: two may write the same file at once, and either result is valid.
        new = self._root / f"{name}.{uuid.uuid4().hex}.new"
        try:
            with disk_full_as_no_room():
                with open(new, "x+b") as file:
                    write(file)
                os.replace(new, self._root / name)
        finally:
            new.unlink(missing_ok=True)

    def sync(self, names: Iterable[str]) -> None:
        """Keep complete arrivals and drafts, so that they survive a power cut. Repeatable. Raises NoRoom."""
        with disk_full_as_no_room():
            for name in names:
                with open(self._root / name, "rb") as file:
                    os.fsync(file.fileno())
        # The names of the files must survive a power cut too.
        sync_folder(self._root)

    def release(self, names: Iterable[str]) -> None:
        """Remove arrivals and drafts from this machine, where these are not the files themselves."""

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Open a file. Raises FileNotFoundError."""
        with open(self._root / name, "rb") as file:
            yield file

    def stat(self, name: str) -> FileEntry | None:
        """Describe a file; None where there is none."""
        try:
            status = (self._root / name).stat()
        except FileNotFoundError:
            return None
        return FileEntry(name, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    def replace(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        """Do what `draft` and `sync` do. Raises NoRoom."""
        self.draft(name, write)
        self.sync([name])

    def create(self, name: str, content: bytes) -> None:
        """Write a file unless there is one."""
        self._root.mkdir(parents=True, exist_ok=True)
        new = self._root / f"{name}.{uuid.uuid4().hex}"
        new.write_bytes(content)
        try:
            with suppress(FileExistsError):
                (self._root / name).hardlink_to(new)
        finally:
            new.unlink()

    def remove(self, names: Iterable[str]) -> None:
        """Remove files. Repeatable; what cannot be removed now is logged, and left for the sweep."""
        for name in names:
            (self._root / name).unlink(missing_ok=True)

    def move(self, name: str, to: str) -> None:
        """Move a file, and set its time to now; do nothing where another process has moved it."""
        target = self._root / to
        target.parent.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):
            os.utime(self._root / name)
            (self._root / name).rename(target)

    def entries(self, folder: str = "") -> Iterator[FileEntry]:
        """Yield the files of a folder, without those in folders below."""
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(self._root / folder) as found:
                names = [item.name for item in found if item.is_file()]
        except FileNotFoundError:
            return
        for name in names:
            # A file may be removed between the listing of the folder and the look at the file.
            if (entry := self.stat(f"{prefix}{name}")) is not None:
                yield entry
