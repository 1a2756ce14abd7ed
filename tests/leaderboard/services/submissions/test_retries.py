"""A file is tried again after what passes, and after an error that nobody expected."""

import pytest

from leaderboard.models import Status
from leaderboard.services.submissions import admit, grade, sweep
from tests.support.factories import send
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
