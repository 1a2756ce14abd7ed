"""A slice of scoring: its progress, how often it is stored, and when the slice ends."""

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest

from leaderboard.models import Status, Submission, Work
from leaderboard.services.submissions import grade
from leaderboard.services.submissions.grade import ScoringSlice
from tests.support.factories import send_queued
from wardboard.scoring.benchmark import Progress

pytestmark = pytest.mark.both_databases

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
