import logging
import uuid

import pytest

from leaderboard.models import AuditEvent, Evaluation, Status, Submission
from leaderboard.services.errors import WrongState
from leaderboard.services.files import store
from leaderboard.services.processes import leases
from leaderboard.services.submissions import admit, grade, retry, sweep
from tests.support.factories import make_scored, send, with_wrong

pytestmark = pytest.mark.both_databases


def stop(*args, **kwargs):
    raise RuntimeError("a fault that nobody foresaw")


def interrupt(submission):
    """Leave a queued submission like a worker that was killed while scoring it."""
    moved = Submission.objects.filter(pk=submission.pk).become(
        Status.SCORING, was=Status.QUEUED, claim=uuid.uuid4()
    )
    assert moved == 1
    leases.begin(submission.pk)
    submission.refresh_from_db()


def test_an_error_while_scoring_ends_in_failed_with_a_reason_and_a_traceback(
    demo, user, good_file, monkeypatch, caplog
):
    monkeypatch.setattr(grade, "grade", stop)
    submission = send(user, demo, good_file).submission
    assert (submission.status, submission.failure) == (Status.FAILED, grade.OUR_FAULT)
    assert not Evaluation.objects.exists()
    record = next(r for r in caplog.records if str(submission.pk) in r.getMessage())
    assert record.levelno == logging.ERROR
    assert "RuntimeError" in record.getMessage()
    assert "in stop" in record.getMessage()
    # The message of an error could quote a reference, so neither the submitter nor the log gets it.
    assert "nobody foresaw" not in submission.failure
    assert record.exc_info is None
    assert AuditEvent.objects.filter(action=AuditEvent.Action.FAILED, submission=submission).count() == 1


def test_what_is_scored_is_neither_retried_nor_scored_again(demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    with pytest.raises(WrongState):
        retry.retry(submission_id=submission.pk, by=user)
    assert not grade.score(submission_id=submission.pk)
    assert not grade.score(submission_id=uuid.uuid4())
    assert Evaluation.objects.count() == 1


def test_a_worker_whose_claim_is_taken_over_writes_nothing(queued, monkeypatch):
    real = grade.grade

    def slow(submission, *args, **kwargs):
        Submission.objects.filter(pk=submission.pk).update(claim=uuid.uuid4())
        return real(submission, *args, **kwargs)

    monkeypatch.setattr(grade, "grade", slow)
    grade.score(submission_id=queued.pk)
    queued.refresh_from_db()
    assert queued.status == Status.SCORING
    assert not Evaluation.objects.exists()


class TestSweep:
    @pytest.fixture(autouse=True)
    def three_attempts(self, settings):
        settings.SCORING_ATTEMPTS = 3

    def test_three_interruptions_of_scoring_end_in_failed_and_a_retry_counts_from_none(
        self, queued, user, monkeypatch, caplog
    ):
        with monkeypatch.context() as killed:
            killed.setattr(grade, "score", lambda **_: None)
            for _ in range(3):
                interrupt(queued)
                sweep.sweep(takes_all=True)
                queued.refresh_from_db()
        assert (queued.status, queued.failure) == (Status.FAILED, grade.NO_END)
        assert f"submission {queued.pk} was interrupted 3 times" in caplog.text
        retry.retry(submission_id=queued.pk, by=user)
        queued.refresh_from_db()
        assert (queued.status, queued.work.attempts) == (Status.SCORED, 1)

    def test_a_submission_that_cannot_be_resumed_does_not_block_the_next(
        self, demo, user, good_file, monkeypatch, caplog, settings
    ):
        settings.CHECK_AT_ONCE_BYTES = 1
        with monkeypatch.context() as killed:
            killed.setattr(admit, "admit", lambda **_: None)
            broken = send(user, demo, good_file).submission
            sound = send(user, demo, with_wrong(good_file, 1)).submission
        store.remove(broken.stored_as)
        assert sweep.sweep(takes_all=True) == 2
        sound.refresh_from_db()
        broken.refresh_from_db()
        assert (sound.status, broken.status) == (Status.SCORED, Status.FAILED)
        assert f"submission {broken.pk} could not be checked" in caplog.text
