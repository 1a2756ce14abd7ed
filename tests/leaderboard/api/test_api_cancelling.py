"""The progress of a submission in the API, and cancelling it."""

import uuid
from datetime import UTC, datetime

import pytest

from leaderboard.models import Status, Submission, Work
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, send_queued
from tests.support.openapi import assert_matches_schema

PROGRESS = {"total": 60, "read": 60, "to_judge": 40, "judged": 10, "undecided": 2, "seconds_left": 95}


@pytest.fixture
def queued(user, fhir_demo, good_answers):
    """Return a submission that was queued and never taken up."""
    return send_queued(user, fhir_demo, good_answers)


def test_progress_and_reason_for_waiting_have_the_documented_shape(api, document, queued):
    rows, url = Submission.objects.filter(pk=queued.pk), f"{SUBMISSIONS}{queued.pk}/"
    rows.update(status=Status.SCORING, claim=uuid.uuid4())
    Work.objects.update(progress=PROGRESS)
    scoring = api.get(url)
    assert (scoring["Retry-After"], scoring.json()["progress"]) == ("1", {**PROGRESS, "judged_share": 0.2})
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    rows.update(status=Status.INCOMPLETE, claim=None, waits_for="provider-down", resume_at=at)
    waiting = api.get(url)
    assert (waiting["Retry-After"], waiting.json()["waits_for"]) == ("30", "provider-down")
    assert waiting.json()["resume_at"] == "2026-03-01T12:00:00Z"
    for response in (scoring, waiting):
        assert_matches_schema(document, "#/components/schemas/Submission", response.json())


def test_a_scored_submission_names_its_judge_and_has_no_progress(api, fhir_demo, good_answers):
    submission = api.send(good_answers, make_facts(), benchmark=fhir_demo.slug).json()
    assert submission["scored_by"]["judge"] == "rules 6"
    assert (submission["progress"], submission["waits_for"], submission["resume_at"]) == (None, "", None)


def test_the_team_alone_cancels_a_submission_twice_is_once(api, other_api, anonymous, queued):
    address = f"{SUBMISSIONS}{queued.pk}/cancel/"
    assert_problem(other_api.post(address), 404, "not-found")
    assert_problem(anonymous.post(address), 401, "not-authenticated")
    assert Submission.objects.get().status == Status.QUEUED
    assert [api.post(address).json()["status"] for _ in range(2)] == ["cancelled"] * 2
