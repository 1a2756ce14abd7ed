"""Warnings about known defects of the benchmark that a file runs into."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.scoring.medagentbench_samples import REPLY, file_of, get, lines, post, result, run
from tests.support.shared_data import MEDAGENTBENCH, needs_shared
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids

TASKS = published_task_ids("v1")


def warnings_of(raw: bytes):
    read = read_submission(raw, task_ids=TASKS, version="v1")
    known = {Code.ROUTE_OBJECT.value, Code.READS_BACK.value}
    return [warning for warning in read.warnings.listed if warning.code in known]


def order(route) -> dict[str, str]:
    return post(json.dumps({"dosageInstruction": [{"route": route}]}))


@pytest.mark.parametrize("task_id", ["task5_1", "task9_1"])
def test_a_route_written_as_the_schema_says_is_warned_about(task_id):
    (warning,) = warnings_of(file_of(result(task_id, "[]", [order({"text": "by spoon"}), REPLY])))
    assert warning.code == "post.route-object"
    assert warning.pointer == "/results/0/post_history/0/content"
    assert "official grader takes a string" in warning.message


def test_the_hint_names_no_route_where_the_file_names_none():
    (warning,) = warnings_of(file_of(result("task5_1", "[]", [order({"coding": [{"code": "47"}]}), REPLY])))
    assert "IV" not in warning.hint
    assert "47" not in warning.hint


@pytest.mark.parametrize("route", ["IV", None, ["IV"], 7])
def test_any_other_route_earns_no_warning(route):
    assert not warnings_of(file_of(result("task5_1", "[]", [order(route), REPLY])))


def test_orders_of_other_types_earn_no_warning():
    assert not warnings_of(file_of(result("task8_1", "[]", [order({"text": "oral"}), REPLY])))


def test_only_the_first_dosage_is_looked_at_because_it_is_the_graded_one():
    dosages = [{"route": "IV"}, {"route": {"text": "IV"}}]
    history = [post(json.dumps({"dosageInstruction": dosages})), REPLY]
    assert not warnings_of(file_of(result("task5_1", "[]", history)))


def test_an_agent_that_reads_its_order_back_is_told_why_it_is_not_there():
    history = [post(), REPLY, get("Observation"), {"role": "user", "content": "{}"}]
    (warning,) = warnings_of(lines(run(20, "[]", history)))
    assert warning.code == "history.reads-back"
    assert (warning.line, warning.pointer) == (1, "/output/history/2/content")


@pytest.mark.parametrize(
    "history",
    [
        [get("Observation"), REPLY, post(), REPLY],  # looked before
        [post(), {"role": "user", "content": "Invalid POST request"}, get("Observation"), REPLY],
        [post(), REPLY, get("Patient"), REPLY],  # another type
        [post(), REPLY, {**get("Observation"), "role": "user"}],  # not the agent
    ],
)
def test_other_reads_earn_no_warning(history):
    assert not warnings_of(file_of(result("task3_1", "[]", history)))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["dosageInstruction", "route", "text", "x"]), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_no_payload_breaks_the_check(payload):
    warnings_of(file_of(result("task9_1", "[]", [post(json.dumps(payload)), REPLY])))


@needs_shared
@pytest.mark.parametrize("name", ["copilot_v2", "copilot_v2_run20251127_132513"])
def test_the_real_runs_earn_neither(name):
    raw = (MEDAGENTBENCH / f"submissions/{name}.json").read_bytes()
    read = read_submission(raw, task_ids=published_task_ids("v2"), version="v2")
    assert {Code.ROUTE_OBJECT.value, Code.READS_BACK.value}.isdisjoint(w.code for w in read.warnings.listed)
