"""Emails that invite to teams are stored with the invitation, and sent when a mail server takes them."""

import re

import pytest
from django.core import mail
from django.core.serializers import serialize

from leaderboard.models import Notification, Role, TeamInvitation, User
from leaderboard.services.teams import invitations, members
from tests.support.factories import make_user

pytestmark = pytest.mark.both_databases


@pytest.fixture
def lab(ada):
    return members.create_team(user=ada, name="Ward Lab", handle="ward-lab")


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
