"""Uploaded files, on disk. Each has an id of its own, by which a submission's row knows it:

    <id>.original      as it came, until it is checked (and on, packed, where the board keeps originals)
    <id>.original.zst  the same, packed
    <id>.kept          what scoring needs of it, as scoring.kept writes it

A file is whole and on the disk before a row names it; a file that no row names is removed by the sweep.
"""

import hashlib
import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import zstandard
from django.conf import settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A file that has come whole. sha256: of its bytes as they came, in hexadecimal digits."""

    id: uuid.UUID
    sha256: str
    size: int


class Arrival:
    """A file on its way in: written as it arrives, hashed on the way."""

    def __init__(self) -> None:
        self.id = uuid.uuid4()
        self.size = 0
        self._digest = hashlib.sha256()
        _folder().mkdir(parents=True, exist_ok=True)
        self._file = open(_original(self.id), "xb")  # noqa: SIM115 - closed by finish or discard

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self._digest.update(chunk)
        self.size += len(chunk)

    def finish(self) -> Arrived:
        """Return the file, which is on the disk from here on."""
        _settle(self._file)
        return Arrived(id=self.id, sha256=self._digest.hexdigest(), size=self.size)

    def discard(self) -> None:
        self._file.close()
        remove(self.id)


def arrive(chunks: Iterable[bytes]) -> Arrived:
    """Take in a file whose parts are `chunks`."""
    arrival = Arrival()
    try:
        for chunk in chunks:
            arrival.write(chunk)
        return arrival.finish()
    except BaseException:
        arrival.discard()
        raise


@contextmanager
def original(file_id: uuid.UUID) -> Iterator[BinaryIO]:
    """Open a file as it came. Raises FileNotFoundError where only what scoring needs is left."""
    plain, packed = _original(file_id), _packed(file_id)
    if packed.exists():
        with open(packed, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
            yield reader
    else:
        with open(plain, "rb") as file:
            yield file


def write_kept(file_id: uuid.UUID, write: Callable[[BinaryIO], object]) -> None:
    """Have `write` write what scoring needs; it is there whole or not at all."""
    _replace(_kept(file_id), write)


@contextmanager
def kept(file_id: uuid.UUID) -> Iterator[BinaryIO]:
    """Open what scoring needs of a file. Raises FileNotFoundError."""
    with open(_kept(file_id), "rb") as file:
        yield file


def has_kept(file_id: uuid.UUID) -> bool:
    return _kept(file_id).exists()


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


def older_than(moment: datetime) -> Iterator[Path]:
    """Yield the paths in the store that were last written before `moment`."""
    if _folder().exists():
        for path in _folder().iterdir():
            if path.stat().st_mtime < moment.timestamp():
                yield path


def id_of(path: Path) -> uuid.UUID | None:
    """Return the id of the file that `path` is part of; None for what is none of ours."""
    try:
        return uuid.UUID(path.name.partition(".")[0])
    except ValueError:
        return None


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
            _settle(file, close=False)
        os.replace(new, path)
        _settle_folder()
    finally:
        new.unlink(missing_ok=True)


def _settle(file: BinaryIO, *, close: bool = True) -> None:
    file.flush()
    os.fsync(file.fileno())
    if close:
        file.close()
        _settle_folder()


def _settle_folder() -> None:
    # The name too must survive a power cut.
    folder = os.open(_folder(), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
