"""Authentication: tokens in every state, and the session of the pages."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import ApiToken
from leaderboard.services.accounts import create_token, revoke_token
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import assert_problem
from tests.support.factories import PASSWORD


def refused(client) -> dict:
    response = client.get(SUBMISSIONS)
    assert response["WWW-Authenticate"] == "Bearer"
    return assert_problem(response, 401, "authentication-failed")


def test_a_token_authenticates_its_owner(api):
    assert api.get(SUBMISSIONS).status_code == 200


def test_a_revoked_token_is_401(api, user):
    revoke_token(user=user, token_key=ApiToken.objects.get().token_key)
    refused(api)


def test_an_expired_token_is_401(api):
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    refused(api)


def test_the_token_of_an_inactive_user_is_401_and_says_no_more_than_of_an_unknown_one(api, user):
    user.is_active = False
    user.save()
    inactive = refused(api)
    api.token = "wb_" + "0" * 64
    assert refused(api) == inactive


@pytest.mark.parametrize(
    "token",
    ["\xff\xfe", "wb_\x80", "é" * 40, "wb_", "x" * 5000, "wb_nul\x00", "😀".encode().decode("latin-1")],
)
def test_bytes_that_are_not_a_token_are_401_and_not_a_crash(anonymous, db, token):
    anonymous.token = token
    refused(anonymous)


@pytest.mark.parametrize("header", ["Bearer", "Bearer a b"])
def test_a_malformed_header_is_401(anonymous, db, header):
    response = anonymous.client.get(SUBMISSIONS, headers={"Authorization": header})
    assert_problem(response, 401, "authentication-failed")


def test_a_token_with_one_letter_changed_is_401(api):
    api.token = api.token[:-1] + ("0" if api.token[-1] != "0" else "1")
    refused(api)


def test_only_a_digest_of_the_token_is_kept(api):
    token = ApiToken.objects.get()
    assert api.token not in (token.digest, token.token_key)
    assert len(token.token_key) < 20


def test_another_authentication_scheme_counts_as_anonymous(anonymous, db):
    response = anonymous.client.get(SUBMISSIONS, headers={"Authorization": "Basic YTpi"})
    assert_problem(response, 401, "not-authenticated")


def test_public_resources_need_no_authentication(anonymous, demo):
    anonymous.token = "expired"
    assert anonymous.get("/api/v1/benchmarks/").status_code == 200


def test_a_session_reads_but_changes_nothing_without_the_csrf_token(user, scored):
    browser = Client(enforce_csrf_checks=True)
    assert browser.login(username=user.email, password=PASSWORD)
    assert browser.get(scored["url"]).status_code == 200
    problem = assert_problem(browser.post(f"{scored['url']}publish/"), 403, "csrf-failed")
    assert "token" in problem["hint"]


def test_a_session_with_the_csrf_token_may_submit_a_file(user, demo, good_file):
    browser = Client(enforce_csrf_checks=True)
    browser.login(username=user.email, password=PASSWORD)
    browser.get("/check/")
    response = browser.post(
        f"{SUBMISSIONS}?benchmark={demo.slug}&system=s",
        good_file,
        content_type="application/json",
        headers={"X-CSRFToken": browser.cookies["csrftoken"].value},
    )
    assert response.status_code == 201


def test_two_tokens_of_one_person_are_the_same_team(api, user, anonymous, scored):
    anonymous.token = create_token(user=user, name="second", days=None)[1]
    assert anonymous.get(scored["url"]).json()["id"] == scored["id"]
