"""Reading, publishing and withdrawing, and two teams that never see each other's submissions."""

import pytest

from leaderboard.models import Feedback
from leaderboard.services.publishing.disqualify import disqualify
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, make_user, with_wrong

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("demo")]

# Written once: `demo` returns it.
BOARD = "/api/v1/benchmarks/medagentbench-demo/leaderboard/"


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
        for shown in (response, client.get(BOARD)):
            assert b"Careful agent" in shown.content
            assert user.email.encode() not in shown.content


def test_withdrawing_takes_it_off_the_board_and_keeps_the_reason(api, anonymous, scored):
    api.post(f"{scored['url']}publish/")
    assert anonymous.get(BOARD).json()["count"] == 1
    submission = api.post(f"{scored['url']}withdraw/", {"reason": "wrong model"}).json()
    assert (submission["published"], submission["withdrawal_reason"]) == (False, "wrong model")
    assert submission["withdrawn_at"]
    assert anonymous.get(BOARD).json()["count"] == 0
    assert_problem(anonymous.get(scored["url"]), 404, "not-found")


def test_a_reason_that_cannot_be_read_is_refused(api, scored):
    api.post(f"{scored['url']}publish/")
    for body, status, code in (
        (b"[" * 5000, 400, "request-malformed"),
        (b'["reason"]', 400, "request-malformed"),
        (b"\xff\xfe", 400, "request-malformed"),
        (b'{"reason": "' + b"x" * 20_000 + b'"}', 413, "file.too-large"),
    ):
        assert_problem(api.post(f"{scored['url']}withdraw/", body, "application/json"), status, code)
    assert api.get(scored["url"]).json()["published"] is True


@pytest.mark.parametrize("action", ["", "publish/", "withdraw/"])
def test_without_a_token_sending_publishing_and_withdrawing_are_401(anonymous, scored, action):
    path = f"{scored['url']}{action}" if action else SUBMISSIONS
    response = anonymous.post(path)
    assert_problem(response, 401, "not-authenticated")
    assert response["WWW-Authenticate"] == "Bearer"


# --- Feedback levels: nothing beyond the level, anywhere ------------------------------------------

HIDDEN_AT_OVERALL = (
    "query_success_rate",
    "action_success_rate",
    "task_type",
    "difficulty",
    "task1",
    '"kind":{',
)


def test_at_overall_no_response_has_figures_by_type(api, anonymous, demo, good_file):
    def read_all(raw):
        sent = api.send(raw, make_facts(), publish="true")
        url = sent.json()["url"]
        paths = (url, BOARD, f"/api/v1/benchmarks/{demo.slug}/")
        return [sent, api.get(url), *map(anonymous.get, paths), api.get(SUBMISSIONS)]

    by_type = "".join(response.content.decode() for response in read_all(with_wrong(good_file, 1)))
    assert [word for word in HIDDEN_AT_OVERALL if word not in by_type] == []
    assert anonymous.get(BOARD, {"sort": "query_success_rate"}).status_code == 200
    type(demo).objects.update(feedback=Feedback.OVERALL)
    responses = read_all(good_file)
    assert responses[0].json()["result"]["metrics"].keys() == {"success_rate", "coverage"}
    for response in responses:
        body = response.content.decode()
        assert [word for word in HIDDEN_AT_OVERALL if word in body] == []
        assert response.json().get("tasks") in (None, 50)
    for hidden in ("query_success_rate", "-query_success_rate", "action_success_rate"):
        assert anonymous.get(BOARD, {"sort": hidden}).status_code == 400


def test_at_by_task_the_team_sees_right_or_wrong_and_nobody_else_does(api, anonymous, demo, good_file):
    type(demo).objects.update(feedback=Feedback.BY_TASK)
    submission = api.send(good_file, make_facts(), publish="true").json()
    assert sum(task["correct"] for task in submission["tasks"]) == 47
    assert not any(task["failures"] for task in submission["tasks"])
    assert {task["remark"] for task in submission["tasks"]} <= {"", "not in the file", "no answer"}
    assert "tasks" not in anonymous.get(submission["url"]).json()


def test_only_the_team_sees_its_disqualified_result_and_the_reason(api, anonymous, scored):
    api.post(f"{scored['url']}publish/")
    boss = make_user("boss@example.org")
    disqualify(submission_id=scored["id"], by=boss, reason="trained on the tasks")
    submission = api.get(scored["url"]).json()
    assert (submission["published"], submission["disqualification_reason"]) == (False, "trained on the tasks")
    assert submission["disqualified_at"]
    for action in ("publish", "withdraw"):
        problem = assert_problem(api.post(f"{scored['url']}{action}/"), 409, "wrong-state")
        assert "trained on the tasks" in problem["detail"]
    assert_problem(anonymous.get(scored["url"]), 404, "not-found")
