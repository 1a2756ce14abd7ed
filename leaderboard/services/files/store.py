"""Store uploaded files. Each has an id, which is on the row of its submission:

    <id>.original      the uploaded bytes, until they are checked
    <id>.original.zst  the same, compressed, where the leaderboard keeps originals
    <id>.traces        what the agent did at each task, as long as the original is kept, in the
                       format of wardboard.scoring.traces.trace_file
    <id>.kept          the records that scoring needs, in the format of wardboard.scoring.reading.packed_lines

A file is complete and kept by the storage before a row names it. orphans.py looks after files that no row
names. Whatever reads or changes the storage raises StorageAway where it does not answer.
"""

import logging
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import BinaryIO

import zstandard
from django.conf import settings
from django.utils import timezone

from leaderboard.services.files.arrivals import Arrival, StoredFile, new_part, require_room
from leaderboard.services.files.disk import disk_full_as_no_room
from leaderboard.services.files.folder import FileEntry
from leaderboard.services.files.storage import storage
from wardboard.scoring.reading.limits import MIB

logger = logging.getLogger(__name__)

QUARANTINE = "quarantine"
# The names of the files of an id.
_original = "{}.original".format
_packed = "{}.original.zst".format
_traces = "{}.traces".format
_records = "{}.kept".format


class FileWriter(Arrival):
    """A file that arrives.

    expected: the announced number of bytes, 0 if unknown. Raises NoRoom, on creation and on every write,
    where the disk would be left with less than settings.UPLOAD_MIN_FREE_BYTES.
    """

    def __init__(self, *, expected: int = 0) -> None:
        file_id = uuid.uuid4()
        super().__init__(file_id, storage().arrival(_original(file_id)), settings.UPLOAD_MIN_FREE_BYTES)
        with disk_full_as_no_room():
            require_room(self.path.parent, expected, settings.UPLOAD_MIN_FREE_BYTES)

    def write(self, chunk: bytes) -> None:
        with disk_full_as_no_room():
            super().write(chunk)

    def finish(self) -> StoredFile:
        with disk_full_as_no_room():
            return super().finish()

    def discard(self) -> None:
        """Remove a file that was not synced, also one that a child process wrote. Repeatable."""
        try:
            if self._file:
                self._file.close()
        except OSError:
            # There was no room for the last bytes, which are not needed any more.
            logger.info("the end of file %s could not be written", self.id)
        self.path.unlink(missing_ok=True)


def store_file(chunks: Iterable[bytes]) -> StoredFile:
    """Store and sync a file that consists of `chunks`. Raises NoRoom, and errors of `chunks`."""
    writer = FileWriter()
    try:
        for chunk in chunks:
            writer.write(chunk)
        file = writer.finish()
        sync(file.id)
        return file
    except BaseException:
        writer.discard()
        raise


def sync(file_id: uuid.UUID) -> None:
    """Keep a complete file, so that it survives the process, a power cut and the machine. Raises NoRoom."""
    storage().sync([_original(file_id)])


def sync_checked(file_id: uuid.UUID, *, keeps_original: bool) -> None:
    """Keep the records of a valid file, as `sync` does, and what else is kept of it. Raises NoRoom.

    keeps_original: keep the traces, and the uploaded bytes, compressed; these are removed otherwise.
    """
    kept = storage()
    names = [_records(file_id)]
    with disk_full_as_no_room():
        if keeps_original:
            names += [_packed(file_id), _traces(file_id)]
            with kept.open(_original(file_id)) as source:
                kept.draft(_packed(file_id), partial(_compress, source))
    kept.sync(names)
    kept.remove([_original(file_id)])


def copy(file: StoredFile) -> StoredFile:
    """Return the uploaded bytes of a kept file as one of their own, not yet synced.

    Raises FileNotFoundError, NoRoom.
    """
    new = replace(file, id=uuid.uuid4())
    try:
        storage().arrive_again(_original(file.id), _original(new.id))
    except BaseException:
        release(new.id)
        raise
    return new


def release(file_id: uuid.UUID) -> None:
    """Remove what arrived or was made on the local disk, where the storage is elsewhere. Repeatable."""
    storage().release(_names(file_id))


@contextmanager
def open_original(file_id: uuid.UUID) -> Iterator[BinaryIO]:
    """Open the uploaded bytes, seekable. Raises NoRoom; FileNotFoundError where only records are left."""
    kept = storage()
    with ExitStack() as stack:
        try:
            # First, as a file that has just arrived is still on this machine.
            file = stack.enter_context(kept.open(_original(file_id)))
        except FileNotFoundError:
            packed = stack.enter_context(kept.open(_packed(file_id)))
            file = stack.enter_context(_unpacked(packed))
        yield file


def write_checked(
    file_id: uuid.UUID,
    write: Callable[[BinaryIO, BinaryIO | None], object],
    *,
    with_traces: bool,
    is_synced: bool = True,
) -> None:
    """Let `write` write the records that scoring needs, and the traces. Raises NoRoom.

    Neither is stored if `write` fails. A crash may leave the records alone, and never the traces alone.
    is_synced: whether they survive a power cut; otherwise `sync_checked` is still to come.
    """
    put = storage().replace if is_synced else storage().draft

    def write_both(traces: BinaryIO | None) -> None:
        put(_records(file_id), lambda records: write(records, traces))

    if with_traces:
        put(_traces(file_id), write_both)
    else:
        write_both(None)


def open_records(file_id: uuid.UUID) -> AbstractContextManager[BinaryIO]:
    """Open the records that scoring needs. Raises FileNotFoundError."""
    return storage().open(_records(file_id))


def open_traces(file_id: uuid.UUID) -> AbstractContextManager[BinaryIO]:
    """Open the traces of a file. Raises FileNotFoundError."""
    return storage().open(_traces(file_id))


def has_traces(file_id: uuid.UUID) -> bool:
    return storage().stat(_traces(file_id)) is not None


def has_records(file_id: uuid.UUID) -> bool:
    return storage().stat(_records(file_id)) is not None


def hold_same_records(first: uuid.UUID, second: uuid.UUID) -> bool:
    """Return whether two files have the same records; False where one has none stored."""
    first_entry, second_entry = (storage().stat(_records(file_id)) for file_id in (first, second))
    # Files of different sizes are not read.
    if first_entry is None or second_entry is None or first_entry.size != second_entry.size:
        return False
    with open_records(first) as one_file, open_records(second) as other_file:
        while chunk := one_file.read(MIB):
            if chunk != other_file.read(MIB):
                return False
    return True


def can_be_scored(file_id: uuid.UUID) -> bool:
    """Return whether enough of a file is left to score it."""
    return any(storage().stat(name) for name in (_records(file_id), _original(file_id), _packed(file_id)))


def kept_bytes(file_id: uuid.UUID, *, with_original: bool) -> int:
    """Return how many bytes the records of a file take, and its compressed original and traces if kept."""
    names = [_records(file_id), *([_packed(file_id), _traces(file_id)] if with_original else [])]
    return sum(entry.size for name in names if (entry := storage().stat(name)))


def pack_original(file_id: uuid.UUID) -> None:
    """Compress the uploaded bytes. Repeatable. Raises NoRoom."""
    kept = storage()
    # Another process may have done it, or be doing it.
    with suppress(FileNotFoundError), kept.open(_original(file_id)) as source:
        kept.replace(_packed(file_id), partial(_compress, source))
        kept.remove([_original(file_id)])


def drop_original(file_id: uuid.UUID) -> None:
    """Remove the uploaded bytes and the traces, and keep the records. Repeatable."""
    storage().remove([_original(file_id), _packed(file_id), _traces(file_id)])


def remove(file_id: uuid.UUID) -> None:
    """Remove everything about a file. Repeatable."""
    storage().remove(_names(file_id))


def entries(folder: str = "") -> Iterator[FileEntry]:
    """Yield the files of the store, or those in QUARANTINE; files that it did not write are skipped."""
    return (entry for entry in storage().entries(folder) if file_id_of(entry.name))


def do_when_due(name: str, interval: timedelta, job: Callable[[], object]) -> None:
    """Do a regular job unless a process of this installation has, under the same name, within a time."""
    done = done_at(name)
    # A time in the future, from before the clock was set right, would put it off for as long.
    if done is None or abs(timezone.now() - done) >= interval:
        job()
        # A folder is missing until the first upload.
        with suppress(FileNotFoundError):
            storage().replace(name, lambda file: None)


def done_at(name: str) -> datetime | None:
    """Return when `do_when_due` last did a job, by the clock of the storage; None if it never did."""
    marked = storage().stat(name)
    return marked.modified if marked else None


def file_id_of(name: str) -> uuid.UUID | None:
    """Return the id of the file that `name` belongs to; None for a name that is not the store's."""
    stem, dot, _suffix = name.rpartition("/")[2].partition(".")
    try:
        return uuid.UUID(stem) if dot else None
    except ValueError:
        return None


def goes_with_original(name: str) -> bool:
    """Return whether a file is kept no longer than the uploaded bytes: these themselves, and the traces."""
    return ".original" in name or name.endswith(".traces")


@contextmanager
def _unpacked(packed: BinaryIO) -> Iterator[BinaryIO]:
    """Open the bytes of a compressed file. It is unpacked first: readers go back and forth in it."""
    with new_part() as file:
        with disk_full_as_no_room():
            zstandard.ZstdDecompressor().copy_stream(packed, file)
            file.seek(0)
        yield file


def _compress(source: BinaryIO, target: BinaryIO) -> None:
    zstandard.ZstdCompressor(level=3).copy_stream(source, target)


def _names(file_id: uuid.UUID) -> list[str]:
    return [name(file_id) for name in (_original, _packed, _traces, _records)]
