"""SIGKILL in a real process on a real database, and how the sweep finishes the work."""

import json
import signal
import subprocess

import pytest

from leaderboard.models import AuditEvent, Evaluation, Status, Submission
from leaderboard.services.accounts import personal_team
from tests.support import processes
from tests.support.leases import sweep_later
from tests.support.processes import environment
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def submitter(django_db_setup, django_db_blocker):
    """Start a process that forks one for each submission: loading the service takes the longest."""
    with django_db_blocker.unblock():
        env = environment()
    with processes.start(
        "-m",
        "tests.support.programs.killed_submission",
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.fixture
def submit_and_die(submitter, user, demo):
    """Return a function by which a process submits the file of `user` until it kills itself at a place."""
    # Created beforehand, because only the submission is tested.
    personal_team(user)

    def run(place):
        submitter.stdin.write(json.dumps([place, str(GOOD), str(user.pk), demo.slug]) + "\n")
        submitter.stdin.flush()
        assert submitter.stdout.readline() == f"{-signal.SIGKILL}\n"

    return run


@pytest.mark.parametrize(
    ("place", "left"),
    [
        ("received", Status.RECEIVED),
        ("queueing", Status.RECEIVED),
        ("queued", Status.QUEUED),
        ("claimed", Status.SCORING),
        ("scoring", Status.SCORING),
        ("finishing", Status.SCORING),
    ],
)
def test_a_process_killed_anywhere_leaves_a_row_that_the_sweep_scores_once(submit_and_die, place, left):
    submit_and_die(place)
    submission = Submission.objects.get()
    assert submission.status == left
    assert not Evaluation.objects.exists()
    assert sweep_later() == 1
    submission.refresh_from_db()
    assert submission.status == Status.SCORED
    assert submission.evaluation == Evaluation.objects.get()
    assert (
        AuditEvent.objects.filter(submission=submission).filter(action=AuditEvent.Action.SCORED).count() == 1
    )


@pytest.mark.parametrize("place", ["checking", "storing"])
def test_a_process_killed_before_the_upload_is_accepted_leaves_nothing(submit_and_die, place):
    submit_and_die(place)
    assert not Submission.objects.exists()
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.SUBMITTED).exists()
