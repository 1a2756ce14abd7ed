"""Authentication: tokens in every state, and the session of the pages."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from leaderboard.models import OF_SENDERS, ApiToken, Scope, Submission
from leaderboard.services.accounts import clear_expired, create_token, revoke_token
from leaderboard.services.errors import WrongState
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import Api, assert_problem
from tests.support.factories import PASSWORD, make_demo, make_facts, with_wrong

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


def test_bytes_that_are_not_a_token_are_401_and_not_a_crash(anonymous, db):
    emoji = "😀".encode().decode("latin-1")
    for token in ("\xff\xfe", "wb_\x80", "é" * 40, "wb_", "x" * 5000, "wb_nul\x00", emoji):
        anonymous.token = token
        refused(anonymous)
    refusals = {"Bearer": "authentication-failed", "Bearer a b": "authentication-failed"}
    for header, code in (refusals | {"Basic YTpi": "not-authenticated"}).items():
        response = anonymous.client.get(SUBMISSIONS, headers={"Authorization": header})
        assert_problem(response, 401, code)


def test_public_resources_need_no_authentication(anonymous, demo):
    anonymous.token = "expired"
    assert anonymous.get("/api/v1/benchmarks/").status_code == 200


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


def test_a_token_from_before_there_were_scopes_may_do_what_senders_do(api, scored):
    ApiToken.objects.update(scopes=None)
    assert api.post(f"{scored['url']}publish/").status_code == 200
    assert api.get(ME).json()["token"]["scopes"] == list(OF_SENDERS)


def test_the_last_use_is_noted_at_most_every_ten_minutes(api):
    api.get(ME)
    first = ApiToken.objects.get().last_used_at
    api.get(ME)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=11))
    api.get(ME)
    assert ApiToken.objects.get().last_used_at > first


def test_a_database_that_does_not_write_still_answers_those_who_read(api, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("read-only")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", refuse)
    assert api.get(ME).status_code == 200


def test_an_account_has_as_many_live_tokens_as_the_setting_says(user, settings):
    settings.TOKENS_PER_ACCOUNT = 2
    for name in ("one", "two"):
        create_token(user=user, name=name, days=30)
    with pytest.raises(WrongState, match="There are 2 tokens"):
        create_token(user=user, name="three", days=30)
    ApiToken.objects.filter(name="one").update(expiry=timezone.now() - timedelta(seconds=1))
    assert create_token(user=user, name="three", days=30)
