"""Parameters of the API: unknown ones are refused, lists are filtered, limits are in headers."""

import threading
from collections.abc import Iterator

import pytest

from leaderboard.api.submissions import waiting
from leaderboard.models import Status, Submission
from leaderboard.services import turns
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, with_wrong

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("demo")]


def hints(response) -> dict[str, str]:
    problem = assert_problem(response, 400, "parameter-invalid")
    return {one["pointer"]: one["hint"] for one in problem["problems"]}


def test_a_field_that_is_repeated_is_refused_and_nothing_is_withdrawn(api, scored):
    api.post(f"{scored['url']}publish/")
    part = '--b\r\nContent-Disposition: form-data; name="reason"\r\n\r\nthe same\r\n'
    for body, kind in (
        ("reason=first&reason=second", "application/x-www-form-urlencoded"),
        ('{"reason": "first", "reason": "second"}', "application/json"),
        (f"{part}{part}--b--\r\n", "multipart/form-data; boundary=b"),
    ):
        response = api.post(f"{scored['url']}withdraw/", body.encode(), kind)
        assert hints(response) == {"/reason": "Give `reason` once."}, kind
    assert api.get(scored["url"]).json()["published"]


def test_submissions_are_filtered_by_each_fact(api, demo, good_file):
    first = api.send(good_file, make_facts(system="First"), commit="abcdef0123").json()
    api.send(with_wrong(good_file, 2), make_facts(system="Second"))
    for query in (
        {"system": "first"},
        {"sha256": first["file"]["sha256"].upper()},
        {"commit": "ABCDEF0"},
        {"benchmark": demo.slug, "status": "scored", "system": "First"},
    ):
        assert [line["id"] for line in api.get(SUBMISSIONS, query).json()["results"]] == [first["id"]]
    assert api.get(SUBMISSIONS, {"status": "rejected"}).json()["count"] == 0
    assert api.get(SUBMISSIONS, {"commit": "1234567"}).json()["count"] == 0


def test_every_value_that_there_is_not_is_refused_with_the_nearest(api, scored):
    query = {"status": "score", "page": "0", "per_page": "201", "sha256": "abc", "commit": "main"}
    found = hints(api.get(SUBMISSIONS, query))
    assert set(found) == {f"/{name}" for name in query}
    assert found["/status"] == "Did you mean status=scored?"
    query = {"benchmark": "medagentbench-dem", "system": "Careful agnt"}
    found = hints(api.get(SUBMISSIONS, query))
    assert set(found) == {"/benchmark", "/system"}
    assert found["/benchmark"] == "Did you mean benchmark=medagentbench-demo?"


def test_a_submission_that_has_not_changed_is_304_and_after_a_change_it_is_not(api, scored):
    response = api.get(scored["url"])
    known = {"If-None-Match": response["ETag"]}
    again = api.get(scored["url"], **known)
    assert (again.status_code, again.content) == (304, b"")
    api.post(f"{scored['url']}publish/")
    assert api.get(scored["url"], **known).json()["published"]


def test_other_sites_may_read_without_credentials_and_change_nothing(api, anonymous, demo):
    address = f"/api/v1/benchmarks/{demo.slug}/leaderboard/"
    response = anonymous.get(address, Origin="https://example.org")
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "X-Request-ID" in response["Access-Control-Expose-Headers"]
    assert response["X-Request-ID"]
    assert "Access-Control-Allow-Credentials" not in response
    assert anonymous.get("/api/v1/benchmarks/none/")["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in api.post(SUBMISSIONS)
    preflight = anonymous.client.options(SUBMISSIONS, headers={"Origin": "https://example.org"})
    assert "Access-Control-Allow-Origin" not in preflight


@pytest.fixture
def queued(api, demo, good_file, monkeypatch) -> Iterator[dict]:
    """Return a submission that waits for a worker, as JSON."""
    monkeypatch.setattr("leaderboard.services.background.is_for_request", lambda **_: False)
    monkeypatch.setattr("leaderboard.services.background.enqueue", lambda *_, **__: None)
    body = api.send(good_file, make_facts()).json()
    assert body["status"] == "queued"
    return body


def test_a_wait_ends_as_soon_as_the_submission_is_settled(api, queued, monkeypatch):
    looks = []

    def settle(seconds: float) -> bool:
        looks.append(seconds)
        if len(looks) == 3:
            Submission.objects.update(status=Status.CANCELLED)
        return False

    monkeypatch.setattr(waiting.STOPPING, "wait", settle)
    response = api.get(queued["url"], {"wait": "60"})
    assert (response.json()["status"], len(looks)) == ("cancelled", 3)
    assert "Retry-After" not in response


def test_a_wait_needs_a_free_turn_and_a_process_that_goes_on_else_the_answer_comes_at_once(
    api, queued, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(waiting.turns, "waiting", turns.Turns(1))
        with waiting.turns.waiting.take(0):
            assert api.get(queued["url"], {"wait": "60"})["Retry-After"] == "2"
    stopping = threading.Event()
    stopping.set()
    monkeypatch.setattr(waiting, "STOPPING", stopping)
    assert api.get(queued["url"], {"wait": "60"})["Retry-After"] == "2"
