"""The progress of a submission in the API, and cancelling it."""

import uuid
from datetime import UTC, datetime

import pytest

from leaderboard.models import Status, Submission
from leaderboard.services.submissions import grade
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, send
from tests.support.openapi import assert_matches_schema, ref_of

PROGRESS = {"total": 60, "read": 60, "to_judge": 40, "judged": 10, "undecided": 2, "seconds_left": 95}


@pytest.fixture
def queued(user, fhir_demo, good_answers, monkeypatch):
    """Return a submission that was queued and never taken up."""
    with monkeypatch.context() as busy:
        busy.setattr(grade, "score", lambda **_: None)
        return send(user, fhir_demo, good_answers).submission


def address(submission):
    return f"{SUBMISSIONS}{submission.pk}/"


def test_progress_and_reason_for_waiting_have_the_documented_shape(api, anonymous, queued):
    rows = Submission.objects.filter(pk=queued.pk)
    document = anonymous.get("/api/v1/openapi.json").json()
    ref = ref_of(document, "/api/v1/submissions/{submission_id}/", "get", "200")
    rows.update(status=Status.SCORING, claim=uuid.uuid4(), progress=PROGRESS)
    response = api.get(address(queued))
    assert_matches_schema(document, ref, response.json())
    assert response.json()["progress"] == {**PROGRESS, "judged_share": 0.2}
    assert response["Retry-After"] == "1"
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    rows.update(status=Status.INCOMPLETE, claim=None, waits_for="provider-down", resume_at=at)
    response = api.get(address(queued))
    assert_matches_schema(document, ref, response.json())
    assert response.json()["waits_for"] == "provider-down"
    assert response.json()["resume_at"] == "2026-03-01T12:00:00Z"
    assert response["Retry-After"] == "30"


def test_a_scored_submission_names_its_judge_and_has_no_progress(api, fhir_demo, good_answers):
    submission = api.send(good_answers, make_facts(), benchmark=fhir_demo.slug).json()
    assert submission["scored_by"]["judge"] == "rules 6"
    assert (submission["progress"], submission["waits_for"], submission["resume_at"]) == (None, "", None)


def test_cancelling_needs_a_token_of_the_own_team(other_api, anonymous, queued):
    assert_problem(other_api.post(f"{address(queued)}cancel/"), 404, "not-found")
    assert_problem(anonymous.post(f"{address(queued)}cancel/"), 401, "not-authenticated")
    assert_problem(other_api.post(f"{SUBMISSIONS}{uuid.uuid4()}/cancel/"), 404, "not-found")
    assert Submission.objects.get().status == Status.QUEUED
