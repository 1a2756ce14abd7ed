"""Reading ends after 1,000 problems, and when its time is up, in every format."""

import gzip
import io
import json
import time
from dataclasses import replace

import pytest

from wardboard.scoring.fhir_agentbench.reading import submission as fhir
from wardboard.scoring.medagentbench.reading import submission as medagentbench
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

MANY = 400_000
TASKS = published_task_ids("v1")
QUESTIONS = tuple(f"{number:024x}" for number in range(6))
HEAD = b"question_id,agent_answer,agent_fhir_resources\n"


def run_lines(history, count=1):
    output = {"result": "[]", "history": history}
    return b"\n".join(json.dumps({"index": n, "output": output}).encode() for n in range(count))


def result_file(history):
    results = [{"task_id": TASKS[0], "answer": "[]", "post_history": history}]
    return json.dumps({"version": "v1", "results": results}).encode()


def one_record(resources):
    record = {"question_id": QUESTIONS[0], "agent_answer": "a", "agent_fhir_resources": resources}
    return json.dumps([record]).encode()


def refusal(benchmark, raw, **limits):
    """Return what reading `raw` is refused with."""
    if benchmark is fhir:
        file, options = io.BytesIO(raw), {"task_ids": QUESTIONS, "limits": replace(fhir.LIMITS, **limits)}
    else:
        file, options = raw, {"task_ids": TASKS, "version": "v1", "limits": Limits(**limits)}
    with pytest.raises(SubmissionInvalid) as refused:
        benchmark.read_submission(file, **options)
    return refused.value


HOSTILE = {
    "result file": (medagentbench, lambda: result_file([{}] * (MANY // 2))),
    "run lines": (medagentbench, lambda: run_lines([1] * 199_000)),
    "lines": (fhir, lambda: b"{}\n" * MANY),
    "broken lines": (fhir, lambda: (b'{"question_id": 1}\n' * 9 + b"x\n") * 9_999),
    "table": (fhir, lambda: HEAD + b"a,b,c\n" * MANY),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_of_400_000_problems_is_read_to_its_thousandth(kind):
    benchmark, make = HOSTILE[kind]
    raw = gzip.compress(make(), mtime=0)
    started = time.process_time()
    refused = refusal(benchmark, raw, ratio=10_000)
    # All of them took eight to forty seconds; what is left is to unpack and parse the text.
    assert time.process_time() - started < 3
    first = refused.problems.listed[0]
    assert (first.code, first.pointer) == ("file.too-many-problems", "")
    assert "more than 1,000 errors" in first.message
    assert (refused.problems.total, len(refused.problems.listed)) == (1001, 200)


ITEM = {"role": "agent", "content": "GET x"}
POST = {"role": "agent", "content": "POST x\n{"}
SLOW = {
    "a valid history": (medagentbench, lambda: result_file([ITEM] * 199_999)),
    "many runs": (medagentbench, lambda: run_lines([ITEM] * 1999, count=100)),
    "printed values": (
        fhir,
        lambda: one_record("{'A': [" + "(1,)," * 500_000 + "'\\x41']}"),
    ),
    "deep values": (
        fhir,
        lambda: one_record("{'A': [" + f"({'[' * 90}1{']' * 90})," * 9_000 + "'\\x41']}"),
    ),
}


@pytest.mark.parametrize("kind", SLOW)
def test_one_long_record_is_interrupted_when_the_time_is_up(kind):
    benchmark, make = SLOW[kind]
    raw = make()
    started = time.process_time()
    refused = refusal(benchmark, raw, seconds=0.2, problems=10**9)
    assert time.process_time() - started < 2.5
    first = refused.problems.listed[0]
    assert (first.code, first.pointer) == ("records.too-slow", "")
    assert "longer than 0.2 seconds" in first.message
    assert "sign in" in first.hint
