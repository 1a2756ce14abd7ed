"""Keep the files of several runs as one file of the store: a tar that this module writes and reads.

So what holds of a stored file holds of several: it is complete before a row names it, counted, backed up, put
into quarantine and removed as one. What scoring needs of several files is kept in such a tar too.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from time import monotonic

from django.conf import settings

from leaderboard.services import turns
from leaderboard.services.files import child, readers, store
from leaderboard.services.files.arrivals import RunFile, StoredFile, write_parts
from leaderboard.services.files.child import Handed
from leaderboard.services.files.disk import disk_full_as_no_room
from leaderboard.services.files.store import FileWriter
from wardboard.scoring.reading.archives import is_archive
from wardboard.scoring.reading.codes import RunsCode
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid
from wardboard.scoring.runs import MOST_RUNS, too_many_runs

# More files than the runs of a log in an archive in an archive, each with one too many, which is reported.
_MOST_WRITTEN = 6 * (MOST_RUNS + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFile:
    """A file that has arrived, with the name that its sender gave it."""

    name: str
    stored: StoredFile


def gather(
    files: Sequence[NamedFile],
    *,
    limits: Limits,
    new_writer: Callable[[], FileWriter],
    has_account: bool = True,
    select: str = "",
) -> StoredFile:
    """Return the files of a submission, one or several or an archive of them, as one file of the store.

    Runs are numbered in the order of `files`, those of an archive in the order of their names. A single file
    is returned as it is.

    limits: of one upload; an archive is unpacked within their seconds, in the turn of a check, by a child.
    new_writer: makes the writers of new files, all of which the caller removes; what is returned is not yet
    synced. has_account: whether the sender is signed in. select: which files to take, of an archive or of
    several, as `open_runs` has it. Raises NoRoom, Busy, and SubmissionInvalid with every problem of the
    archive or of the runs together.
    """
    files = [replace(file, name=_clean(file.name)) for file in files]
    (first, *others) = files
    unpacked, opened, seconds = files, None, 0.0
    if not others:
        arrivals = [(writer.id, writer.path) for writer in (new_writer() for _ in range(_MOST_WRITTEN))]
        with turns.take_to_read(has_account=has_account), store.open_original(first.stored.id) as source:
            started = monotonic()
            with disk_full_as_no_room():
                opened = child.run(
                    readers.unpack,
                    seconds=limits.seconds,
                    is_strange=not has_account,
                    name=first.name,
                    source=Handed(source),
                    limits=limits,
                    arrivals=arrivals,
                    least_free=settings.UPLOAD_MIN_FREE_BYTES,
                    select=select,
                )
            seconds = monotonic() - started
    if opened:
        unpacked = [NamedFile(name=_clean(name), stored=file) for name, file in opened.files]
    problems = Remarks(keep=limits.listed)
    problems.extend(_problems_of(unpacked, are_parts=bool(others)))
    if problems:
        raise SubmissionInvalid(problems)
    if others:
        unpacked = _of_one_system(unpacked, limits, select, has_account=has_account)
    joined = unpacked[0].stored if len(unpacked) == 1 else _join(unpacked, new_writer)
    if opened and opened.is_log and not (select and opened.log is None):
        # Its sender has the log, and not the parts of it.
        joined = replace(joined, sha256=(opened.log or first.stored).sha256)
    left_out = tuple(map(_clean, opened.left_out)) if opened else ()
    return replace(joined, left_out=left_out, unpacked_in=seconds)


def declare(file: StoredFile, runs: int) -> StoredFile:
    """Return the file as one of `runs` declared runs, at least as many as it has.

    A missing run changes the digest: the same files with another number of runs are another submission, while
    the same files in another order are the same one.
    """
    missing = runs - len(file.runs or [file])
    if not missing:
        return file
    digests = [run.sha256 for run in file.runs] or [file.sha256]
    return replace(file, sha256=_digest([*digests, *["missing"] * missing]))


def _digest(digests: Sequence[str]) -> str:
    """Return the SHA-256 of the sorted digests of files, in hexadecimal digits with a line break each."""
    return hashlib.sha256("".join(f"{digest}\n" for digest in sorted(digests)).encode()).hexdigest()


def _clean(name: str) -> str:
    return "".join(c for c in name if c.isprintable())[:255]


def _is_archive(file: NamedFile) -> bool:
    with store.open_original(file.stored.id) as source:
        return is_archive(source)


def _of_one_system(
    files: Sequence[NamedFile], limits: Limits, select: str, *, has_account: bool
) -> list[NamedFile]:
    """Return those of several files that are runs of one system. Raises SubmissionInvalid, Busy."""
    with turns.take_to_read(has_account=has_account), ExitStack() as stack:
        taken = child.run(
            readers.of_one_system,
            seconds=limits.seconds,
            is_strange=not has_account,
            names=[file.name for file in files],
            sources=[Handed(stack.enter_context(store.open_original(file.stored.id))) for file in files],
            limits=limits,
            select=select,
        )
    return [files[index] for index in taken]


def _problems_of(files: Sequence[NamedFile], *, are_parts: bool) -> Iterator[Problem]:
    if len(files) > MOST_RUNS:
        yield too_many_runs([file.name for file in files])
    for number, file in enumerate(files, 1):
        if are_parts and _is_archive(file):
            message = phrase("the file is an archive beside other files")
            code = RunsCode.NESTED
            yield Problem(code=code, pointer="", message=message, hint=code.fix, run=number, file=file.name)


def _join(files: Sequence[NamedFile], new_writer: Callable[[], FileWriter]) -> StoredFile:
    writer = new_writer()
    with write_parts(writer) as write:
        for file in files:
            with store.open_original(file.stored.id) as source:
                write(source, file.stored.size)
    runs = tuple(
        RunFile(name=file.name, sha256=file.stored.sha256, size_bytes=file.stored.size) for file in files
    )
    return replace(
        writer.finish(),
        sha256=_digest([run.sha256 for run in runs]),
        runs=runs,
        is_compressed=files[0].stored.is_compressed,
    )
