"""A file whose own values cannot be scored counts against its team's limits; our faults do not."""

import json
from http import HTTPStatus

import pytest

from leaderboard.models import Status, Submission
from leaderboard.services.errors import QuotaSpent
from leaderboard.services.submissions import grade
from tests.support.factories import make_fhir_demo, send
from wardboard.scoring.fhir_agentbench import demo
from wardboard.scoring.fhir_agentbench.reading import record_check

ENORMOUS = 1.7e308


def costly(number: int) -> bytes:
    """Return a file whose costs have no sum; each number gives another file."""
    records = json.loads(demo.GOOD.read_bytes())
    for record in records:
        record["usage"] = {"cost": ENORMOUS, "prompt_tokens": number}
    return json.dumps(records).encode()


@pytest.fixture
def unchecked(monkeypatch):
    """Let enormous figures pass the check, as they did once, to be found by scoring alone."""
    monkeypatch.setattr(record_check, "_MOST", dict.fromkeys(record_check._MOST, ENORMOUS))


def test_an_enormous_cost_is_a_problem_at_its_place(db, user):
    submission = send(user, make_fhir_demo(), costly(1)).submission
    assert (submission.status, submission.problem_count) == (Status.REJECTED, 60)
    problem = submission.problems[0]
    assert (problem["code"], problem["pointer"]) == ("usage.too-large", "/0/usage/cost")
    assert "1,000,000" in problem["message"]
    assert "null" in problem["hint"]


@pytest.mark.parametrize("limited", ["day", "rejected"])
def test_files_that_fail_through_their_own_values_count_as_files_of_the_day_and_as_rejected(
    db, user, unchecked, settings, limited
):
    settings.UPLOAD_REJECTED_PER_DAY = 2 if limited == "rejected" else 9
    board = make_fhir_demo(daily_limit=2 if limited == "day" else 9)
    for number in range(2):
        submission = send(user, board, costly(number)).submission
        assert (submission.status, submission.failure) == (Status.FAILED, grade.FILE_FAULT)
    with pytest.raises(QuotaSpent):
        send(user, board, costly(3) if limited == "day" else b"[]")
    assert Submission.objects.count() == 2


def test_a_fault_of_ours_costs_nothing(db, user, monkeypatch, settings):
    settings.UPLOAD_REJECTED_PER_DAY = 1
    board = make_fhir_demo(daily_limit=1)

    def stop(*_args, **_options):
        raise RuntimeError("ours")

    with monkeypatch.context() as broken:
        broken.setattr(grade, "grade", stop)
        for number in range(3):
            raw = demo.GOOD.read_bytes() + b" " * number
            assert send(user, board, raw).submission.failure == grade.OUR_FAULT
    assert send(user, board, demo.GOOD.read_bytes() + b"    ").submission.status == Status.SCORED


def test_the_api_says_that_the_file_is_at_fault(db, user, unchecked, client, settings):
    from leaderboard.services.accounts import create_token

    make_fhir_demo()
    token = create_token(user=user, name="test", days=1)[1]
    answer = client.post(
        "/api/v1/submissions/raw/?benchmark=fhir-agentbench-demo&system=S&models=m",
        costly(1),
        content_type="application/json",
        headers={"authorization": f"Bearer {token}"},
    )
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    problem = answer.json()
    assert (problem["code"], problem["submission"]["status"]) == ("file-unscorable", "failed")
