"""Logs of attempts are read as one run, and split into runs, whatever harness wrote them."""

import gzip
from io import BytesIO

import pytest

from wardboard.scoring import registry
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Message, encode_attempt
from wardboard.scoring.reading.formats.split import split_log
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.runs import read_with_places

TASKS = ["task1_1", "task3_1"]


def answer(task_id: str, *, run: int = 1, text: str = 'FINISH(["S1"])') -> Attempt:
    messages = (Message(role="user", text="Which?"), Message(role="agent", text=text))
    return Attempt(task_id=task_id, run=run, messages=messages, facts=Facts(rounds=1))


def lines(*attempts: Attempt) -> bytes:
    return b"".join(map(encode_attempt, attempts))


def read(raw: bytes) -> list:
    return list(read_submission(raw, task_ids=TASKS, version="v1").records)


def split(raw: bytes, most_runs: int = 10) -> dict[int, bytes] | None:
    runs = split_log(BytesIO(raw), Limits(), BytesIO, most_runs=most_runs)
    return runs and {run: file.getvalue() for run, file in runs.items()}


def test_attempts_of_several_runs_are_split_and_each_run_reads_like_a_file():
    raw = lines(answer("task1_1", run=2), answer("task1_1"), answer("task3_1", run=2, text="FINISH([])"))
    for packed in (raw, gzip.compress(raw)):
        runs = split(packed)
        assert list(runs) == [1, 2]
        ids = [[record.task_id for record in read(run)] for run in runs.values()]
        assert ids == [["task1_1"], ["task1_1", "task3_1"]]
    for other in (lines(answer("task1_1"), answer("task3_1")), b'{"version": "v1"}', b"\x1f\x8bdamaged"):
        assert split(other) is None
    with pytest.raises(SubmissionInvalid) as caught:
        read(lines(answer("task1_1"), answer("task1_1", run=2)))
    assert [problem.code for problem in caught.value.problems.listed] == ["log.several-runs"]
    # What follows the second attempt is not read, so no task is said to be missing.
    assert not caught.value.warnings.listed


def test_a_remark_on_a_part_of_a_log_quotes_no_line_of_that_part():
    benchmark = registry.get("medagentbench")
    raw = lines(answer("task1_1", text="no list", run=2), answer("task3_1", run=2))
    reading = read_with_places(benchmark, BytesIO(raw), task_ids=TASKS, version="v1", limits=benchmark.limits)
    [warning] = [each for each in reading.warnings.listed if each.code == "log.answer-form"]
    assert warning.quoted == ()
