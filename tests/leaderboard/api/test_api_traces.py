"""Traces by the API: for the team, and for everyone where it made them public."""

import pytest

from leaderboard.models import Board
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, with_history

pytestmark = pytest.mark.both_databases


@pytest.fixture
def traced(api, demo, good_file):
    Board.objects.update(public_traces=True)
    raw = with_history(good_file, "task1_1", "GET Patient?name=A", "for password=hunter22")
    return api.send(raw, make_facts()).json()


def test_the_team_lists_and_reads_traces(api, traced):
    listing = api.get(f"{traced['url']}traces/").json()
    assert listing["public"] is False
    (task,) = [task for task in listing["tasks"] if task["task_id"] == "task1_1"]
    assert task["runs"] == [1]
    trace = api.get(task["url"]).json()
    assert trace == {
        "task_id": "task1_1",
        "run": 1,
        "messages": [
            {"role": "agent", "text": "GET Patient?name=A", "calls": [], "cut": 0},
            {"role": "user", "text": "for [redacted]", "calls": [], "cut": 0},
        ],
        "left_out": 0,
    }


def test_others_get_404_until_the_team_makes_them_public(api, other_api, anonymous, traced):
    paths = [f"{traced['url']}traces/", f"{traced['url']}traces/task1_1/"]
    api.post(f"{traced['url']}publish/")
    for client in (other_api, anonymous):
        for path in paths:
            assert_problem(client.get(path), 404, "not-found")
    api.post(f"{traced['url']}publish/", {"public_traces": "true"})
    for client in (other_api, anonymous):
        assert [client.get(path).status_code for path in paths] == [200, 200]
    api.post(f"{traced['url']}publish/", {"public_traces": "false"})
    assert_problem(anonymous.get(paths[0]), 404, "not-found")


@pytest.mark.parametrize("path", ["traces/task9_99/", "traces/task1_1/?run=2"])
def test_a_trace_that_is_not_there_is_404(api, traced, path):
    assert_problem(api.get(f"{traced['url']}{path}"), 404, "not-found")


def test_parameters_are_checked(api, traced):
    assert_problem(api.get(f"{traced['url']}traces/task1_1/?run=x"), 400, "parameter-invalid")
    answer = api.post(f"{traced['url']}publish/", {"public_traces": "perhaps"})
    assert_problem(answer, 400, "parameter-invalid")
