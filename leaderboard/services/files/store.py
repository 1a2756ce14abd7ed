"""Uploaded files, on disk. Each has an id of its own, by which a submission's row knows it:

    <id>.original      as it came, until it is checked (and on, packed, where the board keeps originals)
    <id>.original.zst  the same, packed
    <id>.kept          what scoring needs of it, as scoring.reading.packed_lines writes it

A file is whole and on the disk before a row names it; a file that no row names is removed by the sweep.
"""

import errno
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

from leaderboard.services.errors import NoRoom
from scoring.reading.limits import MIB

logger = logging.getLogger(__name__)

# How often the room that is left is looked at while a file arrives.
_LOOK_EVERY = 16 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file that has come whole. sha256: of its bytes as they came, in hexadecimal digits."""

    id: uuid.UUID
    sha256: str
    size: int


class FileWriter:
    """A file on its way in: written as it arrives, hashed on the way.

    expected: how many bytes were announced, 0 where none were. Raises NoRoom, at first and at every part
    that comes, where the disk would be left with less than settings.UPLOAD_MIN_FREE_BYTES.
    """

    def __init__(self, *, expected: int = 0) -> None:
        self.id = uuid.uuid4()
        self.size = 0
        self._digest = hashlib.sha256()
        _folder().mkdir(parents=True, exist_ok=True)
        _look_for_room(expected)
        with _full_is_no_room():
            self._file = open(_original(self.id), "xb")  # noqa: SIM115 - closed by finish or discard

    def write(self, chunk: bytes) -> None:
        if (self.size + len(chunk)) // _LOOK_EVERY > self.size // _LOOK_EVERY:
            _look_for_room(len(chunk))
        with _full_is_no_room():
            self._file.write(chunk)
        self._digest.update(chunk)
        self.size += len(chunk)

    def finish(self) -> StoredFile:
        """Return the file, whole; a power cut may still lose it until it is settled. Repeatable."""
        with _full_is_no_room():
            self._file.close()
        return StoredFile(id=self.id, sha256=self._digest.hexdigest(), size=self.size)

    def discard(self) -> None:
        """Remove what has come. Repeatable."""
        try:
            self._file.close()
        except OSError:
            # The last bytes did not find room; they are not wanted any more.
            logger.info("what had come of %s could not be written to its end", self.id)
        remove(self.id)


def store_file(chunks: Iterable[bytes]) -> StoredFile:
    """Take in a file whose parts are `chunks`; it is settled."""
    arrival = FileWriter()
    try:
        for chunk in chunks:
            arrival.write(chunk)
        arrived = arrival.finish()
        settle(arrived.id)
        return arrived
    except BaseException:
        arrival.discard()
        raise


def settle(file_id: uuid.UUID) -> None:
    """Have a file that has come on the disk, whatever happens next. Raises NoRoom."""
    with _full_is_no_room(), open(_original(file_id), "rb") as file:
        os.fsync(file.fileno())
    _settle_folder()


@contextmanager
def open_original(file_id: uuid.UUID) -> Iterator[BinaryIO]:
    """Open a file as it came. Raises FileNotFoundError where only what scoring needs is left."""
    plain, packed = _original(file_id), _packed(file_id)
    if packed.exists():
        with open(packed, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
            yield reader
    else:
        with open(plain, "rb") as file:
            yield file


def write_records(file_id: uuid.UUID, write: Callable[[BinaryIO], object]) -> None:
    """Have `write` write what scoring needs; it is there whole or not at all."""
    _replace(_kept(file_id), write)


@contextmanager
def open_records(file_id: uuid.UUID) -> Iterator[BinaryIO]:
    """Open what scoring needs of a file. Raises FileNotFoundError."""
    with open(_kept(file_id), "rb") as file:
        yield file


def has_records(file_id: uuid.UUID) -> bool:
    return _kept(file_id).exists()


def hold_same_records(one: uuid.UUID, other: uuid.UUID) -> bool:
    """Whether scoring would read the same of two files; False where nothing is kept of one."""
    if not (has_records(one) and has_records(other)):
        return False
    # Those of different size are told apart without being read.
    return filecmp.cmp(_kept(one), _kept(other), shallow=False)


def can_be_scored(file_id: uuid.UUID) -> bool:
    """Whether enough of a file is left to score it."""
    return has_records(file_id) or _original(file_id).exists() or _packed(file_id).exists()


def pack_original(file_id: uuid.UUID) -> None:
    """Make the file as it came smaller on the disk. Repeatable."""
    plain = _original(file_id)
    if not plain.exists():
        return
    with open(plain, "rb") as source:
        _replace(
            _packed(file_id), lambda target: zstandard.ZstdCompressor(level=3).copy_stream(source, target)
        )
    plain.unlink()


def drop_original(file_id: uuid.UUID) -> None:
    _original(file_id).unlink(missing_ok=True)
    _packed(file_id).unlink(missing_ok=True)


def remove(file_id: uuid.UUID) -> None:
    """Remove all there is of a file. Repeatable."""
    drop_original(file_id)
    _kept(file_id).unlink(missing_ok=True)


def paths_older_than(moment: datetime) -> Iterator[Path]:
    """Yield the paths in the store that were last written before `moment`."""
    if _folder().exists():
        for path in _folder().iterdir():
            # What is there when the folder is read may be gone when the file is looked at.
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < moment.timestamp():
                    yield path


def file_id_of(path: Path) -> uuid.UUID | None:
    """Return the id of the file that `path` is part of; None for what is none of ours."""
    try:
        return uuid.UUID(path.name.partition(".")[0])
    except ValueError:
        return None


def is_original(path: Path) -> bool:
    """Whether `path` is of a file as it came, and not of what scoring needs of it."""
    return ".original" in path.name


def _folder() -> Path:
    return Path(settings.UPLOADS)


def _original(file_id: uuid.UUID) -> Path:
    return _folder() / f"{file_id}.original"


def _packed(file_id: uuid.UUID) -> Path:
    return _folder() / f"{file_id}.original.zst"


def _kept(file_id: uuid.UUID) -> Path:
    return _folder() / f"{file_id}.kept"


def _replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    # Another name for each writer: two may make the same file at once, and either result is good.
    new = path.with_name(f"{path.name}.{uuid.uuid4().hex}.new")
    try:
        with open(new, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
        _settle_folder()
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def _full_is_no_room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise _no_room() from error


def _look_for_room(size: int) -> None:
    """Raise NoRoom where `size` more bytes would leave too little."""
    if shutil.disk_usage(_folder()).free - size < settings.UPLOAD_MIN_FREE_BYTES:
        raise _no_room()


def _no_room() -> NoRoom:
    # For the organisers: nobody else can make room.
    logger.error("an upload was refused: %s has too little room left", settings.UPLOADS)
    return NoRoom(
        _("Our disk has no room for the file just now; the organisers have been told. It costs no quota.")
    )


def _settle_folder() -> None:
    # The name too must survive a power cut.
    folder = os.open(_folder(), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
