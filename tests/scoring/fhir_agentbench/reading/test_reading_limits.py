"""What large and hostile files may cost, and the messages about limits."""

import gzip
import io
import json
import random
import time
import tracemalloc
import zlib
from types import SimpleNamespace

import pytest

from tests.support.scoring.fhir_submissions import IDS, array, lines, read, record, table
from wardboard.scoring.fhir_agentbench.reading import submission
from wardboard.scoring.reading import collector
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

HEAD = b"question_id,agent_answer,agent_fhir_resources\n"


def codes(source, limits=submission.LIMITS):
    return [problem.code for problem in read(source, limits).problems]


def test_beyond_a_limit_a_file_has_a_problem_and_at_it_none():
    raw, packed = array(record()), gzip.compress(array(record()))
    large = [write(record(0, agent_answer="x" * 3000)) for write in (array, lines, table)]
    answers = [array(record(agent_answer=answer)) for answer in ("é" * 50, "é" * 51, ["x" * 100])]
    for source, limits, expected in [
        *((each, Limits(record_bytes=3000), ["record.too-large"]) for each in large),
        (answers[0], Limits(text_bytes=100), []),
        (answers[1], Limits(text_bytes=100), ["text.too-large"]),
        (answers[2], Limits(text_bytes=100), ["text.too-large"]),
        (b"[" + b"{}," * 9 + b"{}]", Limits(results=1, listed=2), ["records.too-many", "field.missing"]),
        (raw, Limits(body_bytes=len(raw) - 1), ["file.too-large"]),
        (packed, Limits(body_bytes=len(raw), unpacked_bytes=len(raw)), []),
    ]:
        assert codes(source, limits) == expected, limits
    # As uploaded and unpacked.
    for source in (raw, packed):
        assert "file.too-large" in codes(source, Limits(unpacked_bytes=len(raw) - 1))


def test_a_record_over_a_limit_does_not_hide_the_records_after_it():
    deep = record(0, trace=[[[[[[]]]]]])
    many = record(1, trace=list(range(50)))
    limits = Limits(depth=5, containers=40)
    assert codes(array(deep, many, record(2), record(2)), limits) == [
        "json.too-complex",
        "json.too-complex",
        "question-id.repeated",
    ]
    assert codes(array(deep, many), Limits(depth=8, containers=70)) == []


def test_resources_as_text_are_limited_singly_and_those_that_are_not_json_in_total():
    slow = "{'Observation': ['o\\n1', 'o2']}"
    limits = Limits(literal_bytes=len(slow) - 1)
    (problem,) = read(array(record(agent_fhir_resources=slow)), limits).problems
    assert (problem.code, problem.pointer) == ("text.too-large", "/0/agent_fhir_resources")
    rows = [record(n, agent_fhir_resources=slow) for n in range(3)]
    assert codes(array(*rows), Limits(literals_bytes=3 * len(slow))) == []
    assert codes(array(*rows), Limits(literals_bytes=3 * len(slow) - 1)) == ["text.too-large"]
    texts = ("{'Patient': []}", '{"Patient": []}')
    quick = [record(n, agent_fhir_resources=text) for n, text in enumerate(texts)]
    assert codes(array(*quick), Limits(literals_bytes=0)) == []


def test_a_file_that_exceeds_the_time_limit_is_rejected_with_the_problems_found_so_far(monkeypatch):
    monkeypatch.setattr(collector, "time", SimpleNamespace(monotonic=iter(range(100)).__next__))
    raw = array(record(0), record(0), *(record(n) for n in range(1, 6)))
    with pytest.raises(SubmissionInvalid) as refused:
        submission.read_submission(io.BytesIO(raw), task_ids=IDS, limits=Limits(seconds=6))
    first, second = refused.value.problems.listed
    assert (first.code, second.code) == ("records.too-slow", "question-id.repeated")
    assert "longer than 6 seconds" in first.message


def test_a_later_record_of_an_attempt_that_failed_does_not_undo_an_answer():
    failed = record(0, agent_answer=None, error="timeout")
    result = read(array(record(0), record(1), failed))
    assert ("records.attempt-failed", "/2") in result.remarks
    assert not result.problems
    assert codes(array(record(0), record(0, agent_answer=None))) == ["question-id.repeated"]


def test_an_unexpected_error_in_the_reader_is_a_problem_of_that_record(monkeypatch, caplog):
    plain = submission.encode_record

    def encode_record(record):
        if record.answer == "SECRET":
            raise ZeroDivisionError("SECRET")
        return plain(record)

    monkeypatch.setattr(submission, "encode_record", encode_record)
    result = read(array(record(0), record(1, agent_answer="SECRET"), record(2), record(2)))
    assert result.remarks == [("record.unreadable", "/1"), ("question-id.repeated", "/3/question_id")]
    assert "ZeroDivisionError" in caplog.text
    assert "SECRET" not in caplog.text + str(result.problems)


def test_a_gzip_bomb_is_rejected_at_the_ratio_limit_and_uses_little_memory():
    packer = zlib.compressobj(9, wbits=31)
    bomb = packer.compress(b'[{"question_id": "') + b"".join(packer.compress(b"x" * MIB) for _ in range(64))
    bomb += packer.flush()
    tracemalloc.start()
    result = codes(bomb, Limits(record_bytes=8 * MIB))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result == ["record.too-large"]
    assert peak < 48 * MIB
    assert codes(bomb)[0] == "file.too-large"


def test_memory_does_not_grow_with_the_file(tmp_path):
    ids = [f"{random.Random(n).getrandbits(128):032x}" for n in range(2000)]
    item = json.dumps(record(agent_fhir_resources={"Observation": ids}), indent=4).encode()
    board = tuple(f"{n:024x}" for n in range(30 * MIB // len(item)))
    with open(tmp_path / "large.json", "w+b") as file:
        for n, task_id in enumerate(board):
            file.write((b"," if n else b"[") + item.replace(IDS[0].encode(), task_id.encode()))
        file.write(b"]")
        tracemalloc.start()
        reading = submission.read_submission(file, task_ids=board)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert reading.count == len(board) > 300
    assert peak < 12 * MIB


@pytest.mark.parametrize(
    ("begin", "unit", "code"),
    [
        (b"[", b"[", "json.too-complex"),
        (b"[[", b"[],", "json.too-complex"),
        (b'["', b"x", "record.too-large"),
        (b"[[", b'"' + b"x" * 90 + b'",', "record.too-large"),
        (b"[1", b"1", "record.too-large"),
        (b"{", b" ", "record.too-large"),
        (b"{}\n", b"{}\n", "file.too-many-problems"),
        (b"[{}", b'{"question_id":', "json.syntax"),
        (HEAD, b"\n", "table.broken"),
        (HEAD + b'"', b"xyxyxyxyxyxyxyx\n", "record.too-large"),
    ],
)
def test_a_hostile_file_is_rejected_in_linear_time(begin, unit, code):
    limits = Limits(body_bytes=64 * MIB, unpacked_bytes=64 * MIB, record_bytes=16 * MIB)
    started = time.process_time()
    assert code in codes(begin + unit * (24 * MIB // len(unit)), limits)
    # A bound that only quadratic behaviour exceeds, however busy the machine is.
    assert time.process_time() - started < 20
