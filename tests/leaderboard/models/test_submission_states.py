"""The states of a submission: each allowed step, and each other one refused."""

import uuid
from itertools import product

import pytest
from django.utils import timezone

from leaderboard.models import Status, Submission
from leaderboard.models.submissions import NEXT
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_scored, make_user
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases

ALLOWED = {(str(was), str(to)) for was, ends in NEXT.items() for to in ends}


@shared_rows
def key() -> int:
    return make_scored(make_user(), make_demo(), GOOD.read_bytes()).pk


@pytest.fixture
def scored(key, db) -> Submission:
    return Submission.objects.get(pk=key)


def needs(status, scored):
    """Return the fields that go with a status; `scored` gives up its evaluation for a scored one."""
    if status == Status.SCORED:
        Submission.objects.filter(pk=scored.pk).update(status=Status.QUEUED, evaluation=None, scored_at=None)
    return {
        Status.REJECTED: {"problem_count": 1},
        Status.SCORING: {"claim": uuid.uuid4()},
        Status.SCORED: {"evaluation": scored.evaluation, "scored_at": timezone.now()},
        Status.FAILED: {"failure": "why"},
        Status.INCOMPLETE: {"waits_for": "provider-down", "resume_at": timezone.now()},
    }.get(status, {})


def make(status, scored):
    now = timezone.now()
    return Submission.objects.create(
        board=scored.board,
        team=scored.team,
        submitted_by=scored.submitted_by,
        system=scored.system,
        status=status,
        sha256=uuid.uuid4().hex,
        size_bytes=1,
        stored_as=uuid.uuid4(),
        received_at=now,
        moved_at=now,
        **needs(status, scored),
    )


def test_an_allowed_transition_changes_the_state(scored):
    emptied = {"problem_count": 0, "claim": None, "failure": "", "waits_for": "", "resume_at": None}
    emptied |= {"evaluation": None, "scored_at": None}
    for was, to in sorted(ALLOWED):
        submission = make(was, scored)
        moved = Submission.objects.filter(pk=submission.pk).become(
            Status(to), was=Status(was), **{**emptied, **needs(to, scored)}
        )
        submission.refresh_from_db()
        assert (moved, submission.status) == (1, to), was


def test_any_other_transition_is_refused(scored):
    for was, to in set(product(Status.values, Status.values)) - ALLOWED:
        submission = make(was, scored)
        with pytest.raises(ValueError, match=f"no step from {was} to {to}"):
            Submission.objects.filter(pk=submission.pk).become(Status(to), was=Status(was))
        submission.refresh_from_db()
        assert submission.status == was
        # A result belongs to one submission.
        Submission.objects.filter(pk=submission.pk).delete()


def test_a_row_in_another_state_is_not_changed(scored):
    submission = make(Status.QUEUED, scored)
    rows = Submission.objects.filter(pk=submission.pk)
    assert rows.become(Status.SCORING, was=Status.QUEUED, claim=uuid.uuid4()) == 1
    assert rows.become(Status.SCORING, was=Status.QUEUED, claim=uuid.uuid4()) == 0
