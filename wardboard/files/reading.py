"""Open files of results, find out which benchmark they are of, and read them."""

import hashlib
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from operator import attrgetter
from os.path import normpath
from pathlib import Path
from typing import Any, BinaryIO

from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark, Reading
from wardboard.scoring.benchmark_cli import USAGE, BenchmarkCli, Expectation, Failure
from wardboard.scoring.reading.archives import is_archive, run_names
from wardboard.scoring.reading.formats.split import OpenedRuns, open_runs, runs_of_one_system
from wardboard.scoring.reading.formats.systems import select_names
from wardboard.scoring.reading.limits import MIB, Limits, size
from wardboard.scoring.reading.problems import Remarks, SubmissionInvalid, quote
from wardboard.scoring.runs import MOST_RUNS, RunReading, read_run, read_runs, read_with_places, too_many_runs

_LARGEST_FOLDER = 2048 * MIB  # bytes of the files of a folder together


@contextmanager
def opened(name: str, select: str = "") -> Iterator[BinaryIO]:
    """Open the file called `name`, or standard input for -, seekable; a folder as a zip archive.

    select: which files of the folder to pack, as `open_runs` has it; all where it selects none.

    Raises Failure.
    """
    with ExitStack() as stack:
        try:
            if name != "-" and Path(name).is_dir():
                file: BinaryIO = stack.enter_context(tempfile.TemporaryFile())
                _pack(Path(name), file, select)
            else:
                file = _seekable(name, stack)
        except (OSError, ValueError) as error:
            # ValueError: a name with a NUL character.
            why = getattr(error, "strerror", error)
            raise Failure(USAGE, f"cannot read {quote(name)}: {why}") from None
        yield file


def _seekable(name: str, stack: ExitStack) -> BinaryIO:
    """Open a file or standard input, copied where it cannot be read twice. Raises OSError, ValueError."""
    source: BinaryIO = sys.stdin.buffer if name == "-" else stack.enter_context(open(name, "rb"))  # noqa: SIM115
    # Standard input may be a file that another process has read from.
    if name != "-" and source.seekable():
        return source
    file: BinaryIO = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
    _copy(source, file)
    return file


def _pack(folder: Path, target: BinaryIO, select: str) -> None:
    """Write the files of a folder to a zip archive, apart from hidden ones. Raises OSError, Failure."""
    paths = {
        path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()
    }
    # Hydra writes the settings of a run to a hidden folder.
    names = [name for name in paths if "/." not in f"/{name}".replace("/.hydra/", "/")]
    chosen = {name for found in select_names(names, select).values() for name in found} if select else set()
    if not names:
        raise Failure(USAGE, f"the folder {quote(str(folder))} holds no files")
    left = _LARGEST_FOLDER
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for name in names:
            if chosen and name not in chosen:
                continue
            left -= paths[name].stat().st_size
            if left < 0:
                most = size(_LARGEST_FOLDER)
                raise Failure(USAGE, f"{quote(str(folder))} holds more than {most}; name the folder of a run")
            archive.write(paths[name], name)
    target.seek(0)


@contextmanager
def all_opened(names: Sequence[str], select: str = "") -> Iterator[list[tuple[str, BinaryIO]]]:
    """Open each of `names`, as `opened` does; of several, yield with their names those of one system.

    Raises Failure, also where two are standard input, and SubmissionInvalid for files of several systems.
    """
    if list(names).count("-") > 1:
        raise Failure(USAGE, "standard input can be one of the runs only")
    with ExitStack() as stack:
        of_each = "" if len(names) > 1 else select
        files = [(normpath(name), stack.enter_context(opened(name, of_each))) for name in names]
        yield files if len(files) == 1 else runs_of_one_system(files, _largest_limits(), select)


@contextmanager
def runs_opened(
    names: Sequence[str], select: str = ""
) -> Iterator[tuple[list[str], list[BinaryIO], list[str]]]:
    """Open the files called `names`, or those in the one archive among them.

    select: which files to take, of the archive or of several, as `open_runs` has it.
    Yields their names and the files, and the names of what is left out of the archive. The files of an
    archive are in the order of their names, as the service numbers them. Raises Failure, and
    SubmissionInvalid with every problem of the archive, or for more than MOST_RUNS files.
    """
    of_archive, of_files = (select, "") if len(names) == 1 else ("", select)
    with all_opened(names, of_files) as files, ExitStack() as stack:
        runs, left_out = files, list[str]()
        if len(files) == 1 and (opened := _opened(*files[0], stack, of_archive)):
            runs, left_out = [*opened.files], [*opened.left_out]
        if len(runs) > MOST_RUNS:
            problems = Remarks()
            problems.add(too_many_runs([name for name, _ in runs]))
            raise SubmissionInvalid(problems)
        yield [name for name, _ in runs], [file for _, file in runs], left_out


def _opened(name: str, file: BinaryIO, stack: ExitStack, select: str) -> OpenedRuns[BinaryIO] | None:
    """Return the runs of a log or archive, whose files `stack` closes; None for any other file."""

    def new_file() -> BinaryIO:
        return stack.enter_context(tempfile.TemporaryFile())

    limits, most = _largest_limits(), MOST_RUNS
    opened = open_runs(name, file, limits, new_file, read=nullcontext, most_runs=most, select=select)
    for _, run in opened.files if opened else ():
        run.seek(0)
    return opened


def _largest_limits() -> Limits:
    # Only an unpacked file shows its benchmark, so the largest limits of all benchmarks hold.
    return max((each.limits for each in registry.BENCHMARKS.values()), key=attrgetter("body_bytes"))


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    # Unpack just enough to show that a file is too large for the benchmark that takes the largest.
    left = _largest_limits().body_bytes + 1
    while left and (piece := source.read(min(left, MIB))):
        left -= target.write(piece)
    target.seek(0)


def benchmark_clis() -> dict[str, BenchmarkCli]:
    """Return what each benchmark adds to the command, by slug."""
    return {slug: benchmark.cli() for slug, benchmark in registry.BENCHMARKS.items()}


def benchmark_of(arguments: Mapping[str, Any], file: BinaryIO) -> tuple[Benchmark, BenchmarkCli, bool]:
    """Return the benchmark that `file` is taken for, and whether it is: named, meant, or recognised.

    arguments: of the command. A file that no benchmark recognises is only tried as one of the first.
    Raises Failure if the options contradict each other.
    """
    clis = benchmark_clis()
    owners: dict[str, str] = {}
    for slug, cli in clis.items():
        for name in cli.options:
            owners.setdefault(name, slug)
    stated = [name for name in owners if arguments.get(name)]
    chosen: str | None = arguments["benchmark"] or next((owners[name] for name in stated), None)
    if chosen is None:
        # The first takes any file that names a task of its own, so it is asked last.
        chosen = next((slug for slug in reversed(clis) if clis[slug].recognises(file)), None)
    is_taken, chosen = chosen is not None, chosen or next(iter(clis))
    for name in stated:
        if name not in clis[chosen].options:
            raise Failure(USAGE, f"--{name} is for --benchmark {owners[name]}")
    return registry.get(chosen), clis[chosen], is_taken


def read_files(
    benchmark: Benchmark,
    names: Sequence[str],
    files: Sequence[BinaryIO],
    expected: Expectation,
    kept: Sequence[BinaryIO],
) -> Reading:
    """Return what is read of a file, or of several that are runs of one configuration.

    kept: an empty file for each, for what scoring needs. Raises SubmissionInvalid with every problem.
    """
    # Rules are the judge of a leaderboard unless its organiser chooses another one.
    options: dict[str, Any] = {
        "task_ids": expected.task_ids,
        "version": expected.version,
        "texts": expected.texts,
        "limits": benchmark.limits,
        "has_forms": benchmark.needs_judge,
    }
    if len(files) == 1:
        return read_with_places(benchmark, files[0], keep=kept[0], **options)

    def read(index: int) -> RunReading:
        return read_run(benchmark, files[index], kept[index], **options)

    return read_runs(run_names(names), read)


def artifact_digest(files: Sequence[BinaryIO]) -> str:
    """Return the digest of a submission of these files; "" for an archive, which the service unpacks.

    It is that of the only one, or one over those of all.
    """
    if any(is_archive(file) for file in files):
        return ""
    digests = [sha256_of(file) for file in files]
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(f"{digest}\n" for digest in sorted(digests)).encode()).hexdigest()


def sha256_of(file: BinaryIO) -> str:
    """Return the SHA-256 of a seekable file in hexadecimal digits."""
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # any that reads into a buffer
