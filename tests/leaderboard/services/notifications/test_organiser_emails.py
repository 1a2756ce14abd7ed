"""Emails to organisers: what newly needs them, at most once an hour for each board."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from leaderboard.models import Board, BoardOrganiser, JudgeDay, Notification, Status, Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.desk import attention
from leaderboard.services.judging.budget import today
from leaderboard.services.notifications import choices
from leaderboard.services.publishing import approvals
from tests.support.factories import make_hidden, make_scored, make_user, verify, with_wrong


@pytest.fixture
def approving(db):
    return make_hidden("approving")


@pytest.fixture
def organiser(approving, mailing):
    person = verify(make_user("organiser@example.org"))
    BoardOrganiser.objects.create(board=approving, user=person)
    return person


@pytest.fixture
def staff(db, mailing):
    person = verify(make_user("staff@example.org", is_staff=True))
    names = ("change_board", "change_submission", "change_teamapproval")
    person.user_permissions.set(Permission.objects.filter(codename__in=names))
    return person


@pytest.fixture
def asked(approving, user, team):
    return approvals.request_approval(board=approving, team=team, by=user, message="We are a lab.")


def test_the_organiser_hears_once_that_a_team_asks_for_approval(organiser, asked, deliver):
    (letter,) = deliver()
    assert letter.to == [organiser.email]
    assert letter.subject == "[MedAgentBench demo] 1 team asks for approval"
    assert "https://board.example.org/organise/boards/approving/teams/" in letter.body
    assert "We are a lab." not in letter.body
    assert deliver(minutes=10) == [] == deliver(hours=3)


def test_what_comes_within_the_hour_waits_for_the_next_email(
    organiser, asked, approving, other_user, deliver
):
    assert len(deliver()) == 1
    team = personal_team(other_user)
    approvals.request_approval(board=approving, team=team, by=other_user, message="")
    assert deliver(minutes=30) == []
    (letter,) = deliver(minutes=61)
    assert letter.subject.endswith("2 teams ask for approval")


def test_a_failed_and_a_stuck_submission_come_in_one_email(organiser, approving, user, good_file, deliver):
    failed = make_scored(user, approving, good_file)
    stuck = make_scored(user, approving, with_wrong(good_file, 30))
    rows = Submission.objects
    rows.filter(pk=failed.pk).update(status=Status.FAILED, evaluation=None, scored_at=None, failure="oops")
    rows.filter(pk=stuck.pk).update(
        status=Status.QUEUED,
        evaluation=None,
        scored_at=None,
        moved_at=timezone.now() - timedelta(hours=1),
    )
    (letter,) = deliver()
    assert letter.subject == "[MedAgentBench demo] The leaderboard needs you"
    assert "- 1 submission failed" in letter.body
    assert "- 1 submission has waited too long" in letter.body


def test_files_that_are_nearly_the_same_are_emailed_without_what_they_answer(
    organiser, approving, user, good_file, deliver
):
    for wrong in (0, 1):
        make_scored(user, approving, with_wrong(good_file, wrong))
    (letter,) = deliver()
    assert letter.subject.endswith("1 group of similar files")
    assert "%" not in letter.body


def test_a_judge_budget_that_is_nearly_spent_is_emailed_once_a_day(organiser, settings, deliver):
    settings.JUDGE_BUDGET = {**settings.JUDGE_BUDGET, "day_calls": 100}
    JudgeDay.objects.create(board=Board.objects.first(), day=today(), calls=85)
    (letter,) = deliver()
    assert letter.subject == "[Wardboard] 85% of the judge’s budget of today is spent"
    assert deliver(minutes=61) == []


def test_a_disk_that_is_nearly_full_is_emailed(organiser, settings, monkeypatch, deliver):
    settings.UPLOAD_MIN_FREE_BYTES = 2**62
    (letter,) = deliver()
    assert letter.subject == "[Wardboard] The disk is nearly full: soon, uploads are refused"


def test_room_for_files_is_emailed_again_only_when_clearly_more_is_taken(organiser, monkeypatch, deliver):
    used = {"percent": 81}
    monkeypatch.setattr(attention, "room_of", lambda board: attention.Use(used=used["percent"], most=100))
    (letter,) = deliver()
    assert letter.subject.endswith("81% of the room for files is taken")
    used["percent"] = 83
    assert deliver(hours=2) == []
    used["percent"] = 90
    assert len(deliver(hours=4)) == 1


def test_staff_hear_of_boards_of_others_only_if_they_chose_to(staff, organiser, asked, deliver):
    assert [letter.to for letter in deliver()] == [[organiser.email]]
    choices.choose(staff, {choices.EVERY_BOARD: True})
    assert [letter.to for letter in deliver(minutes=10)] == [[staff.email]]


def test_an_organiser_of_another_board_hears_nothing(organiser, asked, deliver):
    elsewhere = verify(make_user("elsewhere@example.org"))
    BoardOrganiser.objects.create(board=make_hidden("elsewhere"), user=elsewhere)
    assert [letter.to for letter in deliver()] == [[organiser.email]]


def test_a_kind_that_was_switched_off_is_left_out(organiser, asked, deliver):
    choices.choose(organiser, {"asked": False})
    assert deliver() == []
    assert not Notification.objects.exists()
