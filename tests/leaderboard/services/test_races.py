"""Requests at the same moment, each with a connection of its own."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections

from leaderboard.models import AuditEvent, Evaluation, Standing, Status, Submission, System
from leaderboard.services import admission, submitting, sweeping
from leaderboard.services.errors import QuotaSpent
from leaderboard.services.publishing import publish, withdraw
from leaderboard.services.teams import personal_team
from tests.factories import make_scored, send, with_wrong

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*works):
    """Run each work in a thread, all let go together; return what they returned or raised."""
    gate = threading.Barrier(len(works))

    def run(work):
        try:
            gate.wait(timeout=10)
            return work()
        except QuotaSpent as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def test_the_same_bytes_twice_at_once_give_one_submission_scored_once(demo, user, good_file):
    taken = at_once(*[lambda: send(user, demo, good_file)] * 2)
    assert {t.submission.pk for t in taken} == {Submission.objects.get().pk}
    assert sorted(t.created for t in taken) == [False, True]
    assert Submission.objects.get().status == Status.SCORED
    assert Evaluation.objects.count() == 1
    assert AuditEvent.objects.filter(action=AuditEvent.Action.SCORED).count() == 1


def test_two_files_at_once_do_not_make_the_system_twice(demo, user, good_file):
    at_once(*[lambda wrong=wrong: send(user, demo, with_wrong(good_file, wrong)) for wrong in (1, 2, 3)])
    assert System.objects.count() == 1
    assert Submission.objects.filter(status=Status.SCORED).count() == 3


def test_the_quota_holds_when_files_come_at_once(demo, user, good_file):
    demo.daily_limit = 1
    demo.save()
    personal_team(user)
    said = at_once(*[lambda wrong=wrong: send(user, demo, with_wrong(good_file, wrong)) for wrong in (1, 2)])
    assert {type(s) for s in said} == {submitting.Taken, QuotaSpent}
    assert Submission.objects.count() == 1


def test_a_first_request_twice_at_once_makes_one_team(user):
    teams = at_once(*[lambda: personal_team(user)] * 4)
    assert len({team.pk for team in teams}) == 1


def test_sweeps_at_once_score_what_lies_once(demo, user, good_file, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr(admission, "admit", lambda **_: None)
        send(user, demo, good_file)
    at_once(*[lambda: sweeping.sweep(older_than=timedelta(0))] * 3)
    assert Submission.objects.get().status == Status.SCORED
    assert Evaluation.objects.count() == 1
    assert AuditEvent.objects.filter(action=AuditEvent.Action.SCORED).count() == 1


def test_publishing_and_withdrawing_at_once_leave_the_board_in_step(demo, user, good_file):
    team = personal_team(user)
    first = make_scored(user, demo, with_wrong(good_file, 1))
    second = make_scored(user, demo, with_wrong(good_file, 2))
    publish(submission_id=first.pk, team=team, by=user)
    at_once(
        lambda: withdraw(submission_id=first.pk, team=team, by=user),
        lambda: publish(submission_id=second.pk, team=team, by=user),
    )
    assert Standing.objects.get().evaluation == second.evaluation
