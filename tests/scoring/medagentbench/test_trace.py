"""Remarks on histories that the official harness would not have written."""

import json
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.shared_data import MEDAGENTBENCH, needs_shared
from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.medagentbench.reading.records import TaskResult, decode_result, encode_result
from wardboard.scoring.medagentbench.trace import KINDS, trace
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


RECEIVED = datetime(2026, 3, 1, tzinfo=UTC)


def record_of(history, answer: str | None = "[2.7]", task_id="task4_1", **fields) -> TaskResult:
    return TaskResult(task_id=task_id, answer=answer, post_history=history, **fields)


def of(history, answer="[2.7]", task_id="task4_1", **fields) -> frozenset[str]:
    return trace(record_of(history, answer, task_id, **fields), received=RECEIVED).kinds


def extent_of(*records: TaskResult) -> TraceExtent | None:
    collector = TraceCollector(lambda record: trace(record, received=RECEIVED), KINDS)
    assert list(collector.pass_on(records)) == list(records)
    return collector.extent


def test_a_run_of_the_official_harness_earns_no_remark():
    assert of([PROMPT, GET, response("2.7"), FINISH]) == frozenset()
    assert of([PROMPT, POST, OFFICIAL, FINISH], answer="[]", task_id="task3_1") == frozenset()


def test_a_reply_in_other_words_is_remarked():
    reply = {"role": "user", "content": "POST request accepted: created."}
    assert of([POST, reply], answer="[]") == {"acceptance-text"}


def test_an_answer_of_an_agent_that_looked_nothing_up_is_remarked():
    assert of([PROMPT, FINISH]) == {"no-get"}


@pytest.mark.parametrize("answer", ["[]", "[-1]", '["Patient not found"]', None, "not JSON"])
def test_an_answer_without_a_value_needs_no_get(answer):
    assert of([PROMPT, FINISH], answer=answer) == frozenset()


@pytest.mark.parametrize("seen", ["2.8", "12.7", "2.75", "2", "22.7"])
def test_a_value_that_no_response_holds_is_remarked(seen):
    assert of([PROMPT, GET, response(seen), FINISH]) == {"value-unseen"}


@pytest.mark.parametrize(("answer", "seen"), [("[123.0]", "123"), ("[7]", "7.00"), ("[2.7]", "2.70")])
def test_a_value_may_be_printed_otherwise(answer, seen):
    assert of([PROMPT, GET, response(seen), FINISH], answer=answer) == frozenset()


def test_a_value_of_the_task_itself_was_not_looked_up():
    assert of([PROMPT, GET, response("1"), FINISH], answer="[40032]") == {"value-unseen"}


@pytest.mark.parametrize("task_id", ["task2_1", "task3_1", "task6_1", "task8_1"])
def test_what_is_worked_out_or_not_read_need_not_be_seen(task_id):
    assert of([PROMPT, GET, response("1"), FINISH], task_id=task_id) == frozenset()


def test_a_history_of_posts_alone_says_nothing_of_what_was_read():
    assert of([POST, OFFICIAL]) == frozenset()
    assert of([]) == frozenset()


def test_more_than_eight_rounds_are_remarked():
    assert of([PROMPT, *[GET, response("2.7")] * 7, FINISH]) == frozenset()
    assert of([PROMPT, *[GET, response("2.7")] * 8, FINISH]) == {"rounds"}


@given(
    st.text(max_size=30),
    st.lists(st.builds(dict, role=st.sampled_from(["agent", "user"]), content=st.text(max_size=40))),
)
def test_any_record_has_known_remarks_or_none(answer, history):
    assert of(history, answer=answer, task_id="task10_1") <= KINDS.keys()


def test_a_filled_expected_sol_is_remarked():
    assert of([], fills_expected_sol=True) == {"expected-sol"}


@pytest.mark.parametrize(
    ("finished", "remarked"),
    [
        (RECEIVED, False),
        (RECEIVED + timedelta(hours=14), False),
        (RECEIVED + timedelta(days=2), True),
        (datetime(2024, 6, 1, tzinfo=UTC), False),
        (datetime(2023, 11, 14, tzinfo=UTC), True),
    ],
)
def test_a_time_after_the_upload_or_before_the_benchmark_is_remarked(finished, remarked):
    milliseconds = round(finished.timestamp() * 1000)
    assert of([], finished=milliseconds) == ({"time"} if remarked else frozenset())


def test_a_time_that_contradicts_itself_is_remarked():
    assert of([], is_time_odd=True) == {"time"}


def test_what_is_kept_of_a_record_holds_what_the_trace_needs():
    whole = record_of([GET], fills_expected_sol=True, finished=1_760_000_000_000, is_time_odd=True)
    assert decode_result(encode_result(whole)) == whole
    # As earlier releases wrote it, and as one without these facts is written.
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


def test_records_of_an_earlier_release_leave_it_open():
    collector = TraceCollector(lambda record: None, ())
    list(collector.pass_on([record_of([])]))
    assert collector.extent is None


def test_a_task_of_several_runs_counts_once_in_a_remark():
    collector = TraceCollector(lambda record: trace(record, received=RECEIVED), KINDS)
    for _ in range(2):
        list(collector.pass_on([record_of([], fills_expected_sol=True)]))
    [remark] = collector.remarks
    assert (remark.kind, remark.count, list(remark.task_ids)) == ("expected-sol", 1, ["task4_1"])


@needs_shared
@pytest.mark.parametrize("name", ["copilot_v2", "copilot_v2_run20251127_132513"])
def test_real_runs_earn_only_the_remarks_on_their_own_harness(name):
    raw = (MEDAGENTBENCH / f"submissions/{name}.json").read_bytes()
    benchmark = MedAgentBench()
    task_ids = [result["task_id"] for result in json.loads(raw)["results"]]
    kept = BytesIO()
    benchmark.read(BytesIO(raw), task_ids=task_ids, version="v2", limits=benchmark.limits, keep=kept)
    kept.seek(0)
    collector = TraceCollector(partial(benchmark.trace, received=RECEIVED), KINDS)
    list(collector.pass_on(benchmark.records(kept)))
    assert collector.extent == TraceExtent.POSTS
    # Its replies name the id of the created resource, which the official harness's do not, and it copies the
    # answers that the public task file has for task1.
    assert {item.kind: item.count for item in collector.remarks} == {
        "acceptance-text": 80,
        "expected-sol": 30,
    }
