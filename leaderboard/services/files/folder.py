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
    """The storage of a service on one machine. A file arrives where it is kept."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.label = str(root)

    def arrival(self, name: str) -> Path:
        with disk_full_as_no_room():
            self._root.mkdir(parents=True, exist_ok=True)
        return self._root / name

    def arrive_again(self, name: str, to: str) -> None:
        # Files are never changed, so a second name does where the file system has links.
        try:
            (self._root / to).hardlink_to(self._root / name)
        except FileNotFoundError:
            raise
        except OSError:
            with disk_full_as_no_room():
                shutil.copyfile(self._root / name, self._root / to)
        os.utime(self._root / to)  # like one that has just arrived

    def draft(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        # Each writer has a name of its own: two may write the same file at once, and either result is valid.
        new = self._root / f"{name}.{uuid.uuid4().hex}.new"
        try:
            with disk_full_as_no_room():
                with open(new, "xb") as file:
                    write(file)
                os.replace(new, self._root / name)
        finally:
            new.unlink(missing_ok=True)

    def sync(self, names: Iterable[str]) -> None:
        with disk_full_as_no_room():
            for name in names:
                with open(self._root / name, "rb") as file:
                    os.fsync(file.fileno())
        # The names of the files must survive a power cut too.
        sync_folder(self._root)

    def release(self, names: Iterable[str]) -> None:
        """Do nothing: the arrivals are the files themselves."""

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        with open(self._root / name, "rb") as file:
            yield file

    def stat(self, name: str) -> FileEntry | None:
        try:
            status = (self._root / name).stat()
        except FileNotFoundError:
            return None
        return FileEntry(name, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    def replace(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        self.draft(name, write)
        self.sync([name])

    def create(self, name: str, content: bytes) -> None:
        self._root.mkdir(parents=True, exist_ok=True)
        new = self._root / f"{name}.{uuid.uuid4().hex}"
        new.write_bytes(content)
        try:
            with suppress(FileExistsError):
                (self._root / name).hardlink_to(new)
        finally:
            new.unlink()

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            (self._root / name).unlink(missing_ok=True)

    def move(self, name: str, to: str) -> None:
        target = self._root / to
        target.parent.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):
            os.utime(self._root / name)
            (self._root / name).rename(target)

    def entries(self, folder: str = "") -> Iterator[FileEntry]:
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
