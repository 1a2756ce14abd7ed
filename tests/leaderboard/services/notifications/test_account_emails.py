"""Emails about accounts wait encrypted for a mail server, and no request does."""

import re

import pytest
from django.core import mail
from django.core.serializers import serialize
from django.test import Client

from leaderboard.models import AccountEmail, User
from tests.support.factories import make_user
from tests.support.loopback import free_port
from tests.support.mail_server import MailServer

pytestmark = pytest.mark.both_databases

SIGN_UP = {"email": "new@example.org", "password1": "long-enough-4711", "name": "New Person"}


@pytest.fixture
def verifying(mailing, settings):
    settings.VERIFIES_EMAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"


def reset(visitor, email):
    return visitor.post("/accounts/password/reset/", {"email": email})


def test_signing_up_sends_nothing_itself_and_the_email_has_the_link(db, visitor, verifying, deliver):
    assert visitor.post("/accounts/signup/", SIGN_UP).status_code == 302
    assert mail.outbox == []
    (letter,) = deliver()
    assert letter.to == ["new@example.org"]
    (link,) = re.findall(r"http://testserver(/\S+)", letter.body)
    visitor.post(link)
    assert User.objects.get(email="new@example.org").has_verified_email
    assert deliver(hours=1) == []


def test_a_forgotten_password_is_not_said_to_be_sent_where_no_email_is(user, visitor, settings):
    settings.NOTIFIES = False
    assert "This service sends no emails." in reset(visitor, user.email).text
    assert not AccountEmail.objects.exists()


def test_an_account_whose_email_cannot_be_stored_is_not_made(db, verifying, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(AccountEmail.objects, "create", fail)
    visitor = Client(raise_request_exception=False)
    assert visitor.post("/accounts/signup/", SIGN_UP).status_code == 500
    assert not User.objects.exists()


def test_the_database_holds_no_link_in_the_clear_and_nothing_once_it_is_sent(
    visitor, user, mailing, smtp, deliver
):
    reset(visitor, user.email)
    stored = serialize("json", AccountEmail.objects.all())
    assert user.email not in stored
    assert "http" not in stored
    smtp(free_port())
    deliver()
    assert AccountEmail.objects.get().encrypted
    with MailServer() as server:
        smtp(server.port)
        deliver(minutes=2)
    (letter,) = server.taken
    assert letter["Message-ID"].startswith("<accountemail-")
    assert "/reset/key/" in letter.get_content()
    email = AccountEmail.objects.get()
    assert email.sent_at
    assert email.encrypted == ""


def test_the_link_is_forgotten_when_its_email_is_given_up(visitor, user, mailing, smtp, deliver):
    smtp(free_port())
    reset(visitor, user.email)
    for hours in range(0, 60, 7):
        deliver(hours=hours)
    email = AccountEmail.objects.get()
    assert (email.attempts, email.encrypted, email.sent_at) == (5, "", None)


def test_readiness_says_that_mail_waits_until_some_is_sent(db, client, visitor, mailing, smtp, deliver):
    def mail_in_readiness():
        response = client.get("/readyz")
        return response.json()["mail"]

    assert mail_in_readiness() == "ok"
    for number in range(2):
        reset(visitor, make_user(f"p{number}@example.org").email)
    assert mail_in_readiness() == "ok"
    smtp(free_port())
    deliver()
    assert re.fullmatch(r"no email was sent for \d+ seconds, and some wait", mail_in_readiness())
    with MailServer(refuses="550 no", refuses_only="p1@") as server:
        smtp(server.port)
        deliver(minutes=2)
    # One refused address is not the server's silence.
    assert len(server.taken) == 1
    assert mail_in_readiness() == "ok"
