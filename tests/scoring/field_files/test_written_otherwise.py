"""A file gives the same records, or the same problems, however its writer orders, wraps, ends or packs it."""

import gzip
import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.support.scoring.files import as_tar, as_zip, kept_records, opened
from tests.support.shared_data import FIELD_FILES
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.fhir_agentbench.demo import GOOD as FHIR_RECORDS
from wardboard.scoring.medagentbench.demo import GOOD, RUNS, TASKS
from wardboard.scoring.medagentbench.reading.tasks import texts_of_tasks
from wardboard.scoring.reading.problems import SubmissionInvalid

_TASKS = json.loads(TASKS.read_bytes())
FILES = [GOOD, RUNS, FHIR_RECORDS]
if FIELD_FILES.exists():
    FILES += sorted(path for path in FIELD_FILES.rglob("*.json*") if path.name != "expected.json")[::3]


def benchmark_of(path) -> Benchmark:
    is_fhir = "fhir" in str(path) or "fab" in path.name
    return registry.get("fhir-agentbench" if is_fhir else "medagentbench")


def outcome(raw: bytes, benchmark: Benchmark) -> Any:
    """Return the records of each run of a file, or the codes of its problems."""
    try:
        runs = opened(raw, limits=benchmark.limits) or {"": raw}
        # A mapping of tasks has no order.
        return [sorted(_records(run, benchmark), key=str) for run in runs.values()]
    except SubmissionInvalid as invalid:
        return {problem.code for problem in invalid.problems.listed}


def _records(raw: bytes, benchmark: Benchmark) -> list[Any]:
    is_ours = benchmark.slug == "medagentbench"
    records = kept_records(
        benchmark,
        raw,
        task_ids=[task["id"] for task in _TASKS] if is_ours else [],
        version="demo",
        texts=texts_of_tasks(_TASKS) if is_ours else {},
        limits=replace(benchmark.limits, seconds=60),
    )
    return [(record.task_id, _parsed(benchmark.graded_part(record))) for record in records]


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


SAME: dict[str, Callable[[bytes], bytes]] = {
    "line ends of Windows": lambda raw: raw.replace(b"\n", b"\r\n"),
    "empty lines at the end, a byte-order mark": lambda raw: b"\xef\xbb\xbf" + raw + b"\n\n",
    "gzip": gzip.compress,
    "zip": lambda raw: as_zip({"results.json": raw}),
    "zip of Windows": lambda raw: as_zip({"outputs\\run\\results.json": raw}),
    "tar": lambda raw: as_tar({"out/results.json": raw}),
}
WRAPPED: tuple[Callable[[Any], Any], ...] = (
    lambda value: value,
    lambda value: {"data": value},
    lambda value: {"data": {"records": value}},
    lambda value: [value],
)


@pytest.mark.parametrize("how", SAME)
def test_packing_and_line_ends_change_nothing(how):
    for path in FILES:
        raw, benchmark = path.read_bytes(), benchmark_of(path)
        assert outcome(SAME[how](raw), benchmark) == outcome(raw, benchmark), path


@pytest.mark.parametrize("wrap", WRAPPED)
def test_the_order_of_keys_changes_nothing_however_a_file_is_wrapped(wrap):
    for path in FILES:
        benchmark, raw = benchmark_of(path), path.read_bytes()
        try:
            values = [wrap(json.loads(raw))]
        except ValueError:
            values = [json.loads(line) for line in raw.replace(b"\r", b"\n").splitlines() if line.strip()]
        texts = [
            "\n".join(json.dumps(value) for value in each).encode()
            for each in (values, [reordered(value, random.Random(7)) for value in values])
        ]
        assert outcome(texts[0], benchmark) == outcome(texts[1], benchmark), path
