"""Reports of doubtful reference answers by the API."""

import pytest

from leaderboard.models import Board
from leaderboard.services.doubts import reports
from tests.support.factories import make_facts

pytestmark = pytest.mark.both_databases


@pytest.fixture
def address(api, demo, good_file) -> str:
    return f"{api.send(good_file, make_facts()).json()['url']}doubts/"


def test_a_team_reports_a_task_and_follows_what_becomes_of_it(api, user, address):
    assert api.get(address).json() == {"doubts": []}
    sent = {"task_id": "task2_1", "reason": "several-answers", "text": "Two orders."}
    response = api.post(address, sent)
    assert response.status_code == 201
    doubt = response.json()
    assert {name: doubt[name] for name in sent} == sent
    assert (doubt["state"], doubt["answer"], doubt["decided_at"]) == ("open", "", None)
    reports.decline(board=Board.objects.get(), task_id="task2_1", by=user, reason="One was cancelled.")
    [listed] = api.get(address).json()["doubts"]
    assert (listed["state"], listed["answer"]) == ("declined", "One was cancelled.")
    assert listed["decided_at"] is not None
