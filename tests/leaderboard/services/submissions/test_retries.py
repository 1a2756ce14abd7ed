"""A file is tried again after what passes, and after an error that nobody expected."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from leaderboard.models import Status, Submission, Work
from leaderboard.services.submissions import admit, grade, sweep
from tests.support.factories import send, send_queued
from tests.support.leases import LASTS, pass_intervals

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def three_attempts(db, settings):
    settings.ERROR_ATTEMPTS = 3


def break_down(monkeypatch, module, name):
    """Have a function fail; return the list of its calls, by which it counts."""
    calls = []

    def broken(*_, **__):
        calls.append(1)
        raise RuntimeError("nobody expected this")

    monkeypatch.setattr(module, name, broken)
    return calls


@pytest.mark.parametrize(
    ("module", "name", "state"),
    [(grade, "grade", Status.SCORING), (admit, "extract_records", Status.RECEIVED)],
)
def test_an_unexpected_error_is_final_at_the_third_attempt(
    demo, user, good_file, settings, monkeypatch, module, name, state
):
    settings.CHECK_AT_ONCE_BYTES = 1
    calls = break_down(monkeypatch, module, name)
    submission = send(user, demo, good_file).submission
    for attempt in (1, 2):
        submission.refresh_from_db()
        assert (submission.status, submission.work.attempts, len(calls)) == (state, attempt, attempt)
        assert sweep.sweep() == 0, "there is a pause before the next attempt"
        pass_intervals(LASTS)
        assert sweep.sweep() == 1
    submission.refresh_from_db()
    assert (submission.status, submission.failure) == (Status.FAILED, grade.OUR_FAULT)
    assert (len(calls), sweep.sweep(takes_all=True)) == (3, 0)
    assert "nobody expected this" not in submission.failure


def test_an_error_that_passes_costs_nothing(demo, user, good_file, monkeypatch):
    with monkeypatch.context() as broken:
        break_down(broken, grade, "grade")
        submission = send(user, demo, good_file).submission
    pass_intervals(LASTS)
    sweep.sweep()
    submission.refresh_from_db()
    assert (submission.status, submission.evaluation.right) == (Status.SCORED, 47)


def waiting_for_a_provider(user, board, files):
    due = timezone.now() + timedelta(minutes=3)
    waiting = [send_queued(user, board, raw) for raw in files]
    fields = {"status": Status.INCOMPLETE, "waits_for": "provider-down", "resume_at": due, "claim": None}
    Submission.objects.update(**fields)
    return waiting


def test_one_submission_asks_a_provider_that_is_away_and_its_answer_resumes_all(demo, user, good_file):
    asking, *others = waiting_for_a_provider(user, demo, [good_file + b" " * n for n in range(3)])
    assert sweep._due(timezone.now()) == []
    scoring = {"status": Status.SCORING, "waits_for": "", "resume_at": None, "claim": uuid4()}
    Submission.objects.filter(pk=asking.pk).update(**scoring)
    Work.objects.filter(pk=asking.pk).update(resumed=9)
    asking.refresh_from_db()
    scoring_slice = grade.ScoringSlice(
        submission_id=asking.pk, claim=asking.claim, count_saved=lambda: 0, others_wait=lambda: False
    )
    grade._wait(asking, scoring_slice, "provider-down", 1)
    asking.refresh_from_db()
    for other in others:
        other.refresh_from_db()
        assert timedelta(0) < other.resume_at - asking.resume_at <= timedelta(minutes=1)
    grade._wake_those_that_wait()
    assert {row.pk for row in sweep._due(timezone.now())} == {asking.pk, *(other.pk for other in others)}
