"""An order to rescore a leaderboard is done once, whatever becomes of its jobs and workers."""

import logging
import uuid

import pytest

from leaderboard.models import Pulse, RescoringOrder, Standing
from leaderboard.services import engine
from leaderboard.services.processes import leases, pulse
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions import rescore, sweep
from tests.support.factories import make_published, other_references

pytestmark = pytest.mark.both_databases


@pytest.fixture
def outdated(demo, user, good_file):
    """Return a board whose published result is of an earlier ground truth."""
    Pulse.objects.create(pk=1, number=100)
    make_published(user, demo, good_file)
    import_references(board=demo, references=other_references(), origin="corrected")
    return demo


@pytest.fixture
def queued(settings, monkeypatch):
    """Act as the engine, which keeps a job once; return the leaderboards whose rescoring is queued."""
    settings.WORKERS = True
    queued = []
    monkeypatch.setattr(engine, "take_up_dead", lambda: None)
    monkeypatch.setattr(engine, "defer_statistics", lambda _: None)
    monkeypatch.setattr(engine, "defer_rescoring", lambda key: key in queued or queued.append(key))
    return queued


@pytest.fixture
def ordered(outdated, queued, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        assert rescore.order(board_id=outdated.pk)
    assert queued == [outdated.pk]
    return outdated


def pass_intervals(count):
    for _ in range(count):
        assert pulse.raise_from(pulse.number())


@pytest.fixture
def swept(django_capture_on_commit_callbacks):
    def run(**options):
        with django_capture_on_commit_callbacks(execute=True):
            return sweep.sweep(**options)

    return run


def right():
    return Standing.objects.get().right


def test_a_lost_job_is_queued_again_and_the_leaderboard_rescored(ordered, queued, swept):
    queued.clear()
    pass_intervals(pulse.LASTS - 1)
    assert (swept(), queued) == (0, [])
    pass_intervals(1)
    assert (swept(), queued) == (1, [ordered.pk])
    # Not at every sweep.
    queued.clear()
    assert (swept(), queued) == (0, [])
    assert rescore.rescore_board(board_id=ordered.pk) == 1
    assert right() == 46
    assert not RescoringOrder.objects.exists()
    pass_intervals(pulse.LASTS)
    assert (swept(), queued) == (0, [])


def test_an_order_whose_worker_was_killed_is_queued_again_and_one_that_lives_keeps_it(
    ordered, queued, swept, monkeypatch
):
    queued.clear()
    turn = rescore.rescore

    def slow(*, board, seconds):
        for _ in range(2 * pulse.LASTS):
            pass_intervals(1)
            leases.renew()
        assert (swept(), queued) == (0, [])
        # Done twice.
        assert rescore.rescore_board(board_id=board.pk) == 0
        return turn(board=board, seconds=seconds)

    def die(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(rescore, "rescore", die)
    with pytest.raises(KeyboardInterrupt):
        rescore.rescore_board(board_id=ordered.pk)
    assert RescoringOrder.objects.get().claim is not None
    pass_intervals(pulse.LASTS)
    assert (swept(), queued) == (1, [ordered.pk])
    queued.clear()
    monkeypatch.setattr(rescore, "rescore", slow)
    assert rescore.rescore_board(board_id=ordered.pk) == 1
    assert not RescoringOrder.objects.exists()


def test_what_is_ordered_meanwhile_is_done_afterwards(
    ordered, queued, monkeypatch, django_capture_on_commit_callbacks
):
    turn = rescore.rescore

    def order_again(*, board, seconds):
        assert rescore.order(board_id=board.pk)
        return turn(board=board, seconds=seconds)

    queued.clear()
    monkeypatch.setattr(rescore, "rescore", order_again)
    with django_capture_on_commit_callbacks(execute=True):
        rescore.rescore_board(board_id=ordered.pk)
    assert set(queued) == {ordered.pk}
    monkeypatch.setattr(rescore, "rescore", turn)
    assert RescoringOrder.objects.get().claim is None
    rescore.rescore_board(board_id=ordered.pk)
    assert not RescoringOrder.objects.exists()


def test_an_order_that_kills_every_worker_is_given_up_with_an_error(ordered, queued, swept, settings, caplog):
    queued.clear()
    RescoringOrder.objects.update(claim=uuid.uuid4(), attempts=settings.SCORING_ATTEMPTS)
    pass_intervals(pulse.LASTS)
    with caplog.at_level(logging.ERROR):
        swept()
    assert "given up" in caplog.text
    assert (queued, RescoringOrder.objects.count()) == ([], 0)


def test_without_workers_nothing_is_ordered(outdated, settings):
    assert not rescore.order(board_id=outdated.pk)
    assert not RescoringOrder.objects.exists()
