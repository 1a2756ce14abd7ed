"""Sign-in with an account elsewhere, at a provider on loopback: what is refused, and what fails."""

import re

import pytest
from django.test import Client

from tests.support.identity_provider import (
    GITHUB,
    LAB,
    SIGN_UP,
    come_back,
    decide,
    go_to_provider,
    is_signed_in,
)
from tests.support.loopback import ScriptedReply

DISCOVERY = "/.well-known/openid-configuration"

pytestmark = pytest.mark.django_db


def assert_refused(client, answer) -> None:
    assert answer.status_code == 401
    assert not is_signed_in(client)
    assert client.get(SIGN_UP)["Location"] == "/accounts/login/"


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("claims", [{"iss": "https://evil.example"}, {"aud": "another"}, {"exp": 1}, {"sub": "another"}]),
        ("sign", [lambda claims: "not a token", lambda claims: 17]),
        ("person", [{"sub": sub, "name": "Ada"} for sub in (None, "", "\0", "x" * 300)]),
    ],
)
def test_an_id_token_that_is_none_or_is_not_of_a_person_for_us(visitor, provider, part, values):
    sound = getattr(provider, part)
    for value in values:
        setattr(provider, part, {**sound, **value} if isinstance(value, dict) else value)
        assert_refused(visitor, come_back(visitor, LAB))


def test_an_address_that_is_no_text_gets_nobody_in(visitor, provider):
    for email in (7, ["ada@example.org"], {}):
        provider.person["email"] = email
        assert come_back(visitor, LAB).status_code in (302, 401)
    for emails in (b"", b"{}", b'[7, {}, {"email": 7}]'):
        provider.replies["/user/emails"] = ScriptedReply(body=emails)
        assert come_back(visitor, GITHUB).status_code in (302, 401)
    assert not is_signed_in(visitor)


def test_an_answer_counts_once_and_in_the_browser_that_asked(visitor, provider):
    back = decide(go_to_provider(visitor, LAB))
    other = Client()
    assert_refused(other, other.get(back))
    assert visitor.get(back)["Location"] == SIGN_UP
    assert visitor.get(back).status_code == 401


def test_a_code_of_one_browser_is_worth_nothing_in_another(visitor, provider):
    stolen = re.search(r"code=[^&]+", decide(go_to_provider(visitor, LAB)))[0]
    thief = Client()
    own = decide(go_to_provider(thief, LAB))
    assert_refused(thief, thief.get(re.sub(r"code=[^&]+", stolen, own)))


@pytest.mark.parametrize(
    ("path", "places"), [(LAB, [DISCOVERY, "/token", "/userinfo"]), (GITHUB, ["/token", "/user"])]
)
def test_whatever_a_provider_answers_is_its_error_and_not_ours(visitor, provider, path, places):
    for place in places:
        for body in (b"", b"null", b"[]", b'"x"', b"{}", b"{", b"[" * 100_000, b"\xff", b"7"):
            back = decide(go_to_provider(visitor, path))
            provider.replies[place] = ScriptedReply(body=body)
            # An ID token says who somebody is, too.
            expected = {302, 401} if place == "/userinfo" else {401}
            assert visitor.get(back).status_code in expected, (place, body)
            del provider.replies[place]


def test_a_provider_that_is_away_or_silent_when_someone_goes_there(visitor, provider, settings):
    settings.SOCIALACCOUNT_REQUESTS_TIMEOUT = 0.2
    for reply in (
        ScriptedReply(status=503),
        ScriptedReply(cut=-1),
        ScriptedReply(body=b'{"issuer": "https://x.example"}'),
        ScriptedReply(delay=30),
    ):
        provider.replies[DISCOVERY] = reply
        assert visitor.post(LAB).status_code == 401, reply


def test_a_log_line_says_what_failed_and_quotes_nothing(visitor, provider, caplog):
    provider.replies["/token"] = ScriptedReply(status=400, body=b'{"error": "a secret thing"}')
    come_back(visitor, LAB)
    assert "sign-in with Lab SSO failed: OAuth2Error" in caplog.text
    assert "a secret thing" not in caplog.text


def test_only_so_many_requests_of_an_address_go_out(visitor, provider, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "provider": "1/m/ip"}
    assert [visitor.post(LAB).status_code for _ in range(2)] == [200, 429]
