"""Files that arrive on the local disk, and the parts of a file; without Django, for child processes."""

import errno
import hashlib
import shutil
import tarfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO

from wardboard.scoring.reading.limits import MIB

# The free space is checked after so many bytes of a file that is being written.
_CHECK_EVERY = 16 * MIB
_IN_MEMORY = 8 * MIB
_GZIP = b"\x1f\x8b"  # the first bytes of a compressed file


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFile:
    """The file of one of several runs: its name, its digest in hexadecimal digits, its size."""

    name: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A complete file in the store.

    sha256: of the uploaded bytes, in hexadecimal digits; of several files, of their sorted digests.
    runs: the files that it is made of, where they are several.
    left_out: names of the files that are no results in the archive that it came in.
    unpacked_in: seconds that it took to unpack that archive.
    is_compressed: whether it is compressed with gzip; of several, whether the first is.
    """

    id: uuid.UUID
    sha256: str
    size: int
    runs: tuple[RunFile, ...] = ()
    left_out: tuple[str, ...] = ()
    unpacked_in: float = 0.0
    is_compressed: bool = False

    @property
    def names(self) -> list[str]:
        """The names of its files; "" for the only one."""
        return [run.name for run in self.runs] or [""]


def require_room(folder: Path, size: int, least_free: int) -> None:
    """Raise OSError where `size` more bytes would leave fewer than `least_free`."""
    if shutil.disk_usage(folder).free - size < least_free:
        raise OSError(errno.ENOSPC, "the disk has too little room left")


class Arrival:
    """A file that is written to the local disk as it arrives, and hashed.

    path: of a file that does not exist yet; it is made with the first bytes.
    least_free: bytes that have to stay free. Raises OSError, also where they would not.
    """

    def __init__(self, file_id: uuid.UUID, path: Path, least_free: int) -> None:
        self.id, self.path, self.size = file_id, path, 0
        self._least_free = least_free
        self._digest = hashlib.sha256()
        self._head = b""
        self._file: BinaryIO | None = None

    def write(self, chunk: bytes) -> None:
        if (self.size + len(chunk)) // _CHECK_EVERY > self.size // _CHECK_EVERY:
            require_room(self.path.parent, len(chunk), self._least_free)
        self._opened().write(chunk)
        self._digest.update(chunk)
        if len(self._head) < len(_GZIP):
            self._head = (self._head + chunk)[: len(_GZIP)]
        self.size += len(chunk)

    def finish(self) -> StoredFile:
        """Close the file and return it; until it is synced a power cut may lose it. Repeatable."""
        self._opened().close()
        return StoredFile(
            id=self.id,
            sha256=self._digest.hexdigest(),
            size=self.size,
            is_compressed=self._head == _GZIP,
        )

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._file = open(self.path, "xb")  # noqa: SIM115 - `finish` closes it
        return self._file


@contextmanager
def new_part() -> Iterator[BinaryIO]:
    """Return an empty `SpooledTemporaryFile`: it is in memory while it is small."""
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as part:
        yield part  # type: ignore[misc]  # an IO[bytes], which has all of its methods


@contextmanager
def write_parts(target: BinaryIO | Arrival) -> Iterator[Callable[[BinaryIO, int], None]]:
    """Give a function that writes a file of so many bytes as the next part, for `parts` to read."""
    file: Any = target  # of a file, a tar in one piece needs `write` alone
    numbers = count(1)
    with tarfile.open(fileobj=file, mode="w|", format=tarfile.GNU_FORMAT, bufsize=MIB) as archive:

        def write(part: BinaryIO, size: int) -> None:
            info = tarfile.TarInfo(f"run-{next(numbers):02}")
            info.size = size
            archive.addfile(info, part)

        yield write


@contextmanager
def parts(source: BinaryIO, count: int) -> Iterator[Iterator[BinaryIO]]:
    """Give the parts of a file, each to be read before the next. One part is the file itself.

    Raises ValueError for a file with another number of parts.
    """
    if count == 1:
        yield iter([source])
        return
    with tarfile.open(fileobj=source, mode="r|") as archive:
        yield _members(archive, count)


def _members(archive: tarfile.TarFile, count: int) -> Iterator[BinaryIO]:
    read_count = 0
    for info in archive:
        member = archive.extractfile(info)
        assert member is not None, "this module writes files alone"
        read_count += 1
        # A copy: readers go back and forth in a file, and the archive is read once from end to end.
        with new_part() as part:
            shutil.copyfileobj(member, part, MIB)
            part.seek(0)
            yield part
    if read_count != count:
        raise ValueError(f"a stored file has {read_count} parts, not {count}")
