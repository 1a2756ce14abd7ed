"""Store uploaded files on disk. Each has an id, which is on the row of its submission:

    <id>.original      the uploaded bytes, until they are checked
    <id>.original.zst  the same, compressed, where the leaderboard keeps originals
    <id>.kept          the records that scoring needs, in the format of scoring.reading.packed_lines

A file is complete and on the disk before a row names it. orphans.py looks after files that no row names.
"""

import filecmp
import hashlib
import logging
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import zstandard
from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.monitoring import metrics
from leaderboard.services import outages
from leaderboard.services.errors import NoRoom
from scoring.reading.limits import MIB

logger = logging.getLogger(__name__)

# The free space is checked after so many bytes of a file that is being written.
_CHECK_EVERY = 16 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A complete file in the store. sha256: of the uploaded bytes, in hexadecimal digits."""

    id: uuid.UUID
    sha256: str
    size: int


class FileWriter:
    """Write a file to the store as it arrives, and hash it.

    expected: the announced number of bytes, 0 if unknown. Raises NoRoom, on creation and on every write,
    where the disk would be left with less than settings.UPLOAD_MIN_FREE_BYTES.
    """

    def __init__(self, *, expected: int = 0) -> None:
        self.id = uuid.uuid4()
        self.size = 0
        self._digest = hashlib.sha256()
        with _disk_full_as_no_room():
            folder().mkdir(parents=True, exist_ok=True)
        _require_room(expected)
        with _disk_full_as_no_room():
            self._file = open(_original(self.id), "xb")  # noqa: SIM115 - closed by finish or discard

    def write(self, chunk: bytes) -> None:
        """Append `chunk`. Raises NoRoom."""
        if (self.size + len(chunk)) // _CHECK_EVERY > self.size // _CHECK_EVERY:
            _require_room(len(chunk))
        with _disk_full_as_no_room():
            self._file.write(chunk)
        self._digest.update(chunk)
        self.size += len(chunk)

    def finish(self) -> StoredFile:
        """Close the file and return it; until it is settled a power cut may lose it. Repeatable."""
        with _disk_full_as_no_room():
            self._file.close()
        return StoredFile(id=self.id, sha256=self._digest.hexdigest(), size=self.size)

    def discard(self) -> None:
        """Remove the incomplete file. Repeatable."""
        try:
            self._file.close()
        except OSError:
            # There was no room for the last bytes, which are not needed any more.
            logger.info("the end of file %s could not be written", self.id)
        remove(self.id)


def store_file(chunks: Iterable[bytes]) -> StoredFile:
    """Store and settle a file that consists of `chunks`. Raises NoRoom, and errors of `chunks`."""
    writer = FileWriter()
    try:
        for chunk in chunks:
            writer.write(chunk)
        file = writer.finish()
        settle(file.id)
        return file
    except BaseException:
        writer.discard()
        raise


def settle(file_id: uuid.UUID) -> None:
    """Flush a complete file to the disk, so that it survives a power cut. Raises NoRoom."""
    with _disk_full_as_no_room():
        _flush(_original(file_id))
    _settle_folder()


def settle_checked(file_id: uuid.UUID, *, keeps_original: bool) -> None:
    """Flush the records of a valid file to the disk, and what else is kept of it. Raises NoRoom.

    keeps_original: keep the uploaded bytes, compressed; they are removed otherwise.
    """
    with _disk_full_as_no_room():
        _flush(_records(file_id))
        if keeps_original:
            _pack(file_id)
    _settle_folder()
    _original(file_id).unlink(missing_ok=True)


@contextmanager
def open_original(file_id: uuid.UUID) -> Iterator[BinaryIO]:
    """Open the uploaded bytes. Raises FileNotFoundError where only the records are left."""
    plain, packed = _original(file_id), _packed(file_id)
    if packed.exists():
        with open(packed, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
            yield reader
    else:
        with open(plain, "rb") as file:
            yield file


def write_records(
    file_id: uuid.UUID, write: Callable[[BinaryIO], object], *, is_settled: bool = True
) -> None:
    """Let `write` write the records that scoring needs, and store all of them or none. Raises NoRoom.

    is_settled: whether they survive a power cut; otherwise `settle_checked` is still to come.
    """
    _replace(_records(file_id), write, is_flushed=is_settled)
    if is_settled:
        _settle_folder()


@contextmanager
def open_records(file_id: uuid.UUID) -> Iterator[BinaryIO]:
    """Open the records that scoring needs. Raises FileNotFoundError."""
    with open(_records(file_id), "rb") as file:
        yield file


def has_records(file_id: uuid.UUID) -> bool:
    """Return whether the records of a file are stored."""
    return _records(file_id).exists()


def hold_same_records(first: uuid.UUID, second: uuid.UUID) -> bool:
    """Return whether two files have the same records; False where one has none stored."""
    if not (has_records(first) and has_records(second)):
        return False
    # Files of different sizes are not read.
    return filecmp.cmp(_records(first), _records(second), shallow=False)


def can_be_scored(file_id: uuid.UUID) -> bool:
    """Return whether enough of a file is left to score it."""
    return has_records(file_id) or _original(file_id).exists() or _packed(file_id).exists()


def kept_bytes(file_id: uuid.UUID, *, with_original: bool) -> int:
    """Return how many bytes the records of a file take, and its compressed original if that is kept."""
    paths = [_records(file_id), *([_packed(file_id)] if with_original else [])]
    return sum(path.stat().st_size for path in paths if path.exists())


def pack_original(file_id: uuid.UUID) -> None:
    """Compress the uploaded bytes. Repeatable. Raises NoRoom."""
    plain = _original(file_id)
    # Another process may have done it, or be doing it.
    with suppress(FileNotFoundError):
        _pack(file_id)
        _settle_folder()
        plain.unlink()


def drop_original(file_id: uuid.UUID) -> None:
    """Remove the uploaded bytes, and keep the records. Repeatable."""
    _original(file_id).unlink(missing_ok=True)
    _packed(file_id).unlink(missing_ok=True)


def remove(file_id: uuid.UUID) -> None:
    """Remove everything about a file. Repeatable."""
    drop_original(file_id)
    _records(file_id).unlink(missing_ok=True)


def paths(within: Path | None = None) -> Iterator[Path]:
    """Yield the files of the store, or those in its folder `within`. Other files are none of its business."""
    try:
        yield from (path for path in (within or folder()).iterdir() if file_id_of(path))
    except FileNotFoundError:
        return


def paths_older_than(cutoff: datetime) -> Iterator[Path]:
    """Yield the files of the store that were last written before `cutoff`."""
    for path in paths():
        # A file may be removed between the listing of the folder and the look at the file.
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < cutoff.timestamp():
                yield path


def file_id_of(path: Path) -> uuid.UUID | None:
    """Return the id of the file that `path` belongs to; None for a path that is not the store's."""
    name, dot, _suffix = path.name.partition(".")
    try:
        return uuid.UUID(name) if dot else None
    except ValueError:
        return None


def is_original(path: Path) -> bool:
    """Return whether `path` holds the uploaded bytes, and not the records."""
    return ".original" in path.name


def folder() -> Path:
    """Return the folder of the store."""
    return Path(settings.UPLOADS)


def quarantine() -> Path:
    """Return the folder of files that no row names, from which they are removed a month later."""
    return folder() / "quarantine"


def _original(file_id: uuid.UUID) -> Path:
    return folder() / f"{file_id}.original"


def _packed(file_id: uuid.UUID) -> Path:
    return folder() / f"{file_id}.original.zst"


def _records(file_id: uuid.UUID) -> Path:
    return folder() / f"{file_id}.kept"


def _pack(file_id: uuid.UUID) -> None:
    """Write the compressed bytes, and flush them; the folder is not flushed."""
    with open(_original(file_id), "rb") as source:
        _replace(
            _packed(file_id), lambda target: zstandard.ZstdCompressor(level=3).copy_stream(source, target)
        )


def _replace(path: Path, write: Callable[[BinaryIO], object], *, is_flushed: bool = True) -> None:
    """Write a file, and give it its name when it is complete; the folder is not flushed."""
    # Each writer has a name of its own: two may write the same file at once, and either result is valid.
    new = path.with_name(f"{path.name}.{uuid.uuid4().hex}.new")
    try:
        with _disk_full_as_no_room():
            with open(new, "xb") as file:
                write(file)
                if is_flushed:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def _disk_full_as_no_room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not outages.is_disk_full(error):
            raise
        raise _no_room() from error


def _require_room(size: int) -> None:
    """Raise NoRoom where `size` more bytes would leave too little space."""
    if shutil.disk_usage(folder()).free - size < settings.UPLOAD_MIN_FREE_BYTES:
        raise _no_room()


def _no_room() -> NoRoom:
    # Logged as an error for the organisers, who alone can make room.
    metrics.REFUSED.labels(NoRoom.code).inc()
    logger.error("an upload was refused: %s has too little room left", settings.UPLOADS)
    return NoRoom(
        _("Our disk has no room for the file just now; the organisers have been told. It costs no quota.")
    )


def _flush(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _settle_folder() -> None:
    # The file's name must survive a power cut too.
    with _disk_full_as_no_room():
        descriptor = os.open(folder(), os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
