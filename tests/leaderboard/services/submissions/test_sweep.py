"""Who loses work, who keeps it, what is sent again, and what is tried again after an error."""

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.models import AuditEvent, Evaluation, RunningProcess, Status, Submission, SweepTimes, Work
from leaderboard.services.processes import leases, sweeps
from leaderboard.services.submissions import admit, grade, retry, sweep
from tests.support.factories import send
from tests.support.leases import LASTS, pass_intervals, sweep_later

pytestmark = pytest.mark.both_databases


def test_a_slow_job_keeps_its_work_as_long_as_its_process_lives(queued, score_and):
    def live_long():
        for _ in range(50):
            pass_intervals(1)
            leases.renew()
            assert sweep.sweep() == 0

    score_and(live_long, queued)
    assert (queued.status, queued.work.attempts) == (Status.SCORED, 1)


def test_a_job_of_a_process_without_a_sign_of_life_is_done_once_by_another(queued, score_and, caplog):
    taken = []

    def be_silent():
        pass_intervals(LASTS - 1)
        assert sweep.sweep() == 0, "its lease has not run out yet"
        pass_intervals(1)
        taken.append(sweep.sweep())
        # It comes back, and renews what it no longer holds.
        leases.renew()

    score_and(be_silent, queued)
    assert taken == [1]
    assert (queued.status, queued.work.attempts) == (Status.SCORED, 2)
    assert queued.evaluation == Evaluation.objects.get()
    assert AuditEvent.objects.filter(submission=queued, action=AuditEvent.Action.SCORED).count() == 1
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.FAILED).exists()
    assert f"{queued.pk} is taken up again: {leases.process_name()} gave no sign of life" in caplog.text


def test_a_check_that_lost_its_lease_changes_nothing(demo, user, good_file, malformed_file, monkeypatch):
    real = admit.extract_records

    def slow(**kwargs):
        monkeypatch.setattr(admit, "extract_records", real)
        pass_intervals(LASTS)
        assert sweep.sweep() == 1
        return real(**kwargs)

    for raw, status in ((good_file, Status.SCORED), (malformed_file, Status.REJECTED)):
        with monkeypatch.context() as left:
            left.setattr(admit, "check_at_once", lambda **_: admit.FileCheck())
            left.setattr(admit, "admit", lambda **_: None)
            submission = send(user, demo, raw).submission
        Submission.objects.filter(pk=submission.pk).update(claim=None)
        monkeypatch.setattr(admit, "extract_records", slow)
        assert admit.check(submission_id=submission.pk)
        submission.refresh_from_db()
        assert submission.status == status
    assert AuditEvent.objects.filter(action=AuditEvent.Action.REJECTED).count() == 1
    assert AuditEvent.objects.filter(action=AuditEvent.Action.SCORED).count() == 1


def test_a_check_that_an_outage_of_the_database_cut_off_is_done_again(demo, user, good_file, monkeypatch):
    from django.db import OperationalError

    with monkeypatch.context() as away:
        away.setattr(admit, "extract_records", Mock(side_effect=OperationalError("the database is away")))
        away.setattr(admit, "check_at_once", lambda **_: admit.FileCheck())
        submission = send(user, demo, good_file).submission
    assert submission.status == Status.RECEIVED
    pass_intervals(LASTS)
    assert sweep.sweep() == 1
    submission.refresh_from_db()
    assert submission.status == Status.SCORED


@pytest.mark.parametrize("hours", [1, -1], ids=["the database was away", "its clock was set back"])
def test_where_nobody_could_renew_a_lease_none_runs_out(queued, score_and, hours):
    def pass_time():
        RunningProcess.objects.create(name="a server", lanes="", seen_at=Now())
        assert sweeps.begin()
        SweepTimes.objects.update(begun_at=F("begun_at") - timedelta(hours=hours))
        RunningProcess.objects.update(seen_at=F("seen_at") - timedelta(hours=hours))
        pass_intervals(hours * 3600 / leases.interval())
        assert sweeps.begin()
        assert sweep.sweep() == 0
        # A lease that nobody renews runs out as ever.
        pass_intervals(LASTS)
        assert Work.objects.filter(leased_until__lte=Now()).exists()
        leases.renew()

    score_and(pass_time, queued)
    assert (queued.status, queued.work.attempts) == (Status.SCORED, 1)


@pytest.mark.parametrize("seconds", [-60, 1200], ids=["long ago", "before the clock was set back"])
def test_a_submission_without_a_message_is_sent_again(queued, seconds):
    assert sweep.sweep() == 0, "its message may be under way"
    moved_at = timezone.now() + timedelta(seconds=seconds)
    Submission.objects.filter(pk=queued.pk).update(moved_at=moved_at)
    assert sweep.sweep() == 1
    queued.refresh_from_db()
    assert queued.status == Status.SCORED


def test_a_clock_that_was_set_back_holds_up_no_submission_that_waits_for_a_judge(queued, monkeypatch):
    resumed = []
    monkeypatch.setattr(retry, "resume", lambda *, submission_id: resumed.append(submission_id))
    now = timezone.now()
    fields = {"status": Status.INCOMPLETE, "waits_for": "provider-down"}
    rows = Submission.objects.filter(pk=queued.pk)
    rows.update(**fields, resume_at=now + timedelta(seconds=60), moved_at=now)
    assert sweep.sweep() == 0
    rows.update(moved_at=now + timedelta(minutes=20), resume_at=now + timedelta(minutes=21))
    assert sweep.sweep() == 1
    assert resumed == [queued.pk]


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
    settings.CHECK_AT_ONCE_BYTES, settings.ERROR_ATTEMPTS = 1, 3
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
    assert (len(calls), sweep_later()) == (3, 0)
    assert "nobody expected this" not in submission.failure


def test_an_error_that_passes_costs_nothing(demo, user, good_file, monkeypatch, settings):
    settings.ERROR_ATTEMPTS = 3
    with monkeypatch.context() as broken:
        break_down(broken, grade, "grade")
        submission = send(user, demo, good_file).submission
    pass_intervals(LASTS)
    sweep.sweep()
    submission.refresh_from_db()
    assert (submission.status, submission.evaluation.right) == (Status.SCORED, 47)
