"""Take the files of several runs out of one zip or tar archive.

Nothing is written under a name of the archive, and no more is unpacked than `limits.body_bytes` in all, as
for files that are sent by themselves.
"""

import gzip
import os
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Protocol, TypeVar, cast

from wardboard.scoring.reading.codes import RunsCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.limits import KIB, MIB, Limits, size
from wardboard.scoring.reading.lookalikes import is_office_document
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import quote

_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_LOCAL_HEADER, _FIRST_OF_LOG = 30, b"_journal/start.json"  # bytes before the name of a member; a name
_HEAD = 4096
_PIECE = 64 * KIB
# What files together may unpack to, however small the archive is.
_SMALL = 16 * MIB
# What an archive may list; the folder of a job of Harbor has a dozen files for each attempt at a task.
MOST_ENTRIES = 20_000
# The directory of a zip, or a long name in a tar, is read at once; that of 20,000 files takes 3 MiB.
_LARGEST_READ = 4 * MIB
_LONGEST_NAME = KIB  # characters; systems take names of 255 and paths of four times as many
_LONGEST_END = MIB  # zero bytes after the last file of a tar; programs write 10 KiB
# What systems put into folders, besides names that begin with a dot.
_OF_SYSTEMS = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints", "__pycache__"})
# The endings of results, in lower case; harnesses and people put all else beside them.
_OF_RESULTS = frozenset(
    {"", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".eval", ".gz", ".zst", ".zip", ".tar", ".tgz"}
    | {".parquet", ".feather", ".arrow", ".xlsx"}
)
# The log of the official harness's runs, and what it writes beside it: the attempts that failed, and the
# outputs once more; and what agents add to it. Source: AgentBench, whose client is that of MedAgentBench.
_RUNS, _BESIDE_RUNS = "runs.jsonl", frozenset({"error.jsonl", "overall.json", "traces", "logs"})
# What the libraries raise for bytes that are no archive, or a broken one.
DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RecursionError,
    LookupError,
)


def is_archive(source: BinaryIO) -> bool:
    """Return whether a seekable file is a zip or a tar, which gzip may pack.

    An office document is none here, although its bytes are those of a zip, nor is a log of inspect_ai.
    """
    head = _peek(source)
    if head.startswith(_ZIP):
        return not (is_office_document(head) or is_eval_log(source))
    return _is_tar(head)


def is_zip(source: BinaryIO) -> bool:
    """Return whether a seekable file begins like a zip."""
    return _peek(source).startswith(_ZIP)


def _is_tar(head: bytes) -> bool:
    """Return whether a file with this beginning is a tar, which gzip may pack."""
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        except zlib.error:
            return False
    return head[257:262] == b"ustar"


def is_eval_log(source: BinaryIO) -> bool:
    """Return whether a seekable file is a log of inspect_ai in its own format; leave it at its start.

    Source: inspect_ai, whose `.eval` files are zip archives with these members.
    """
    names = names_of_zip(source)
    if not names:
        # Without its end, such a zip lists nothing, and still begins with the first member of a log.
        return _peek(source)[_LOCAL_HEADER:].startswith(_FIRST_OF_LOG)
    has_samples = any(name.startswith("samples/") for name in names)
    return _FIRST_OF_LOG.decode() in names or ("header.json" in names and has_samples)


def names_of_zip(source: BinaryIO) -> list[str]:
    """Return the names that a seekable zip file lists, [] for any other file; leave it at its start."""
    try:
        if not _peek(source).startswith(_ZIP):
            return []
        with open_zip(source) as archive:
            return archive.namelist()
    except (TooMuch, *DAMAGE):
        # The code that reads it next reports what is wrong with it.
        return []
    finally:
        source.seek(0)


def _peek(source: BinaryIO) -> bytes:
    source.seek(0)
    head = source.read(_HEAD)
    source.seek(0)
    return head


class TooMuch(Exception):
    """More is unpacked, or asked for at once, than an archive of results needs."""


class GuardedFile:
    """A file that gives no more than `most` bytes, in reads of a few MiB at most."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file, self._most = file, most

    def read(self, number: int = -1) -> bytes:
        content = self._file.read(number if 0 <= number <= _LARGEST_READ else _LARGEST_READ + 1)
        if len(content) > _LARGEST_READ or self._file.tell() > self._most:
            raise TooMuch
        return content

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_SET and place > self._most:
            raise TooMuch
        if whence == os.SEEK_SET and place < 0:
            # A zip from which bytes were lost; a file on the disk would raise an OSError of its own.
            raise zipfile.BadZipFile("the archive leads to a place before its beginning")
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveEntry:
    """What an archive lists. open: returns what reads its bytes; crc: of these, to be checked."""

    name: str
    open: Callable[[], Any]
    is_folder: bool = False
    is_file: bool = True
    is_encrypted: bool = False
    is_known_method: bool = True
    crc: int | None = None


class Writable(Protocol):
    def write(self, data: bytes, /) -> Any: ...


W = TypeVar("W", bound=Writable)


def unpack(
    source: BinaryIO,
    limits: Limits,
    new_file: Callable[[], W],
    *,
    most: int = MOST_ENTRIES,
    chosen: Collection[str] | None = None,
) -> tuple[dict[str, W], list[str]]:
    """Return the files of a seekable archive, by their names in its order, and the names of what is left out.

    Left out are folders, what systems add on their own (names that begin with a dot, `__MACOSX`), and what is
    no result, which alone is named.

    limits: of one upload, which hold for the files together
    new_file: gives an empty file; files beyond `most` are checked, and not written
    chosen: names of the files to take; None for all but those that `not_results` names
    Raises SubmissionInvalid with every problem of the archive: then none of the files can be used.
    """
    findings = Findings.under(limits)
    left = _most(source, limits)
    files, entries, left_out = dict[str, W](), list[ArchiveEntry](), list[str]()
    try:
        with ExitStack() as stack:
            entries = archive_entries(source, findings, stack)
            left_out = not_results([entry.name for entry in entries])
            for entry, problems in checked(entries, chosen):
                for message in problems:
                    findings.problem(RunsCode.MEMBER, (), message)
                if not problems:
                    left = _unpack_file(entry, files, new_file if len(files) < most else None, findings, left)
    except TooMuch:
        message = phrase(
            "the archive lists more than {most:,} files and folders, or they are larger than {limit}",
            most=MOST_ENTRIES,
            limit=size(limits.body_bytes),
        )
        findings.end(RunsCode.ARCHIVE_TOO_LARGE, message)
    except DAMAGE:
        findings.end(RunsCode.DAMAGED, phrase("the archive is damaged, or ends too early"))
    if not entries:
        findings.problem(RunsCode.DAMAGED, (), phrase("the archive holds no files"))
    findings.raise_if_invalid()
    return files, left_out


def _most(source: BinaryIO, limits: Limits) -> int:
    """Return how many bytes the files of an archive may have together, for its own size."""
    return min(limits.body_bytes, max(_SMALL, limits.ratio * source.seek(0, os.SEEK_END)))


def _unpack_file(
    entry: ArchiveEntry, files: dict[str, W], new_file: Callable[[], W] | None, findings: Findings, left: int
) -> int:
    """Add a file of an archive to `files`, and return how many bytes further ones may have.

    One that is an archive is a problem. new_file: None to read it alone. Raises TooMuch, and one of DAMAGE.
    """
    with entry.open() as file:
        chunk = file.read(_PIECE)
        if chunk.startswith(_ZIP) or _is_tar(chunk):
            message = phrase("“{name}” is itself an archive", name=quote(entry.name))
            findings.problem(RunsCode.NESTED, (), message)
            return left
        target = new_file() if new_file else None
        while chunk:
            findings.check_time()
            left -= len(chunk)
            if left < 0:
                raise TooMuch
            if target:
                target.write(chunk)
            chunk = file.read(_PIECE)
    if target:
        files[entry.name] = target
    return left


def first_bytes(file: BinaryIO, most: int) -> bytes:
    """Return the first bytes of a file, so many at most: a file reserves at once what it is asked to read."""
    content = bytearray()
    while chunk := file.read(min(_PIECE, most - len(content))):
        content += chunk
    return bytes(content)


def archive_entries(source: BinaryIO, findings: Findings, stack: ExitStack) -> list[ArchiveEntry]:
    """Return what an archive lists, apart from folders and what systems add, while `stack` is open.

    Raises TooMuch, and one of DAMAGE.
    """
    entries, listed = [], _zip_entries if is_zip(source) else _tar_entries
    for number, entry in enumerate(listed(source, findings, stack)):
        findings.check_time()
        if number == MOST_ENTRIES:
            raise TooMuch
        if len(entry.name) > _LONGEST_NAME:
            raise zipfile.BadZipFile("a name is longer than any system takes")
        if not (entry.is_folder or _is_ignored(entry.name)):
            entries.append(entry)
    return entries


def open_zip(source: BinaryIO) -> zipfile.ZipFile:
    """Open a seekable zip file. Raises TooMuch, and one of DAMAGE."""
    # Guard it, since the directory is read whole: 32 MiB of it would become 300 MiB of objects.
    return zipfile.ZipFile(GuardedFile(source, source.seek(0, os.SEEK_END)))


def zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ArchiveEntry:
    mode = info.external_attr >> 16
    # Some programs of Windows write its own separators.
    name = info.filename.replace("\\", "/")
    return ArchiveEntry(
        name=name,
        is_folder=name.endswith("/"),
        # Programs that write no modes leave out the type of the file.
        is_file=not stat.S_IFMT(mode) or stat.S_ISREG(mode),
        is_encrypted=bool(info.flag_bits & 0x1),
        is_known_method=info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED),
        open=partial(archive.open, info),
    )


def read_entry(entry: ArchiveEntry, most: int) -> bytes | None:
    """Return a file of an archive; None if it has more than `most` bytes. Raises TooMuch, one of DAMAGE."""
    with entry.open() as file:
        content = first_bytes(file, most + 1)
    if len(content) > most:
        return None
    if entry.crc is not None and zlib.crc32(content) != entry.crc:
        raise zipfile.BadZipFile(f"the checksum of {entry.name} is another")
    return content


def _zip_entries(source: BinaryIO, findings: Findings, stack: ExitStack) -> Iterator[ArchiveEntry]:
    archive = stack.enter_context(open_zip(source))
    infos = archive.infolist()
    if min((info.header_offset for info in infos), default=0):
        raise zipfile.BadZipFile("another archive is before it, whose files it does not list")
    yield from (zip_entry(archive, info) for info in infos)


def _tar_entries(source: BinaryIO, findings: Findings, stack: ExitStack) -> Iterator[ArchiveEntry]:
    # What tar needs beside the files: headers, padding, and the end.
    most = _most(source, findings.limits) + 2 * MIB
    if _peek(source).startswith(_GZIP):
        packed = GuardedFile(cast(BinaryIO, gzip.GzipFile(fileobj=source)), most)
        source = stack.enter_context(TemporaryFile())  # noqa: SIM115
        while piece := packed.read(_PIECE):
            findings.check_time()
            source.write(piece)
        source.seek(0)
    file: Any = GuardedFile(source, most)
    archive = stack.enter_context(tarfile.open(fileobj=file, mode="r:"))  # noqa: SIM115
    for info in archive:
        yield ArchiveEntry(
            name=info.name,
            is_folder=info.isdir(),
            # A sparse file can claim any size without holding a byte.
            is_file=info.isreg() and not info.issparse(),
            open=partial(archive.extractfile, info),
        )
    # The library takes a broken header for the end too: a tar that lost its last runs would be one of fewer.
    source.seek(archive.offset)
    end = source.read(_LONGEST_END + 1)
    if not tarfile.BLOCKSIZE <= len(end) <= _LONGEST_END or end.strip(b"\0"):
        raise tarfile.ReadError("something other than its end follows the files of the archive")


def _is_ignored(name: str) -> bool:
    parts = name.split("/")
    return (parts[-1].startswith(".") and parts[-1] != "..") or not _OF_SYSTEMS.isdisjoint(parts)


def not_results(names: Sequence[str]) -> list[str]:
    """Return those of the files in an archive that are no results, by their names; [] if none would be left.

    These are what the official harness writes beside its runs.jsonl, and files whose endings are not those of
    results.
    """
    paths = [PurePosixPath(name) for name in names]
    folders = {path.parent for path in paths if path.name == _RUNS}
    found = [
        name
        for name, path in zip(names, paths, strict=True)
        if path.suffix.lower() not in _OF_RESULTS
        or any(each.name in _BESIDE_RUNS and each.parent in folders for each in (path, path.parent))
    ]
    return found if len(found) < len(names) else []


def run_names(names: Sequence[str]) -> list[str]:
    """Return the names of files in an archive as people need them to tell the files apart.

    That is the last part of each; where two have the same, all that is not the same for all.
    The same file may be in `names` twice.
    """
    paths = [PurePosixPath(name) for name in names]
    if max(Counter(path.name for path in paths).values(), default=0) < 2:
        return [path.name for path in paths]
    folders = zip(*(path.parts[:-1] for path in paths), strict=False)
    common = sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, folders))
    return ["/".join(path.parts[common:]) for path in paths]


def checked(
    entries: Sequence[ArchiveEntry], chosen: Collection[str] | None = None
) -> Iterator[tuple[ArchiveEntry, list[Phrase]]]:
    """Yield the files of an archive that may be results, or are chosen, each with what is wrong with it."""
    names, skipped = set[str](), not_results([entry.name for entry in entries]) if chosen is None else []
    taken = {entry.name for entry in entries}.difference(skipped) if chosen is None else {*chosen}
    for entry in entries:
        if entry.name in taken:
            yield entry, list(problems_of_entry(entry, names))
            names.add(_plain(entry.name))


def problems_of_entry(entry: ArchiveEntry, names: set[str]) -> Iterator[Phrase]:
    """Yield what is wrong with `entry`. names: of the entries before it, without empty parts."""
    name = quote(entry.name)
    if _is_unsafe(entry.name):
        yield phrase("“{name}” is not a safe name of a file", name=name)
    elif _plain(entry.name) in names:
        yield phrase("“{name}” is in the archive twice", name=name)
    if not entry.is_file:
        yield phrase("“{name}” is a link or a device, not a file", name=name)
    if entry.is_encrypted:
        yield phrase("“{name}” is encrypted", name=name)
    elif not entry.is_known_method:
        yield phrase("“{name}” is compressed by a method that is not read here", name=name)


def _plain(name: str) -> str:
    """Return `name` as every tool unpacks it: "a//b" and "a/./b" are "a/b"."""
    return PurePosixPath(name).as_posix()


def _is_unsafe(name: str) -> bool:
    if not name or len(name) > 255 or name.startswith("/") or "\\" in name or name[1:2] == ":":
        return True
    # Controls, surrogates, and marks that turn the direction of a line.
    return any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in name) or ".." in name.split("/")
