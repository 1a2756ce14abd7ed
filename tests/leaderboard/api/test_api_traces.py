"""Traces by the API: for the team, and for everyone where it made them public."""

import pytest

from leaderboard.models import Board, Submission
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, with_history

pytestmark = pytest.mark.both_databases


@pytest.fixture
def leaking(api, demo, good_file):
    Board.objects.update(public_traces=True)
    raw = with_history(good_file, "task1_1", "GET Patient?name=A", "by ada@ward.test")
    return api.send(raw, make_facts()).json()


def test_the_team_lists_and_reads_traces(api, leaking):
    listing = api.get(f"{leaking['url']}traces/").json()
    assert listing["public"] is False
    (task,) = [task for task in listing["tasks"] if task["task_id"] == "task1_1"]
    assert task["runs"] == [1]
    trace = api.get(task["url"]).json()
    assert trace == {
        "task_id": "task1_1",
        "run": 1,
        "messages": [
            {"role": "agent", "text": "GET Patient?name=A", "calls": [], "cut": 0},
            {"role": "user", "text": "by ada@ward.test", "calls": [], "cut": 0},
        ],
        "left_out": 0,
    }


def test_findings_have_to_be_confirmed(api, other_api, leaking):
    assert_problem(other_api.get(f"{leaking['url']}trace-findings/"), 404, "not-found")
    findings = api.get(f"{leaking['url']}trace-findings/").json()
    assert findings["findings"] == [
        {"kind": "email", "text": "ada@ward.test", "count": 1, "task_ids": ["task1_1"]}
    ]
    problem = api.post(f"{leaking['url']}publish/", {"public_traces": "true"})
    assert_problem(problem, 409, "traces-unconfirmed")
    assert not Submission.objects.get().is_published


@pytest.mark.parametrize("path", ["traces/task9_99/", "traces/task1_1/?run=2"])
def test_a_trace_that_is_not_there_is_404(api, leaking, path):
    assert_problem(api.get(f"{leaking['url']}{path}"), 404, "not-found")


def test_parameters_are_checked(api, leaking):
    assert_problem(api.get(f"{leaking['url']}traces/task1_1/?run=x"), 400, "parameter-invalid")
    answer = api.post(f"{leaking['url']}publish/", {"public_traces": "perhaps"})
    assert_problem(answer, 400, "parameter-invalid")
