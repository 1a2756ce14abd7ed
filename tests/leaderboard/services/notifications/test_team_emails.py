"""Emails to teams: each about one event, once, to members who want it, with nothing that is hidden."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from leaderboard.models import BoardAction, BoardOrganiser, Notification, Role, Submission, Team, TeamApproval
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.notifications import choices
from leaderboard.services.publishing import announcements, approvals
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.services.record.events import Change, record
from leaderboard.services.submissions.rescore import rescore
from leaderboard.services.teams import invitations
from tests.support.factories import (
    correct_references,
    make_hidden,
    make_published,
    make_scored,
    make_user,
    send,
    verify,
    with_wrong,
)
from tests.support.loopback import free_port
from tests.support.mail_server import MailServer


def test_an_outcome_that_took_more_than_a_minute_is_emailed_once_and_without_figures(
    ada, board, good_file, malformed_file, deliver
):
    submission = make_scored(ada, board, good_file)
    send(ada, board, malformed_file)
    # Whoever has it at once is still looking at the page.
    assert deliver() == []
    Submission.objects.update(received_at=timezone.now() - timedelta(minutes=2))
    first, second = deliver()
    assert first.to == [ada.email]
    assert first.subject == "[MedAgentBench demo] Careful agent is scored"
    assert f"https://board.example.org/submissions/{submission.pk}/" in first.body
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC|https://\S+", "", first.body)
    assert not re.search(r"\d", text)
    assert second.subject.endswith("has errors")
    assert deliver() == [] == deliver(hours=5)


def test_a_disqualification_is_emailed_with_its_reason_and_so_is_its_end(
    ada, board, good_file, boss, deliver
):
    result = make_published(ada, board, good_file)
    disqualify(submission_id=result.pk, by=boss, reason="trained on the tasks")
    (letter,) = deliver()
    assert letter.subject == "[MedAgentBench demo] Careful agent was disqualified"
    assert "Reason: trained on the tasks" in letter.body
    assert boss.email not in str(letter.message())
    reinstate(submission_id=result.pk, by=boss)
    (letter,) = deliver()
    assert letter.subject.endswith("Careful agent was reinstated")


def test_rescored_results_are_emailed_once_the_board_is_done(ada, board, good_file, deliver):
    make_published(ada, board, good_file, system="Alpha")
    make_published(verify(make_user("grace@example.org")), board, with_wrong(good_file, 1), system="Beta")
    correct_references(board)
    rescore(board=board)
    assert deliver() == []
    letters = deliver(minutes=6)
    alpha = next(letter for letter in letters if letter.to == [ada.email])
    assert "- Alpha\n" in alpha.body
    assert "Beta" not in alpha.body
    assert "https://board.example.org/benchmarks/hidden/changes/" in alpha.body
    assert deliver(minutes=12) == []


def test_a_second_rescoring_is_no_news_for_those_who_heard_of_the_first(ada, board, good_file, deliver):
    alpha = make_published(ada, board, good_file, system="Alpha")
    grace = verify(make_user("grace@example.org"))
    beta = make_published(grace, board, with_wrong(good_file, 1), system="Beta")
    record(Change(action=BoardAction.RESCORED, system=alpha.system, submission=alpha), board=board)
    (letter,) = deliver(minutes=6)
    assert letter.to == [ada.email]
    record(Change(action=BoardAction.RESCORED, system=beta.system, submission=beta), board=board)
    assert [letter.to for letter in deliver(minutes=12)] == [[grace.email]]


def test_a_rescored_result_that_is_not_public_is_no_news(ada, board, good_file, deliver):
    make_scored(ada, board, good_file)
    correct_references(board)
    rescore(board=board)
    assert deliver(minutes=6) == []


def test_a_team_hears_whether_it_is_approved_with_the_answer(ada, asked, boss, deliver):
    approvals.refuse(approval=asked, by=boss, answer="Tell us who you are.")
    (letter,) = deliver()
    assert letter.subject.endswith("Your team was not approved")
    assert "Their answer: Tell us who you are." in letter.body
    approvals.approve(approval=TeamApproval.objects.get(), by=boss)
    (letter,) = deliver()
    assert letter.subject.endswith("Your team is approved")


def test_an_announcement_goes_to_teams_with_a_published_result_in_their_language(
    ada, board, good_file, boss, deliver
):
    make_published(ada, board, good_file)
    reader = verify(make_user("reader@example.org"))
    reader.language = "zh-hant"
    reader.save()
    make_published(reader, board, with_wrong(good_file, 1), system="Beta")
    make_scored(verify(make_user("quiet@example.org")), board, with_wrong(good_file, 2), system="Gamma")
    announcements.announce(board=board, text="Maintenance on Monday.", text_zh="星期一維護。", by=boss)
    letters = {letter.to[0]: letter for letter in deliver()}
    assert letters.keys() == {ada.email, reader.email}
    assert "Maintenance on Monday." in letters[ada.email].body
    assert "星期一維護。" in letters[reader.email].body
    assert "https://board.example.org/zh-hant/benchmarks/hidden/" in letters[reader.email].body


def test_what_was_switched_off_or_happened_many_hours_ago_is_not_sent(
    ada, board, good_file, boss, deliver, settings
):
    result = make_published(ada, board, good_file)
    disqualify(submission_id=result.pk, by=boss, reason="a slip")
    assert deliver(hours=7) == []
    # Nothing is where no email goes anywhere.
    settings.NOTIFIES = False
    assert deliver() == []
    assert not Notification.objects.exists()
    settings.NOTIFIES = True
    choices.choose(ada, {"decision": False})
    announcements.announce(board=board, text="Maintenance.", text_zh="", by=boss)
    reinstate(submission_id=result.pk, by=boss)
    (letter,) = deliver()
    assert letter.subject.endswith("] Maintenance.")


def test_names_cannot_add_lines_to_a_subject(ada, board, good_file, boss, deliver):
    board.title = "Board\nBcc: everyone@example.org"
    board.save()
    disqualify(submission_id=make_published(ada, board, good_file).pk, by=boss, reason="a slip")
    (letter,) = deliver()
    assert "\n" not in letter.subject
    # Mail programs look for the URL itself, not for an encoded word.
    assert b"=?" not in letter.message().as_bytes()
    assert letter.message()["Bcc"] is None
    assert Team.objects.count() == 1


def join(lab, owner, person):
    invitation = invitations.invite(team=lab, by=owner, email=person.email, role=Role.MEMBER)
    invitations.accept(token=invitations.token_for(invitation), user=person)


def test_owners_who_want_it_hear_once_who_joined_and_the_person_does_not(ada, lab, deliver):
    bo = verify(make_user("bo@example.org", first_name="Bo Li"))
    join(lab, ada, bo)
    (letter,) = deliver(minutes=1)
    assert (letter.to, letter.subject) == ([ada.email], "[Wardboard] Bo Li joined Ward Lab")
    assert "joined the team “Ward Lab”" in letter.body
    assert "https://board.example.org/account/teams/ward-lab/" in letter.body
    choices.choose(ada, {"team": False})
    join(lab, ada, verify(make_user("cy@example.org")))
    assert deliver(minutes=2) == []


def test_a_token_that_expires_within_a_week_is_emailed_once_to_its_owner_alone(ada, deliver):
    _, secret = create_token(user=ada, name="nightly CI", days=30)
    create_token(user=ada, name="for good", days=None)
    create_token(user=make_user("unverified@example.org"), name="x", days=30)
    # Whoever makes a token for some days knows when it ends.
    create_token(user=ada, name="today", days=7)
    assert deliver(days=1) == [] == deliver(days=22)
    (letter,) = deliver(days=24)
    assert letter.to == [ada.email]
    assert letter.subject == "[Wardboard] Your token “nightly CI” expires soon"
    assert "“nightly CI”" in letter.body
    assert "https://board.example.org/account/tokens/" in letter.body
    assert secret not in letter.body
    assert deliver(days=25) == [] == deliver(days=31)


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
    assert letter.subject == "[MedAgentBench demo] Teams that ask for approval: 1"
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
    approvals.refuse(approval=TeamApproval.objects.get(), by=organiser, answer="No.")
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


def test_who_watches_a_board_gets_one_email_a_day_when_its_ranking_changed(
    ada, board, good_file, boss, deliver
):
    reader = verify(make_user("reader@example.org"))
    make_published(ada, board, good_file, system="Before")
    choices.choose(reader, {"announcement": False})
    choices.watch(reader, board)
    make_scored(ada, board, with_wrong(good_file, 3), system="Unpublished")
    result = make_published(ada, board, with_wrong(good_file, 1), system="evil.example")
    disqualify(submission_id=result.pk, by=boss, reason="a slip")
    # Nothing happened since this person began to watch.
    choices.watch(verify(make_user("late@example.org")), board)
    (letter,) = deliver(days=1)
    assert letter.to == [reader.email]
    assert letter.subject == "[MedAgentBench demo] Before was published, and 3 more changes"
    assert "- evil example was disqualified\n" in letter.body
    assert "https://board.example.org/benchmarks/hidden/" in letter.body
    assert "Unpublished" not in letter.body
    assert "%" not in letter.body
    assert deliver(days=1) == [] == deliver(days=2)
