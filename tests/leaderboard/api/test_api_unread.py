"""A file that a team may not send is refused before it is read, unless it may be one that it sent before."""

import pytest

from leaderboard.api.bodies import Body
from leaderboard.models import Board, Submission
from tests.support.api_client import SUBMISSIONS, assert_problem
from tests.support.factories import with_wrong

FACTS = {"system": "Agent", "models": "m"}
ADDRESS = f"{SUBMISSIONS}raw/?benchmark=medagentbench-demo&system=Agent&models=m"


@pytest.fixture
def unread(monkeypatch):
    """Fail where a body is read."""

    def read(*_):
        raise AssertionError("the body was read")

    def refuse():
        monkeypatch.setattr(Body, "read", read)

    return refuse


@pytest.fixture
def spent(api, demo, good_file):
    """Spend the quota of the user's team with one file."""
    Board.objects.update(daily_limit=1)
    assert api.send_body(good_file, FACTS).status_code == 201


def test_a_file_beyond_the_quota_or_the_room_is_refused_unread_and_the_answer_says_so(
    api, spent, good_file, unread, writers, settings
):
    writers.clear()
    unread()
    response = api.send_body(with_wrong(good_file, 1) + b" ", FACTS)
    problem = assert_problem(response, 429, "quota-spent")
    assert problem["detail"].endswith("The file was not read.")
    assert 0 < int(response["Retry-After"]) <= 86_400
    Board.objects.update(daily_limit=None)
    settings.UPLOAD_TEAM_BYTES = 1
    assert_problem(api.send_body(with_wrong(good_file, 1) + b" ", FACTS), 413, "storage-spent")
    assert writers == []


def test_the_same_file_beyond_the_quota_is_the_same_submission(api, spent, good_file):
    response = api.send_body(good_file, FACTS)
    assert (response.status_code, response.json()["id"]) == (200, str(Submission.objects.get().pk))
    assert api.send(good_file, FACTS).json()["id"] == response.json()["id"]


def test_a_repeated_request_beyond_the_quota_gets_its_first_answer(api, demo, good_file):
    Board.objects.update(daily_limit=1)
    kind = "application/json"
    first = api.post(ADDRESS, good_file, kind, **{"Idempotency-Key": "k"})
    # As if the rows had other sizes, so that only the key tells.
    Submission.objects.update(size_bytes=1)
    again = api.post(ADDRESS, good_file, kind, **{"Idempotency-Key": "k"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["id"] == again.json()["id"]


def test_a_file_that_is_let_through_is_still_counted_under_the_lock(api, spent, good_file):
    other = with_wrong(good_file, 1).replace(b" ", b"", 1)
    same_length = other + b" " * (len(good_file) - len(other))
    assert len(same_length) == len(good_file)
    problem = assert_problem(api.send_body(same_length, FACTS), 429, "quota-spent")
    assert "not read" not in problem["detail"]
    assert Submission.objects.count() == 1


def test_files_of_another_team_tell_nothing_about_ones_own(other_api, spent, good_file, unread):
    Board.objects.update(daily_limit=0)
    unread()
    assert_problem(other_api.send_body(good_file, FACTS), 429, "quota-spent")
