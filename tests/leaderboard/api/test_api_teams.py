"""Teams of several people in the API: who acts, what each sees, and what becomes of tokens."""

import pytest

from leaderboard.models import Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.teams import members
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import Api, assert_problem
from tests.support.factories import make_facts, make_user, with_wrong

ME = "/api/v1/me/"
UNKNOWN = "request.value-unknown"


@pytest.fixture
def lab_api(lab, user) -> Api:
    """A client with a token of the team."""
    return Api(create_token(user=user, name="CI", days=1, team=lab)[1])


def problem_of_team(document: dict) -> dict:
    (problem,) = document["problems"]
    assert (problem["code"], problem["pointer"]) == (UNKNOWN, "/team")
    return problem


def test_a_field_and_the_query_of_a_raw_file_name_the_team_that_submits(api, lab, demo, good_file):
    by_field = api.send(good_file, make_facts(), team="ward-lab").json()
    beside = api.send(with_wrong(good_file, 1), make_facts(), path=f"{SUBMISSIONS}?team=ward-lab")
    refused = assert_problem(beside, 422, "request-invalid")["problems"]
    assert [(each["code"], each["pointer"]) for each in refused] == [("request.unknown-parameter", "/team")]
    by_body = api.send_body(with_wrong(good_file, 2), {**make_facts(), "team": "ward-lab"}).json()
    assert {each["team"] for each in (by_field, by_body)} == {"Ward Lab"}
    assert set(Submission.objects.values_list("team", flat=True)) == {lab.pk}


@pytest.mark.parametrize("handle", ["other-lab", "no-such-team", "WARD LAB"])
def test_a_team_that_the_account_is_not_in_is_refused_with_its_own_teams(api, lab, demo, good_file, handle):
    # Nobody learns whether there is such a team.
    members.create_team(user=make_user("eve@example.org"), name="Other Lab", handle="other-lab")
    allowance = "/api/v1/benchmarks/medagentbench-demo/allowance/"
    for response, status, code in (
        (api.send(good_file, make_facts(), team=handle), 422, "request-invalid"),
        (api.get(SUBMISSIONS, {"team": handle}), 400, "parameter-invalid"),
        (api.get(allowance, {"team": handle}), 400, "parameter-invalid"),
    ):
        problem = problem_of_team(assert_problem(response, status, code))
        assert problem["message"].startswith("You are not in a team")
        assert "ward-lab" in problem["hint"]
        assert "Other Lab" not in response.content.decode()
    assert not Submission.objects.exists()


def test_a_token_of_a_team_acts_for_it_alone(lab_api, lab, user, demo, good_file):
    members.create_team(user=user, name="Second", handle="second")
    assert lab_api.send(good_file, make_facts()).json()["team"] == "Ward Lab"
    assert lab_api.send(good_file, make_facts(), team="ward-lab").status_code == 200
    me = lab_api.get(ME).json()
    assert (me["team"], me["teams"]) == (
        "Ward Lab",
        [{"name": "Ward Lab", "handle": "ward-lab", "role": "owner"}],
    )
    refused = assert_problem(lab_api.send(good_file, make_facts(), team="second"), 422, "request-invalid")
    assert problem_of_team(refused)["hint"] == "Those that may be named: ward-lab."
    assert_problem(lab_api.get(SUBMISSIONS, {"team": "second"}), 400, "parameter-invalid")
