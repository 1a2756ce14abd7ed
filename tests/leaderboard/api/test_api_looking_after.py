"""Reading, publishing, withdrawing and cancelling, and teams that never see each other's submissions."""

import uuid
from datetime import UTC, datetime

import pytest

from leaderboard.models import Status, Submission, Work
from tests.support.addresses import SUBMISSIONS
from tests.support.factories import make_facts, with_wrong
from tests.support.openapi import assert_matches_schema

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("demo")]


def test_the_list_is_the_teams_own_newest_first_in_pages_and_takes_few_queries(
    api, other_api, demo, good_file, django_assert_max_num_queries
):
    for n in range(3):
        api.send(with_wrong(good_file, n), make_facts(system=f"System {n}"))
    other_api.send(good_file, make_facts(system="Theirs"))
    with django_assert_max_num_queries(6):
        listing = api.get(SUBMISSIONS).json()
    assert (listing["count"], listing["page"], listing["pages"]) == (3, 1, 1)
    assert [line["system"] for line in listing["results"]] == ["System 2", "System 1", "System 0"]
    assert [line["system"] for line in other_api.get(SUBMISSIONS).json()["results"]] == ["Theirs"]
    first = api.get(SUBMISSIONS, {"status": "scored", "per_page": 2}).json()
    last = api.get(first["next"]).json()
    assert first["results"] + last["results"] == listing["results"]
    assert last["next"] is None
    past = api.get(SUBMISSIONS, {"page": 3, "per_page": 2}).json()
    assert (past["page"], past["pages"], past["results"], past["next"]) == (3, 2, [], None)


def test_a_published_submission_shows_others_the_result_no_report_and_no_person(
    api, anonymous, other_api, scored, user
):
    api.post(f"{scored['url']}publish/")
    private = api.get(scored["url"]).json()
    for client in (anonymous, other_api):
        response = client.get(scored["url"])
        assert response.json()["result"] == private["result"]
        hidden = private.keys() - response.json().keys()
        assert {"filename", "warnings", "problems", "failure", "tasks", "withdrawal_reason"} <= hidden
        for shown in (response, client.get("/api/v1/benchmarks/medagentbench-demo/leaderboard/")):
            assert b"Careful agent" in shown.content
            assert user.email.encode() not in shown.content


# --- On the way to a score ------------------------------------------------------------------------------

PROGRESS = {"total": 60, "read": 60, "to_judge": 40, "judged": 10, "undecided": 2}


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


def test_a_submission_is_cancelled_and_twice_is_once(api, queued):
    cancelled = [api.post(f"{SUBMISSIONS}{queued.pk}/cancel/").json()["status"] for _ in range(2)]
    assert cancelled == ["cancelled"] * 2
