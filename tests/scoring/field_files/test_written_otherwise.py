"""A file gives the same records, or the same problems, however its writer orders, wraps, ends or packs it."""

import gzip
import io
import json
import random
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.shared_data import FIELD_FILES
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.fhir_agentbench.demo import GOOD as FHIR_RECORDS
from wardboard.scoring.medagentbench.demo import GOOD, RUNS, TASKS
from wardboard.scoring.medagentbench.reading.tasks import texts_of_tasks
from wardboard.scoring.reading.archives import ArchiveReader, archive_kind
from wardboard.scoring.reading.formats.split import split_log
from wardboard.scoring.reading.problems import SubmissionInvalid

Outcome = Any
_TASKS = json.loads(TASKS.read_bytes())
FILES = [GOOD, RUNS, FHIR_RECORDS]
if FIELD_FILES.exists():
    FILES += sorted(path for path in FIELD_FILES.rglob("*.json*") if path.name != "expected.json")


def benchmark_of(path) -> Benchmark:
    is_fhir = "fhir" in str(path) or "fab" in path.name
    return registry.get("fhir-agentbench" if is_fhir else "medagentbench")


def outcome(raw: bytes, benchmark: Benchmark) -> Outcome:
    """Return the records of each run of a file, or the codes of its problems."""
    try:
        # A mapping of tasks has no order.
        return [sorted(_records(run, benchmark), key=str) for run in _runs(raw, benchmark)]
    except SubmissionInvalid as invalid:
        return {problem.code for problem in invalid.problems.listed}


def _runs(raw: bytes, benchmark: Benchmark) -> list[bytes]:
    file = io.BytesIO(raw)
    if runs := split_log(file, benchmark.limits, io.BytesIO, most_runs=10):
        return [run.getvalue() for run in runs.values()]
    if kind := archive_kind(file):
        reader = ArchiveReader(benchmark.limits)
        files = [b"".join(member.chunks()) for member in reader.files(file, kind)]
        return _runs(files[0], benchmark) if len(files) == 1 else files
    return [raw]


def _records(raw: bytes, benchmark: Benchmark) -> list[Any]:
    kept = io.BytesIO()
    is_ours = benchmark.slug == "medagentbench"
    benchmark.read(
        io.BytesIO(raw),
        task_ids=[task["id"] for task in _TASKS] if is_ours else [],
        version="demo",
        texts=texts_of_tasks(_TASKS) if is_ours else {},
        limits=replace(benchmark.limits, seconds=60),
        keep=kept,
    )
    kept.seek(0)
    return [(record.task_id, _parsed(benchmark.graded_part(record))) for record in benchmark.records(kept)]


def _parsed(part: Any) -> Any:
    """Return what is graded with the bodies of POSTs as values, in which the order of keys means nothing."""
    if isinstance(part, dict):
        return {key: _parsed(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_parsed(value) for value in part]
    line, _, body = part.partition("\n") if isinstance(part, str) else ("", "", "")
    try:
        return [line, json.loads(body)]
    except ValueError:
        return part


def reordered(value: Any, order: random.Random) -> Any:
    """Return a JSON value with the keys of its objects in another order."""
    if isinstance(value, dict):
        keys = order.sample(list(value), len(value))
        return {key: reordered(value[key], order) for key in keys}
    return [reordered(item, order) for item in value] if isinstance(value, list) else value


def documents(raw: bytes) -> list[Any] | None:
    """Return the JSON of a file, as one document or as lines; None for a file that is neither."""
    try:
        return [json.loads(raw)]
    except ValueError:
        try:
            return [json.loads(line) for line in raw.splitlines() if line.strip()]
        except ValueError:
            return None


def written(values: list[Any]) -> bytes:
    return "\n".join(json.dumps(value) for value in values).encode()


def zipped(raw: bytes, name: str = "results.json") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, raw)
    return file.getvalue()


def tarred(raw: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        info = tarfile.TarInfo("out/results.json")
        info.size = len(raw)
        archive.addfile(info, io.BytesIO(raw))
    return file.getvalue()


SAME: dict[str, Callable[[bytes], bytes]] = {
    "line ends of Windows": lambda raw: raw.replace(b"\n", b"\r\n"),
    "empty lines at the end": lambda raw: raw + b"\n\n",
    "a byte-order mark": lambda raw: b"\xef\xbb\xbf" + raw,
    "gzip": gzip.compress,
    "zip": zipped,
    "zip of a folder": lambda raw: zipped(raw, "outputs/run/results.json"),
    "zip of Windows": lambda raw: zipped(raw, "outputs\\run\\results.json"),
    "tar": tarred,
}
WRAPPED: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda value: value,
    "in an object": lambda value: {"data": value},
    "two levels deep": lambda value: {"data": {"records": value}},
    "in a list": lambda value: [value],
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("how", SAME)
def test_packing_and_line_ends_change_nothing(path, how):
    raw = path.read_bytes()
    benchmark = benchmark_of(path)
    assert outcome(SAME[how](raw), benchmark) == outcome(raw, benchmark)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("how", WRAPPED)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1_000_000))
def test_the_order_of_keys_changes_nothing_however_a_file_is_wrapped(path, how, seed):
    values = documents(path.read_bytes())
    if values is None:
        pytest.skip("the file is no JSON")
    benchmark, wrap = benchmark_of(path), WRAPPED[how]
    if len(values) == 1:
        values = [wrap(values[0])]
    expected = outcome(written(values), benchmark)
    values = [reordered(value, random.Random(seed)) for value in values]
    assert outcome(written(values), benchmark) == expected
