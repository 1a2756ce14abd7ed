"""Wrong passwords keep the guesser out, and never the owner of the account."""

import time

import pytest

# Imported now: at its first import it takes the clock of that moment, which must not be ours below.
import rest_framework.throttling  # noqa: F401
from django.core import mail
from django.test import Client

from leaderboard.models import SignInAddress
from leaderboard.services.notifications.send import notify
from tests.support.factories import PASSWORD, make_user

pytestmark = pytest.mark.both_databases

HOME, NEW, GUESSER = "192.0.2.1", "192.0.2.2", "198.51.100.7"
TOO_MANY = "Too many failed login attempts"


def sign_in(address: str, password: str = PASSWORD, email: str = "ada@example.org"):
    return Client(REMOTE_ADDR=address).post("/accounts/login/", {"login": email, "password": password})


def is_let_in(address: str, **kwargs) -> bool:
    return sign_in(address, **kwargs).status_code == 302


@pytest.fixture
def clock(monkeypatch, settings):
    """Return a function that lets time pass for the limits, in seconds.

    All strangers together have 20 passwords an hour here, in place of 100.
    """
    limits = settings.ACCOUNT_RATE_LIMITS
    assert limits["wrong_password_of_strangers"] == "100/h/key"
    settings.ACCOUNT_RATE_LIMITS = {**limits, "wrong_password_of_strangers": "20/h/key"}
    passed = 0.0
    now = time.time

    def let_pass(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    monkeypatch.setattr(time, "time", lambda: now() + passed)
    return let_pass


def guess(clock, addresses, seconds: float) -> int:
    """Try a wrong password from each address; return how many were tried."""
    tried = 0
    for address in addresses:
        clock(seconds)
        tried += TOO_MANY not in sign_in(address, "wrong").text
    return tried


def guess_from_everywhere(clock) -> int:
    return guess(clock, [f"203.0.113.{n}" for n in range(30)], 1)


def test_a_guessing_address_has_ten_passwords_an_hour_and_locks_nobody_else_out(user, clock):
    make_user("grace@example.org")
    assert guess(clock, [GUESSER] * 59, 60) == 10
    assert not is_let_in(GUESSER)
    # Another address, or another account, is not concerned.
    assert is_let_in(HOME)
    assert is_let_in(GUESSER, email="grace@example.org")
    clock(3600)
    assert is_let_in(GUESSER)


def test_addresses_of_one_ipv6_network_count_as_one(user):
    for n in range(1, 11):
        sign_in(f"2001:db8::{n}", "wrong")
    assert not is_let_in("2001:db8::ffff")
    assert is_let_in("2001:db8:1::1")


def test_guessing_from_everywhere_locks_out_strangers_and_no_address_that_signed_in_before(user, clock):
    make_user("grace@example.org")
    assert is_let_in(HOME)
    # That of another account is a stranger's to this one.
    assert is_let_in(NEW, email="grace@example.org")
    assert guess_from_everywhere(clock) == 20
    assert (is_let_in(HOME), is_let_in(NEW)) == (True, False)


def test_who_resets_the_password_signs_in_at_once_and_from_there_on(user, clock, settings):
    settings.NOTIFIES = True
    guess_from_everywhere(clock)
    guess(clock, [NEW] * 12, 0)
    client = Client(REMOTE_ADDR=NEW)
    client.post("/accounts/password/reset/", {"email": user.email})
    notify()
    link = next(word for word in mail.outbox[-1].body.split() if word.startswith("http://"))
    form = client.get(link.removeprefix("http://testserver"), follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "violet-otter-91", "password2": "violet-otter-91"})
    assert is_let_in(NEW, password="violet-otter-91")


def test_nobody_can_read_the_addresses_from_the_database(user):
    assert is_let_in(HOME)
    (row,) = SignInAddress.objects.values()
    assert HOME not in str(row)


def test_an_unknown_account_is_limited_like_a_known_one(user, clock):
    answers = []
    for email in ("ada@example.org", "nobody@example.org"):
        pages = []
        for _ in range(12):
            pages.append(sign_in(GUESSER, "wrong", email).context["form"].errors.as_text())
            clock(20)
        answers.append(pages)
        clock(7200)
    assert answers[0] == answers[1]
    assert TOO_MANY in answers[0][-1]
