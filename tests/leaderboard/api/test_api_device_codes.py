"""A program gets a token that a person approves in a browser: the API's side of RFC 8628."""

import pytest
from django.core import serializers
from django.utils import timezone

from leaderboard.models import ApiToken, AuditEvent, CodeState, DeviceCode, Scope
from leaderboard.services.accounts import clear_expired, revoke_all_tokens
from leaderboard.services.errors import DeviceCodeRefused, NotFound
from leaderboard.services.teams import device_codes
from tests.support.api_client import Api, assert_problem
from tests.support.processes import run_at_once

CODES, TOKEN = "/api/v1/device/codes/", "/api/v1/device/token/"
GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture
def code(anonymous, user) -> dict:
    """Return what a program gets that asks for a code."""
    response = anonymous.post(CODES, {"client_id": "wardboard", "client_version": "1.2", "host": "laptop"})
    assert response.status_code == 200, response.content
    assert response["Cache-Control"] == "no-store"
    return response.json()


def fetch(code: dict, **changes):
    """Ask for the token of a code."""
    fields = {"client_id": "wardboard", "grant_type": GRANT, "device_code": code["device_code"]}
    return Api().post(TOKEN, {**fields, **changes})


def refused(response, error: str) -> dict:
    assert response["Cache-Control"] == "no-store"
    document = assert_problem(response, 400, "code-refused")
    assert document["error"] == error
    return document


def approve(code: dict, user) -> None:
    device_codes.answer(user_code=code["user_code"], user=user, is_approved=True)


def test_the_token_of_an_approved_code_is_the_accounts_and_is_given_once(code, user):
    refused(fetch(code), "authorization_pending")
    approve(code, user)
    assert not ApiToken.objects.exists()
    response = fetch(code)
    issued = response.json()
    assert response["Cache-Control"] == "no-store"
    assert (issued["token_type"], issued["scope"]) == ("Bearer", "validate submit publish read")
    assert issued["expires_in"] == pytest.approx(90 * 86400, abs=60)
    me = Api(issued["access_token"]).get("/api/v1/me/").json()
    assert (me["account"], me["token"]["name"]) == (user.email, "wardboard on laptop")
    again = refused(fetch(code), "invalid_grant")
    assert "revoke the token on your tokens page" in again["detail"]
    assert ApiToken.objects.count() == 1


def test_neither_the_secret_of_a_program_nor_a_token_is_stored_or_logged(code, user, caplog):
    approve(code, user)
    text = fetch(code).json()["access_token"]
    stored = serializers.serialize(
        "json", [*DeviceCode.objects.all(), *ApiToken.objects.all(), *AuditEvent.objects.all()]
    )
    for secret in (code["device_code"], text):
        assert secret not in stored
        assert secret not in caplog.text
    # Whence it asked is of no use once there is an answer.
    assert DeviceCode.objects.get().address == ""
    actions = set(AuditEvent.objects.values_list("action", flat=True))
    assert {AuditEvent.Action.PROGRAM_APPROVED, AuditEvent.Action.TOKEN_CREATED} <= actions


def test_a_denied_program_hears_so_and_gets_nothing(code, user):
    device_codes.answer(user_code=code["user_code"], user=user, is_approved=False)
    refused(fetch(code), "access_denied")
    with pytest.raises(NotFound):
        approve(code, user)
    refused(fetch(code), "access_denied")
    assert AuditEvent.objects.filter(action=AuditEvent.Action.PROGRAM_DENIED, actor=user).count() == 1


def test_a_code_expires_after_ten_minutes_answered_or_not(code, user):
    assert code["expires_in"] == 600
    DeviceCode.objects.update(expires_at=timezone.now())
    refused(fetch(code), "expired_token")
    with pytest.raises(NotFound):
        approve(code, user)
    DeviceCode.objects.update(state=CodeState.APPROVED, user=user)
    refused(fetch(code), "expired_token")
    clear_expired()
    assert not DeviceCode.objects.exists()
    refused(fetch(code), "invalid_grant")
    assert not ApiToken.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_questions_at_once_one_gets_the_token(user):
    row, secret = device_codes.begin(client="wardboard", host="", scopes=[Scope.READ], address="")
    device_codes.answer(user_code=row.user_code, user=user, is_approved=True)

    def question():
        try:
            return device_codes.fetch_token(device_code=secret)
        except DeviceCodeRefused as error:
            return error

    results = run_at_once(*[question] * 6)
    assert sum(getattr(result, "error", "") == "invalid_grant" for result in results) == 5
    assert ApiToken.objects.get().allowed == [Scope.READ]


def test_a_new_password_or_a_closed_account_ends_what_was_approved(code, user, anonymous):
    approve(code, user)
    user.is_active = False
    user.save()
    refused(fetch(code), "access_denied")
    user.is_active = True
    user.save()
    revoke_all_tokens(user=user)
    refused(fetch(code), "invalid_grant")
    assert not ApiToken.objects.exists()


def test_codes_are_limited_for_each_address(anonymous, db):
    answers = [anonymous.post(CODES, {"client_id": "wardboard"}) for _ in range(31)]
    assert [answer.status_code for answer in answers[:30]] == [200] * 30
    assert_problem(answers[30], 429, "too-many-requests")
    shown = {answer.json()["user_code"] for answer in answers[:30]}
    assert len(shown) == 30
    # No vowel, no digit, nothing that looks alike.
    assert not set("".join(shown)) & set("AEIOUY0123456789")
