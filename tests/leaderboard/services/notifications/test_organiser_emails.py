"""Emails to organisers: what newly needs them, at most once an hour for each board."""

import pytest
from django.contrib.auth.models import Permission

from leaderboard.models import BoardOrganiser, Notification, TeamApproval
from leaderboard.services.accounts import personal_team
from leaderboard.services.notifications import choices
from leaderboard.services.publishing import approvals
from tests.support.factories import make_hidden, make_user, verify
from tests.support.loopback import free_port
from tests.support.mail_server import MailServer


@pytest.fixture
def approving(db):
    return make_hidden("approving")


@pytest.fixture
def organiser(approving, mailing):
    person = verify(make_user("organiser@example.org"))
    BoardOrganiser.objects.create(board=approving, user=person)
    return person


@pytest.fixture
def asked(approving, user, team):
    return approvals.request_approval(board=approving, team=team, by=user, message="We are a lab.")


def test_the_organiser_hears_once_that_a_team_asks_and_of_what_comes_within_the_hour_later(
    organiser, asked, approving, other_user, deliver
):
    (letter,) = deliver()
    assert letter.to == [organiser.email]
    assert letter.subject == "[MedAgentBench demo] The leaderboard needs you"
    assert "- Teams that ask for approval: 1" in letter.body
    assert "https://board.example.org/organise/boards/approving/teams/" in letter.body
    assert "We are a lab." not in letter.body
    assert deliver(minutes=10) == []
    team = personal_team(other_user)
    approvals.request_approval(board=approving, team=team, by=other_user, message="")
    assert deliver(minutes=30) == []
    (letter,) = deliver(minutes=61)
    assert "- Teams that ask for approval: 2" in letter.body
    assert deliver(hours=3) == []


def test_what_was_decided_meanwhile_is_not_emailed(organiser, asked, deliver):
    approvals.refuse(approval=TeamApproval.objects.get(), by=organiser, answer="")
    assert [letter for letter in deliver() if letter.to == [organiser.email]] == []


def test_who_no_longer_organises_the_board_gets_no_email_that_waits(organiser, asked, smtp, deliver):
    smtp(free_port())
    deliver()
    organiser.organises.all().delete()
    with MailServer() as server:
        smtp(server.port)
        deliver(minutes=5)
    assert server.taken == []
    assert Notification.objects.get().due_at is None


def test_staff_hear_of_all_boards_only_if_they_chose_to(organiser, asked, deliver):
    staff = verify(make_user("staff@example.org", is_staff=True))
    names = ("change_board", "change_submission", "change_teamapproval")
    staff.user_permissions.set(Permission.objects.filter(codename__in=names))
    approvals.request_approval(board=make_hidden("other"), team=asked.team, by=organiser, message="")
    assert [letter.to for letter in deliver()] == [[organiser.email]]
    choices.choose(staff, {"desk": True})
    assert [letter.to for letter in deliver(minutes=10)] == [[staff.email]]


def test_an_organiser_of_another_board_and_who_switched_it_off_hear_nothing(organiser, asked, deliver):
    elsewhere = verify(make_user("elsewhere@example.org"))
    BoardOrganiser.objects.create(board=make_hidden("elsewhere"), user=elsewhere)
    choices.choose(organiser, {"desk": False})
    assert deliver() == []
    assert not Notification.objects.exists()
