"""When and where the statistics of a board are computed, and what happens to lost work."""

import sys

import pytest

from leaderboard.models import Board, BoardState, BoardStatistics, Submission
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.publishing import publish
from leaderboard.services.statistics import compute
from leaderboard.services.submissions import sweep
from tests.support.factories import make_published, make_scored, with_wrong
from tests.support.leases import sweep_later

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lost(monkeypatch):
    """Lose every message about statistics, until the returned function is called."""
    with monkeypatch.context() as patched:
        patched.setattr(compute, "compute_statistics", lambda **_: None)
        yield patched.undo


@pytest.fixture
def send_two(demo, user, good_file):
    """Return a function that publishes a system with 47 right and one with 42."""
    files = {"A": good_file, "B": with_wrong(good_file, 5)}
    return lambda: [make_published(user, demo, raw, system=name) for name, raw in files.items()]


def is_known(board):
    # As a request finds it: what is known of a board is kept for a revision.
    return BoardAt(Board.objects.get(pk=board.pk)).statistics_for("")


def test_without_a_server_statistics_are_computed_on_commit(demo, send_two, user):
    one, _ = send_two()
    assert is_known(demo).count == 2
    publish.withdraw(submission_id=one.pk, team=one.team, by=user)
    assert is_known(demo).count == 1


def test_a_rolled_back_change_computes_no_statistics_and_an_error_in_them_rolls_back_none(
    demo, user, good_file, monkeypatch, caplog
):
    submission = make_scored(user, demo, good_file, system="A")
    handed = []

    def fail(*, board_id):
        handed.append(board_id)
        raise ValueError("no statistics")

    monkeypatch.setattr(compute, "compute_statistics", fail)
    with monkeypatch.context() as broken:
        broken.setattr(publish.audit, "record", None)
        with pytest.raises(TypeError):
            publish.publish(submission_id=submission.pk, team=submission.team, by=user)
    assert handed == []
    publish.publish(submission_id=submission.pk, team=submission.team, by=user)
    assert handed == [demo.pk]
    assert Submission.objects.get().is_published
    assert "ValueError" in caplog.text


def test_the_sweep_finds_lost_statistics_and_ignores_current_or_impossible_ones(
    demo, fhir_demo, send_two, user, lost, monkeypatch
):
    one, _ = send_two()
    assert is_known(demo) is None
    lost()
    sweep.sweep()
    assert is_known(demo) is None, "it may be under way"
    sweep_later()
    assert is_known(demo).count == 2
    handed = []
    monkeypatch.setattr(compute, "compute_statistics", lambda *, board_id: handed.append(board_id))
    sweep_later()
    assert handed == []
    publish.withdraw(submission_id=one.pk, team=one.team, by=user)
    handed.clear()
    sweep_later()
    assert handed == [demo.pk]


def test_a_worker_that_ends_while_it_stores_leaves_no_partial_statistics(demo, send_two, lost, monkeypatch):
    send_two()
    lost()
    before = BoardState.objects.get(board=demo).revision
    with monkeypatch.context() as ending:
        # In `touch` the rows are written, and not committed.
        ending.setattr(compute.events, "touch", lambda **_: sys.exit())
        with pytest.raises(SystemExit):
            compute.compute_statistics(board_id=demo.pk)
    assert BoardStatistics.objects.count() == 0
    assert BoardState.objects.get(board=demo).revision == before
    sweep_later()
    assert is_known(demo).count == 2


def test_the_second_of_two_concurrent_workers_stores_nothing(demo, send_two, lost, monkeypatch):
    send_two()
    lost()
    compute_results = compute.compute_results
    outcomes = []

    def overtaken(*args):
        # Another worker starts and finishes while this one computes.
        monkeypatch.setattr(compute, "compute_results", compute_results)
        outcomes.append(compute.compute_statistics(board_id=demo.pk))
        return compute_results(*args)

    monkeypatch.setattr(compute, "compute_results", overtaken)
    outcomes.append(compute.compute_statistics(board_id=demo.pk))
    assert outcomes == [True, False]
    assert BoardStatistics.objects.count() == 1
