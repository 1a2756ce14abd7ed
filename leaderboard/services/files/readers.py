"""What child processes do with the bytes of strangers: unpack, tell runs apart, read; without Django."""

import os
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO
from uuid import UUID

from leaderboard.services.files.arrivals import Arrival, new_part, parts, write_parts
from wardboard.scoring.benchmark import Benchmark, Reading
from wardboard.scoring.reading.formats.split import OpenedRuns, open_runs, runs_of_one_system
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.runs import MOST_RUNS, RunReading, read_run, read_runs, read_with_places
from wardboard.scoring.traces.trace_file import TraceWriter


def unpack(
    *,
    name: str,
    source: BinaryIO,
    limits: Limits,
    arrivals: Sequence[tuple[UUID, Path]],
    least_free: int,
    select: str,
) -> OpenedRuns[Any] | None:
    """Return the runs in a file as `open_runs` does, as StoredFile; None where it is read as it is.

    arrivals: ids and paths of the files that may be made. Raises SubmissionInvalid, OSError.
    """
    left = iter(arrivals)
    opened = open_runs(
        name,
        source,
        limits,
        lambda: Arrival(*next(left), least_free),
        read=_opened_again,
        most_runs=MOST_RUNS,
        select=select,
    )
    return opened and OpenedRuns[Any](
        [(run, file.finish()) for run, file in opened.files],
        opened.left_out,
        opened.is_log,
        opened.log.finish() if opened.log else None,
    )


def _opened_again(file: Arrival) -> BinaryIO:
    file.finish()
    return open(file.path, "rb")


def of_one_system(
    *, names: Sequence[str], sources: Sequence[BinaryIO], limits: Limits, select: str
) -> list[int]:
    """Return the indexes of those files that are runs of one system. Raises SubmissionInvalid."""
    taken = runs_of_one_system([*zip(names, sources, strict=True)], limits, select)
    return [index for index, source in enumerate(sources) if any(source is each for _, each in taken)]


def read(
    *,
    benchmark: Benchmark,
    source: BinaryIO,
    names: Sequence[str],
    keep: BinaryIO | None,
    traces: BinaryIO | None,
    limits: Limits,
    known: Mapping[str, Any],
) -> Reading:
    """Read a file, or the files that it is made of, within `limits` for all of them together.

    keep, traces: files that get what scoring needs, and the traces. known: options of `read_with_places`.
    Raises SubmissionInvalid, OSError.
    """
    with closing(TraceWriter(traces)) if traces else nullcontext() as writer:
        options = {**known, "traces": writer}
        if len(names) == 1:
            return read_with_places(benchmark, source, limits=limits, keep=keep, **options)
        ends = monotonic() + limits.seconds
        with (
            parts(source, len(names)) as files,
            nullcontext() if keep is None else write_parts(keep) as write_part,
        ):

            def read_next(index: int) -> RunReading:
                left = replace(limits, seconds=max(0.0, ends - monotonic()))
                if writer:
                    writer.run = index + 1
                with new_part() as part:
                    run = read_run(benchmark, next(files), part, limits=left, **options)
                    if write_part is not None:
                        # Write the run even where an earlier one has problems, which are then all there is.
                        size = part.seek(0, os.SEEK_END)
                        part.seek(0)
                        write_part(part, size)
                return run

            return read_runs(names, read_next, listed=limits.listed)
