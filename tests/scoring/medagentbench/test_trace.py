"""Remarks on histories that the official harness would not have written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.medagentbench.benchmark import MedAgentBench
from scoring.medagentbench.reading.records import TaskResult, messages
from scoring.medagentbench.trace import KINDS, remarks
from tests.support.shared_data import MEDAGENTBENCH, needs_shared

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


def of(history, answer="[2.7]", task_id="task4_1") -> frozenset[str]:
    return remarks(TaskResult(task_id=task_id, answer=answer, post_history=history))


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


@needs_shared
@pytest.mark.parametrize("name", ["copilot_v2", "copilot_v2_run20251127_132513"])
def test_real_runs_earn_only_the_remark_on_their_own_harness(name):
    document = json.loads((MEDAGENTBENCH / f"submissions/{name}.json").read_bytes())
    family, counts = MedAgentBench(), dict.fromkeys(KINDS, 0)
    for result in document["results"]:
        history = messages(result["post_history"])
        record = TaskResult(task_id=result["task_id"], answer=result["answer"], post_history=history)
        for kind in family.trace(record):
            counts[kind] += 1
    # Its replies name the id of the created resource, which the official harness's do not.
    assert counts == {**dict.fromkeys(KINDS, 0), "acceptance-text": 80}
