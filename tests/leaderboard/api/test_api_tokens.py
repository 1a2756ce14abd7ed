"""Authentication: tokens in every state, the session of the pages, and whom a team lets act for it."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import OF_SENDERS, ApiToken, Scope, Submission
from leaderboard.services.accounts import clear_expired, create_token, revoke_token
from leaderboard.services.teams import members
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import Api, assert_problem
from tests.support.factories import PASSWORD, make_demo, make_facts, make_user, with_wrong

ME = "/api/v1/me/"


def refused(client, code: str = "authentication-failed") -> dict:
    response = client.get(SUBMISSIONS)
    assert response["WWW-Authenticate"] == "Bearer"
    return assert_problem(response, 401, code)


def test_a_token_with_one_letter_changed_is_401(api):
    api.token = api.token[:-1] + ("0" if api.token[-1] != "0" else "1")
    refused(api)


def test_a_revoked_token_is_not_known(api, user):
    key = ApiToken.objects.get().token_key
    revoke_token(user=user, token_key=key)
    assert "was revoked" in refused(api)["detail"]


def test_the_holder_of_an_expired_token_hears_so_until_it_is_cleared(api):
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    clear_expired()
    refused(api, "token-expired")
    ApiToken.objects.update(expiry=timezone.now() - timedelta(days=31))
    clear_expired()
    assert not ApiToken.objects.exists()
    refused(api)


def test_the_token_of_an_inactive_user_is_401_and_says_no_more_than_of_an_unknown_one(api, user):
    user.is_active = False
    user.save()
    inactive = refused(api)
    api.token = "wb_" + "0" * 64
    assert refused(api) == inactive


def test_a_session_reads_and_changes_nothing_without_the_csrf_token(user, demo, good_file, scored):
    browser = Client(enforce_csrf_checks=True)
    assert browser.login(username=user.email, password=PASSWORD)
    assert browser.get(scored["url"]).status_code == 200
    assert browser.get(ME).json()["token"] is None
    problem = assert_problem(browser.post(f"{scored['url']}publish/"), 403, "permission-denied")
    assert "token" in problem["hint"]
    browser.get("/submit/")
    response = browser.post(
        f"{SUBMISSIONS}raw/?benchmark={demo.slug}&system=Another",
        with_wrong(good_file, 1),
        content_type="application/json",
        headers={"X-CSRFToken": browser.cookies["csrftoken"].value},
    )
    assert response.status_code == 201


def with_token(user, *scopes: Scope, board=None) -> Api:
    return Api(create_token(user=user, name="ci", days=1, scopes=scopes, board=board)[1])


def test_me_names_account_team_scopes_board_and_expiry(user, demo, api):
    body = with_token(user, Scope.VALIDATE, board=demo).get(ME).json()
    token = body.pop("token")
    assert body == {"account": user.email, "email_verified": False, "team": body["team"], "teams": []}
    assert (token["scopes"], token["benchmark"]) == (["validate"], demo.slug)
    assert token["expires_at"] > token["created_at"]
    assert api.get(ME).json()["token"]["scopes"] == list(OF_SENDERS)
    assert_problem(Api().get(ME), 401, "not-authenticated")


def test_each_scope_is_for_its_own_requests_and_no_others(user, demo, good_file, scored):
    requests = {
        "validate": lambda api: api.send(good_file, {}, path="/api/v1/validations/"),
        "submit": lambda api: api.send(good_file, make_facts()),
        "publish": lambda api: api.post(f"{scored['url']}publish/"),
        "read": lambda api: api.get(SUBMISSIONS),
    }
    for scope in Scope:
        api = with_token(user, scope)
        for name, send in requests.items():
            response = send(api)
            if name == scope:
                assert response.status_code in (200, 201), response.content
            else:
                assert_problem(response, 403, "scope-missing")
                assert response["WWW-Authenticate"] == f'Bearer error="insufficient_scope", scope="{name}"'


def test_to_submit_for_publication_takes_both_scopes_and_nothing_is_stored_without(user, demo, good_file):
    for wish in ("publish", "designate"):
        response = with_token(user, Scope.SUBMIT).send(good_file, make_facts(), **{wish: "true"})
        assert_problem(response, 403, "scope-missing")
    assert not Submission.objects.exists()
    both = with_token(user, Scope.SUBMIT, Scope.PUBLISH)
    assert both.send(good_file, make_facts(), publish="true").json()["published"]


def test_a_token_of_one_board_is_refused_on_every_other(user, demo, good_file, scored):
    other = make_demo("other-demo")
    token = with_token(user, *Scope, board=other)
    assert token.get(SUBMISSIONS).json()["count"] == 0
    for response in (
        token.get(scored["url"]),
        token.post(f"{scored['url']}publish/"),
        token.get(f"/api/v1/benchmarks/{demo.slug}/allowance/"),
        token.send(good_file, make_facts()),
        token.send(good_file, {}, path="/api/v1/validations/"),
        token.send_body(good_file, {"system": "x"}),
    ):
        assert_problem(response, 403, "scope-missing")
    assert token.send(good_file, make_facts(), benchmark="other-demo").status_code == 201


def test_a_token_of_one_board_cannot_tell_whether_a_hidden_submission_of_another_exists(
    other_user, demo, api, scored
):
    token = with_token(other_user, *Scope, board=make_demo("other-demo"))
    nowhere = f"{SUBMISSIONS}{uuid4()}/"

    def answers(address: str) -> list[tuple[int, dict]]:
        responses = [token.get(address), token.get(f"{address}receipt/")]
        responses += [token.post(f"{address}{action}/") for action in ("publish", "withdraw", "cancel")]
        return [
            (one.status_code, {name: one.json()[name] for name in ("type", "title", "detail")})
            for one in responses
        ]

    assert answers(scored["url"]) == answers(nowhere)
    assert {status for status, _ in answers(nowhere)} == {404}
    api.post(f"{scored['url']}publish/")
    # What everyone may read.
    assert {status for status, _ in answers(scored["url"])} == {403}


def problem_of_team(document: dict) -> dict:
    (problem,) = document["problems"]
    assert (problem["code"], problem["pointer"]) == ("request.value-unknown", "/team")
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


def test_a_token_of_a_team_acts_for_it_alone(lab, user, demo, good_file):
    lab_api = Api(create_token(user=user, name="CI", days=1, team=lab)[1])
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
