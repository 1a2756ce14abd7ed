"""Emails with links, for accounts and invited people, wait encrypted for a mail server; no request does."""

import re
from unittest.mock import Mock

import pytest
from django.core import mail
from django.core.serializers import serialize
from django.test import Client

from leaderboard.models import AccountEmail, Notification, Role, TeamInvitation, User
from leaderboard.services.teams import invitations
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
    monkeypatch.setattr(AccountEmail.objects, "create", Mock(side_effect=RuntimeError))
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


def invite(lab, owner) -> TeamInvitation:
    return invitations.invite(team=lab, by=owner, email="new@example.org", role=Role.MEMBER)


def test_the_invited_address_gets_the_link_once_in_the_language_of_who_invites(ada, lab, deliver):
    ada.language = "zh-hant"
    ada.save()
    invitation = invite(lab, ada)
    (letter,) = deliver()
    assert letter.to == ["new@example.org"]
    link = f"https://board.example.org/zh-hant/teams/join/{invitations.token_for(invitation)}/"
    assert link in letter.body.splitlines()
    assert "邀請" in letter.subject
    # The receiver has no choices of emails here.
    assert "List-Unsubscribe" not in letter.extra_headers
    assert deliver(hours=1) == []


@pytest.mark.parametrize("end", ["revoke", "accept", "replace", "deactivate"])
def test_an_invitation_that_ends_before_its_email_is_sent_sends_no_dead_link(ada, lab, deliver, end):
    invitation = invite(lab, ada)
    match end:
        case "revoke":
            invitations.revoke(team=lab, by=ada, invitation_id=invitation.pk)
        case "accept":
            invitations.accept(token=invitations.token_for(invitation), user=make_user("bo@example.org"))
        case "replace":
            invite(lab, ada)
        case "deactivate":
            User.objects.filter(pk=ada.pk).update(is_active=False)
    letters = [letter for letter in deliver() if letter.to == ["new@example.org"]]
    dead = invitations.token_for(invitation)
    assert len(letters) == (1 if end == "replace" else 0)
    assert not any(dead in letter.body for letter in letters)


def test_the_stored_email_holds_neither_the_link_nor_the_address(ada, lab, deliver):
    invitation = invite(lab, ada)
    stored = serialize("json", Notification.objects.all())
    deliver()
    (letter,) = mail.outbox
    (token,) = re.findall(r"/teams/join/(\S+)/", letter.body)
    for secret in (token, invitation.key.hex, str(invitation.key), invitation.email):
        assert secret not in stored
