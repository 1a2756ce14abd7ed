"""Check that a benchmark keeps what the service relies on, whatever is sent to it: for tests of authors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.grade import judge_by_rules
from wardboard.scoring.ground_truth import GroundTruthInvalid
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.verdicts import Scorecard

# Files that end or break at once, hold values of other types, or what few readers take.
_HOSTILE = (
    *(b"", b" ", b"\xef\xbb\xbf", b"\xff\xfe\x00", b"\x00" * 9, b"PK\x03\x04", b"\x1f\x8b\x08", b"a,b\n1,2"),
    *(b"null", b"[]", b"{}", b"5", b'"x"', b"[null]", b"[[]]", b"[{}]", b'{"results": [{}]}', b'{"a": [{}'),
    *(b"[" * 100_000, b'{"a":' * 100_000, b"[1e999, NaN, -Infinity]", b"[" + b"9" * 5_000 + b"]"),
    *(rb'["\ud800"]', rb'{"\udfff": "\ud800"}', b'{"id": 1, "id": 2}'),
)


def check_benchmark(
    benchmark: Benchmark,
    references: Mapping[str, Any],
    files: Sequence[bytes],
    *,
    reasons: Sequence[str],
    source: bytes = b"",
    secrets: Sequence[str] = (),
) -> None:
    """Assert that `benchmark` keeps what its interface promises, for its own files and for broken ones.

    - references: task id -> reference
    - files: that can be scored, in each format that the benchmark reads
    - reasons: its grading reasons so far, in their order: verdicts are stored as positions in it
    - source: a file of the first of `import_files`, which is broken; b"" for none
    - secrets: texts in `source` that no problem may quote

    The judge is the one of the mode `rules`. Raises AssertionError, or what the benchmark raises beside
    SubmissionInvalid and GroundTruthInvalid.
    """
    stated = [str(reason) for reason in benchmark.reasons]
    assert stated[: len(reasons)] == [*reasons], "a stored reason has moved: new ones come last"
    dump = benchmark.dump_references(references)
    loaded = benchmark.load_references(dump)
    assert benchmark.dump_references(loaded) == dump, "references change when they are stored"
    for file in files:
        records = _records(benchmark, references, file)
        assert records, "a file that can be scored is refused"
        card = _score(benchmark, records, references)
        assert _score(benchmark, records, loaded) == card, "stored references give other verdicts"
        plain = _records(benchmark, references, benchmark.plain_file(records, version=None).encode())
        parts = (
            [json.dumps(benchmark.graded_part(each)) for each in some or ()] for some in (records, plain)
        )
        assert next(parts) == next(parts), "a plain file has other answers than its records"
        for broken in (*_HOSTILE, *_broken(file)):
            if some := _records(benchmark, references, broken):
                _score(benchmark, some, references)
    for broken in _broken(source) if source else ():
        _check_import(benchmark, broken, secrets)


def _broken(file: bytes) -> Iterator[bytes]:
    """Yield `file` with a mark before it, cut, doubled, and with other values in the place of its own."""
    yield from (b"\xef\xbb\xbf" + file, file[: len(file) // 2], file + file, file + b"\xff")
    for old in (b'"', b":", b"[", b"{", b",", b"\n"):
        yield from (file.replace(old, new) for new in (b"", b"null", b"1e999", rb'"\ud800"', b"[]"))


def _records(benchmark: Benchmark, references: Mapping[str, Any], file: bytes) -> list[Any]:
    """Return the records of a file; [] for one that is refused, which no other error does."""
    kept, opened, tasks = BytesIO(), BytesIO(file), tuple(references)
    version = benchmark.cli().stated_version(opened)
    try:
        reading = benchmark.read(opened, task_ids=tasks, version=version, limits=benchmark.limits, keep=kept)
    except SubmissionInvalid:
        return []
    records = list(benchmark.records(BytesIO(kept.getvalue())))
    assert len({record.task_id for record in records}) == reading.count == len(records), (
        "a task has two records"
    )
    return records


def _score(benchmark: Benchmark, records: Sequence[Any], references: Mapping[str, Any]) -> Scorecard:
    """Return the scorecard, whose figures agree with its verdicts."""
    card = benchmark.score(records, references, judge=judge_by_rules(benchmark))
    right = {task: bool(verdict.correct) for task, verdict in card.verdicts.items()}
    assert list(right) == list(references), (
        "there is not one verdict for each task, in the order of the tasks"
    )
    assert all(each.correct == benchmark.is_correct(each.reason) for each in card.verdicts.values())
    assert (card.overall.right, card.overall.total) == (sum(right.values()), len(right)), (
        "the rate is another"
    )
    keys = [metric.key for metric in benchmark.metrics]
    assert (set(card.metrics), card.metrics[keys[0]]) == (set(keys), card.overall.rate), "metrics differ"
    for key, group_of in benchmark.groups(references).items():
        for group, rate in card.breakdowns[key].items():
            members = [right[task] for task in group_of if group_of[task] == group]
            assert (rate.right, rate.total) == (sum(members), len(members)), f"{group} has another rate"
    figures = benchmark.figures(card.details, len(references))
    assert all(len(values) == len(references) for values in figures.values()), "a task has no figure"
    return card


def _check_import(benchmark: Benchmark, source: bytes, secrets: Sequence[str]) -> None:
    """Import a broken file of references, of which no problem quotes an answer."""
    choices: dict[str, Any] = {choice.option: False for choice in benchmark.import_choices}
    with TemporaryDirectory() as folder:
        path = Path(folder, "references")
        path.write_bytes(source)
        options = {benchmark.import_files[0].option: path, "slug": "kit", "board_version": None}
        try:
            benchmark.read_ground_truth(choices | options, progress=lambda done, total: None)
        except GroundTruthInvalid as error:
            texts = " ".join((str(error), *(f"{each.message} {each.hint}" for each in error.problems)))
            if any(secret in texts for secret in secrets):
                raise AssertionError("a problem quotes a reference answer") from error
