import json
import logging
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest

from leaderboard.models import AuditEvent, Evaluation, Status, Submission, Work
from leaderboard.services.errors import WrongState
from leaderboard.services.files import store
from leaderboard.services.processes import leases
from leaderboard.services.submissions import admit, grade, retry
from leaderboard.services.submissions.grade import ScoringSlice
from tests.support.factories import make_fhir_demo, make_scored, send, send_queued, with_wrong
from tests.support.leases import sweep_later
from wardboard.scoring.benchmark import Progress
from wardboard.scoring.fhir_agentbench import demo as fhir
from wardboard.scoring.fhir_agentbench.reading import record_check

pytestmark = pytest.mark.both_databases


def stop(*args, **kwargs):
    raise RuntimeError("a fault that nobody foresaw")


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


def test_a_file_whose_values_cannot_be_scored_is_itself_at_fault(user, db, same_process, monkeypatch):
    enormous, records = 1.7e308, json.loads(fhir.GOOD.read_bytes())
    for record in records:
        record["usage"] = {"cost": enormous}
    # Such figures pass the check, as they did once, to be found by scoring alone.
    monkeypatch.setattr(record_check, "_MOST", dict.fromkeys(record_check._MOST, enormous))
    submission = send(user, make_fhir_demo(), json.dumps(records).encode()).submission
    assert (submission.status, submission.failure) == (Status.FAILED, grade.FILE_FAULT)


def test_what_is_scored_is_neither_retried_nor_scored_again(demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    with pytest.raises(WrongState):
        retry.retry(submission_id=submission.pk, by=user)
    assert not grade.score(submission_id=submission.pk)
    assert not grade.score(submission_id=uuid.uuid4())
    assert Evaluation.objects.count() == 1


def test_a_worker_whose_claim_is_taken_over_writes_nothing(queued, score_and):
    rows = Submission.objects.filter(pk=queued.pk)
    score_and(lambda: rows.update(claim=uuid.uuid4()), queued)
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
                # As a worker leaves it that is killed while it scores.
                rows = Submission.objects.filter(pk=queued.pk)
                assert rows.become(Status.SCORING, was=Status.QUEUED, claim=uuid.uuid4()) == 1
                leases.begin(queued.pk)
                sweep_later()
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
        assert sweep_later() == 2
        sound.refresh_from_db()
        broken.refresh_from_db()
        assert (sound.status, broken.status) == (Status.SCORED, Status.FAILED)
        assert f"submission {broken.pk} could not be checked" in caplog.text


AT = Progress(total=60, read=60, to_judge=40)


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that stands still until it is moved: `clock[0] += 1`."""
    now = [1000.0]
    monkeypatch.setattr(grade, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def claimed(demo, user, good_file):
    """Return a submission that is being scored."""
    submission = send_queued(user, demo, good_file)
    Submission.objects.filter(pk=submission.pk).become(Status.SCORING, was=Status.QUEUED, claim=uuid.uuid4())
    Work.objects.update(attempts=2, resumed=3)
    submission.refresh_from_db()
    return submission


@pytest.fixture
def piece(claimed, clock):
    return ScoringSlice(submission_id=claimed.pk, claim=claimed.claim, count_saved=lambda: 1)


def stored_progress(claimed):
    return Work.objects.get(pk=claimed.pk).progress


def judged(count, undecided=0):
    return replace(AT, judged=count, undecided=undecided)


def test_a_slice_stores_its_progress_once_a_second_at_most(
    claimed, piece, clock, django_assert_max_num_queries
):
    assert piece.watch(Progress(total=60, read=7))
    counts = {"total": 60, "read": 7, "to_judge": 0, "judged": 0, "undecided": 0}
    assert stored_progress(claimed) == counts
    with django_assert_max_num_queries(2):
        for count in range(40):
            clock[0] += 0.05
            assert piece.watch(judged(count))


def test_a_slice_notices_a_lost_claim_at_its_next_report(claimed, piece, clock):
    assert piece.watch(judged(1))
    Submission.objects.filter(pk=claimed.pk).update(claim=uuid.uuid4())
    clock[0] += 0.5
    assert piece.watch(judged(2)), "it looks once a second"
    clock[0] += 0.5
    assert not piece.watch(judged(3))
    assert piece.is_lost
    assert stored_progress(claimed)["judged"] == 1, "what is another's is not written to"


def test_a_slice_ends_after_its_time(claimed, clock, settings):
    settings.SCORING_SLICE = timedelta(seconds=5)
    piece = ScoringSlice(submission_id=claimed.pk, claim=claimed.claim, count_saved=lambda: 1)
    clock[0] += 5
    assert piece.watch(judged(1))
    clock[0] += 1
    assert not piece.watch(judged(3))
    assert (piece.is_over, piece.is_lost) == (True, False)
    claimed.refresh_from_db()
    # Rules and stored verdicts decide the same answers in every slice: only newly paid ones are progress.
    assert (claimed.work.attempts, claimed.work.resumed) == (2, 3)
