"""Check that a benchmark keeps what the service relies on, whatever is sent to it: for tests of authors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.grade import grade_all, read_answers
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
    benchmark: Benchmark, references: Mapping[str, Any], files: Sequence[bytes], *, reasons: Sequence[str]
) -> None:
    """Assert that `benchmark` keeps what its interface promises, for its own files and for broken ones.

    - references: task id -> reference
    - files: that can be scored, in each format that the benchmark reads
    - reasons: its grading reasons so far, in their order: verdicts are stored as positions in it

    The judge is the one of the mode `rules`. Raises AssertionError, or what the benchmark raises beside
    SubmissionInvalid.
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
        parts = [[json.dumps(benchmark.graded_part(each)) for each in some] for some in (records, plain)]
        assert parts[0] == parts[1], "a plain file has other answers than its records"
        for broken in (*_HOSTILE, *_broken(file)):
            if some := _records(benchmark, references, broken):
                _score(benchmark, some, references)


def _broken(file: bytes) -> Iterator[bytes]:
    """Yield `file` with a mark before it, cut, doubled, and with other values in the place of its own."""
    yield from (b"\xef\xbb\xbf" + file, file[: len(file) // 2], file + file, file + b"\xff")
    for old in (b'"', b":", b"[", b"{", b",", b"\n"):
        yield from (file.replace(old, new) for new in (b"", b"null", b"1e999", rb'"\ud800"', b"[]"))


def _records(benchmark: Benchmark, references: Mapping[str, Any], file: bytes) -> list[Any]:
    """Return the records of a file; [] for one that is refused, which no other error does."""
    try:
        return read_answers(benchmark, file, references)
    except SubmissionInvalid:
        return []


def _score(benchmark: Benchmark, records: Sequence[Any], references: Mapping[str, Any]) -> Scorecard:
    """Return the scorecard, whose figures agree with its verdicts."""
    card = grade_all(benchmark, records, references)
    right = {task: bool(verdict.correct) for task, verdict in card.verdicts.items()}
    assert list(right) == list(references), "there is not one verdict for each task, in their order"
    assert all(each.correct == benchmark.is_correct(each.reason) for each in card.verdicts.values())
    assert (card.overall.right, card.overall.total) == (sum(right.values()), len(right)), "another rate"
    keys = [metric.key for metric in benchmark.metrics]
    assert (set(card.metrics), card.metrics[keys[0]]) == (set(keys), card.overall.rate), "metrics differ"
    for key, group_of in benchmark.groups(references).items():
        for group, rate in card.breakdowns[key].items():
            members = [right[task] for task in group_of if group_of[task] == group]
            assert (rate.right, rate.total) == (sum(members), len(members)), f"{group} has another rate"
    figures = benchmark.figures(card.details, len(references))
    assert all(len(values) == len(references) for values in figures.values()), "a task has no figure"
    return card
