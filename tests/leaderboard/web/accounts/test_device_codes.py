"""The page on which a person sees what program asks for a token, and approves or denies it."""

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import ApiToken, CodeState, DeviceCode, Scope
from leaderboard.services.teams import device_codes
from tests.support.pages.visible_text import text_of

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
PAGE, TOKENS = reverse("web:device"), reverse("web:tokens")


def begin(**changes) -> DeviceCode:
    facts = {"client": "wardboard 1.2", "host": "laptop", "scopes": [Scope.READ], "address": "127.0.0.1"}
    return device_codes.begin(**{**facts, **changes})[0]


def answer(client, code, word="approve", **options):
    return client.post(PAGE, {"user_code": code.shown_code, "answer": word}, **options)


def state() -> CodeState:
    return DeviceCode.objects.get().state


def test_a_visitor_signs_in_first_and_comes_back_with_the_code(visitor):
    code = begin()
    response = visitor.get(PAGE, {"user_code": code.shown_code})
    assert response["Location"] == f"/accounts/login/?next={PAGE}%3Fuser_code%3D{code.shown_code}"


def test_the_page_says_who_asks_for_what_and_warns(ada, user):
    code = begin()
    text = text_of(ada.get(PAGE, {"user_code": code.shown_code}))
    for words in (
        code.shown_code,
        user.email,
        "wardboard 1.2",
        "laptop",
        "127.0.0.1 The same as that of this browser.",
        "Read the team’s submissions and limits",
        "90 days",
        "they are not verified",
        "Approve only if you started wardboard login yourself just now.",
    ):
        assert words in text
    assert "Submit files" not in text
    elsewhere = text_of(ada.get(PAGE, {"user_code": begin(address="198.51.100.7").shown_code}))
    assert "198.51.100.7 Not that of this browser." in elsewhere


def test_an_approved_program_is_in_the_list_of_tokens_and_can_be_revoked_there(ada, user):
    row, secret = device_codes.begin(client="wardboard", host="laptop", scopes=[Scope.READ], address="")
    response = answer(ada, row, follow=True)
    assert response.redirect_chain == [(TOKENS, 302)]
    words = "Approved. The program fetches its token within seconds; “wardboard on laptop” is in"
    assert words in response.text
    token, _ = device_codes.fetch_token(device_code=secret)
    assert "wardboard on laptop" in ada.get(TOKENS).text
    ada.post(reverse("web:revoke", args=[token.token_key]))
    assert not ApiToken.objects.exists()


def test_a_code_that_someone_has_answered_is_nothing_to_anyone(ada, grace):
    code = begin()
    answer(ada, code)
    for client in (ada, grace):
        for word in ("approve", "deny"):
            response = answer(client, code, word)
            assert response.status_code == 422
            assert "No program waits with this code" in response.text
    assert state() == CodeState.APPROVED


def test_only_an_answer_by_a_form_of_ours_approves(ada, user):
    code = begin()
    for send in (ada.get, ada.head, ada.post):
        assert send(PAGE, {"user_code": code.shown_code}).status_code == 200
    answer(ada, code, "yes")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    assert answer(strict, code).status_code == 403
    assert state() == CodeState.PENDING


def test_twenty_codes_are_the_end_of_guessing_for_an_account(ada, grace):
    code = begin()
    for _ in range(20):
        assert ada.get(PAGE, {"user_code": "BCDF-GHJK"}).status_code == 422
    for method in (ada.get, ada.post):
        response = method(PAGE, {"user_code": code.shown_code, "answer": "approve"})
        assert response.status_code == 429
        assert "Too many wrong codes" in response.text
    assert state() == CodeState.PENDING
    # Someone else of the same lab goes on.
    assert grace.get(PAGE, {"user_code": code.shown_code}).status_code == 200


def test_many_accounts_at_one_address_guess_thirty_times(user, other_user, settings):
    limits = {**settings.ACCOUNT_RATE_LIMITS, "device_code": "100/10m/user,30/10m/ip"}
    settings.ACCOUNT_RATE_LIMITS = limits
    statuses = []
    for person in (user, other_user):
        client = Client(REMOTE_ADDR="198.51.100.7")
        client.force_login(person)
        statuses += [client.get(PAGE, {"user_code": "BCDF-GHJK"}).status_code for _ in range(16)]
    assert statuses == [422] * 30 + [429] * 2
