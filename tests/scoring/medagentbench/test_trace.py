"""What a file holds of the traces of its runs."""

import json
from io import BytesIO

import pytest

from tests.support.shared_data import MEDAGENTBENCH, needs_shared
from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.medagentbench.reading.records import TaskResult, decode_result, encode_result
from wardboard.scoring.medagentbench.trace import trace
from wardboard.scoring.trace import TraceCollector, TraceExtent

PROMPT = {"role": "user", "content": "You are an agent. Patient S1. NDC 40032."}
FINISH = {"role": "agent", "content": "FINISH([2.7])"}
GET = {"role": "agent", "content": "GET http://localhost:8080/fhir/Observation?patient=S1&code=MG"}
POST = {"role": "agent", "content": "POST http://localhost:8080/fhir/Observation\n{}"}
OFFICIAL = {
    "role": "user",
    "content": "POST request accepted and executed successfully. Please call FINISH if you have got answers "
    "for all the questions and finished all the requested tasks",
}


def response(value: str) -> dict[str, str]:
    return {"role": "user", "content": f"Here is the response from the GET request:\n{{'value': {value}}}."}


def record_of(history, answer: str | None = "[2.7]", task_id="task4_1", **fields) -> TaskResult:
    return TaskResult(task_id=task_id, answer=answer, post_history=history, **fields)


def extent_of(*records: TaskResult) -> TraceExtent | None:
    collector = TraceCollector(trace)
    assert list(collector.pass_on(records)) == list(records)
    return collector.extent


def test_what_is_kept_of_a_record_holds_what_the_trace_needs():
    whole = record_of([GET], finished=1_760_000_000_000, is_whole=True)
    assert decode_result(encode_result(whole)) == whole
    assert encode_result(record_of([])) == b'{"task_id":"task4_1","answer":"[2.7]","post_history":[]}'


WHOLE, ENDED = [PROMPT, GET, response("2.7"), FINISH], [PROMPT, POST, OFFICIAL, FINISH]


def test_a_trace_is_whole_if_every_answer_shows_its_conversation_and_some_read_data():
    assert extent_of(record_of(WHOLE), record_of(ENDED)) == TraceExtent.WHOLE
    # A run without an answer has no conversation to its end.
    assert extent_of(record_of(WHOLE), record_of([], None)) == TraceExtent.WHOLE


def test_a_trace_is_in_part_if_an_answer_has_none_or_only_its_posts():
    assert extent_of(record_of(WHOLE), record_of([])) == TraceExtent.PART
    assert extent_of(record_of(WHOLE), record_of([POST, OFFICIAL])) == TraceExtent.PART


def test_a_file_that_shows_no_get_holds_its_posts_alone():
    assert extent_of(record_of([]), record_of([POST, OFFICIAL])) == TraceExtent.POSTS
    assert extent_of(record_of(ENDED)) == TraceExtent.POSTS


def test_a_file_without_requests_holds_no_trace():
    assert extent_of(record_of([]), record_of([PROMPT, FINISH])) == TraceExtent.NONE


def test_a_command_in_a_code_block_is_read_as_the_harness_reads_it():
    fenced = {"role": "agent", "content": f"```tool_code\n{GET['content']}\n```"}
    assert extent_of(record_of([PROMPT, fenced, response("2.7"), FINISH])) == TraceExtent.WHOLE


@needs_shared
@pytest.mark.parametrize("name", ["copilot_v2", "copilot_v2_run20251127_132513"])
def test_real_runs_hold_their_posts_alone(name):
    raw = (MEDAGENTBENCH / f"submissions/{name}.json").read_bytes()
    benchmark = MedAgentBench()
    task_ids = [result["task_id"] for result in json.loads(raw)["results"]]
    kept = BytesIO()
    benchmark.read(BytesIO(raw), task_ids=task_ids, version="v2", limits=benchmark.limits, keep=kept)
    kept.seek(0)
    collector = TraceCollector(benchmark.trace)
    list(collector.pass_on(benchmark.records(kept)))
    assert collector.extent == TraceExtent.POSTS
