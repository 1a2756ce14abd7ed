"""Idempotency-Key: one key, one response; other requests are refused; twins are one submission."""

import pytest

from leaderboard.models import AuditEvent, Evaluation, IdempotencyKey, Submission
from leaderboard.services.accounts import create_token
from tests.support.api_client import Api, assert_problem
from tests.support.factories import make_facts, make_user
from tests.support.processes import run_at_once

pytestmark = pytest.mark.both_databases

TWINS = 4


@pytest.mark.parametrize("key", ["", "build-17"])
def test_a_request_again_gets_the_first_response_which_says_so(api, demo, good_file, malformed_file, key):
    for raw, status in ((good_file, 201), (malformed_file, 422)):
        first, again = (api.send(raw, make_facts(), key=key and f"{key}-{status}") for _ in range(2))
        assert first.status_code == status
        assert again.status_code == (status if key or status == 422 else 200)
        assert "Idempotent-Replayed" not in first
        assert again["Idempotent-Replayed"] == "true"
        assert again.json().get("id") == first.json().get("id")
        assert first.get("Location") == again.get("Location")
    assert Submission.objects.count() == 2


def test_an_invalid_idempotency_key_is_a_problem_of_the_request(api, demo, good_file, system_facts):
    for key in ("x" * 256, "schlüssel", "tab\there"):
        document = assert_problem(api.send(good_file, system_facts, key=key), 422, "request-invalid")
        assert [problem["code"] for problem in document["problems"]] == ["request.idempotency-key-invalid"]
    assert not Submission.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("key", ["", "build-17"])
def test_two_identical_requests_at_once_make_one_submission_with_one_evaluation(demo, good_file, key):
    token = create_token(user=make_user("twins@example.org"), name="t", days=1)[1]
    responses = run_at_once(*[lambda: Api(token).send(good_file, make_facts(), key=key)] * TWINS)
    statuses = sorted(response.status_code for response in responses)
    assert statuses == ([201] * TWINS if key else [200] * (TWINS - 1) + [201])
    assert len({response.json()["id"] for response in responses}) == 1
    assert Submission.objects.get().status == "scored"
    assert Evaluation.objects.count() == 1
    assert AuditEvent.objects.filter(action="submission.received").count() == 1
    assert IdempotencyKey.objects.count() == (1 if key else 0)
