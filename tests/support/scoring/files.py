"""Files as harnesses send them, in archives, and as the service reads them: by runs and records."""

import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import pytest

from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.reading.formats.split import open_runs, split_log
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import Problem, SubmissionInvalid


def refused(read: Callable[..., object], *arguments: Any, **options: Any) -> list[Problem]:
    """Return the problems for which `read` refuses a file."""
    with pytest.raises(SubmissionInvalid) as caught:
        read(*arguments, **options)
    return caught.value.problems.listed


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in value.items() if k != key}


def as_zip(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            # A name as text must not begin with NUL, which ends it; an attacker's may.
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return target.getvalue()


def as_tar(files: Mapping[str, bytes], mode: str = "w:gz", members: Sequence[tarfile.TarInfo] = ()) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in members:
            archive.addfile(info)
    return target.getvalue()


def runs_of_log(raw: bytes, limits: Limits | None = None, **options: Any) -> list[bytes]:
    """Return the files of the runs of a log; none if it is read as it is."""
    runs = split_log(io.BytesIO(raw), limits or Limits(), io.BytesIO, **{"most_runs": 10} | options)
    return [run.getvalue() for run in (runs or {}).values()]


def opened(raw: bytes, select: str = "", limits: Limits | None = None) -> dict[str, bytes] | None:
    """Return the runs in a log or an archive by their names; None for another file."""
    runs = open_runs(
        *("log", io.BytesIO(raw), limits or Limits(), io.BytesIO),
        read=nullcontext,
        most_runs=10,
        select=select,
    )
    return runs and {name: file.getvalue() for name, file in runs.files}


def kept_records(benchmark: Benchmark, raw: bytes, **options: Any) -> list[Any]:
    """Return the records that scoring is given of a file."""
    known = {"task_ids": (), "version": "", "limits": benchmark.limits} | options
    kept = io.BytesIO()
    benchmark.read(io.BytesIO(raw), keep=kept, **known)
    kept.seek(0)
    return list(benchmark.records(kept))
