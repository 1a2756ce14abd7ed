"""An order to rescore a leaderboard is done once, whatever becomes of its workers."""

import logging
import uuid
from unittest.mock import Mock

import pytest

from leaderboard.models import AuditEvent, Board, RescoringOrder, Standing
from leaderboard.services.processes import leases
from leaderboard.services.submissions import rescore
from tests.support.factories import correct_references, make_published, with_wrong
from tests.support.leases import LASTS, pass_intervals

pytestmark = pytest.mark.both_databases


@pytest.fixture
def ordered(demo, published, settings):
    """Return a board that is to be rescored, as its published result is of an earlier ground truth."""
    correct_references(demo)
    settings.WORKERS = True
    assert rescore.order(board_id=demo.pk)
    return demo


def test_an_order_whose_worker_was_killed_is_done_by_another_and_one_that_lives_keeps_it(
    ordered, monkeypatch
):
    turn = rescore.rescore

    def slow(*, board, seconds):
        for _ in range(2 * LASTS):
            pass_intervals(1)
            leases.renew()
        assert not rescore.work_on_order()
        return turn(board=board, seconds=seconds)

    monkeypatch.setattr(rescore, "rescore", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        rescore.work_on_order()
    assert RescoringOrder.objects.get().claim is not None
    assert not rescore.work_on_order()
    pass_intervals(LASTS)
    monkeypatch.setattr(rescore, "rescore", slow)
    assert rescore.work_on_order()
    assert Standing.objects.get().right == 46
    assert not RescoringOrder.objects.exists()


def test_what_is_ordered_meanwhile_is_done_afterwards(ordered, monkeypatch):
    turn = rescore.rescore

    def order_again(*, board, seconds):
        assert rescore.order(board_id=board.pk)
        return turn(board=board, seconds=seconds)

    monkeypatch.setattr(rescore, "rescore", order_again)
    assert rescore.work_on_order()
    monkeypatch.setattr(rescore, "rescore", turn)
    assert RescoringOrder.objects.get().claim is None
    assert rescore.work_on_order()
    assert not RescoringOrder.objects.exists()


def test_an_order_that_kills_every_worker_is_given_up_with_an_error(ordered, settings, caplog):
    RescoringOrder.objects.update(claim=uuid.uuid4(), attempts=settings.SCORING_ATTEMPTS)
    pass_intervals(LASTS)
    with caplog.at_level(logging.ERROR):
        rescore.work_on_order()
    assert "given up" in caplog.text
    assert not RescoringOrder.objects.exists()


@pytest.fixture
def staged(demo, published):
    """Return a revision that is not active, on a board with a published result."""
    return correct_references(demo, is_staged=True).revision


def numbers(board):
    """Return the active revision of a board, and those that its rows were scored by."""
    rows = Standing.objects.filter(board=board, evaluation__isnull=False)
    return (
        Board.objects.get(pk=board.pk).ground_truth.number,
        set(rows.values_list("evaluation__revision__number", flat=True)),
    )


def test_a_worker_scores_every_result_and_then_activates_the_revision(demo, user, staged, settings):
    settings.WORKERS = True
    was = demo.active_revision_id
    assert rescore.activate(revision=staged, was=was, by=user, seconds=0) is None
    assert numbers(demo) == (1, {1})
    assert rescore.work_on_order()
    assert numbers(demo) == (2, {2})
    assert not RescoringOrder.objects.exists()
    event = AuditEvent.objects.get(action=AuditEvent.Action.ACTIVATED, data__revision=2)
    assert event.actor == user


def test_a_worker_that_is_killed_at_the_change_leaves_all_of_the_old_table(
    demo, user, staged, settings, monkeypatch
):
    settings.WORKERS = True
    rescore.activate(revision=staged, was=demo.active_revision_id, by=user, seconds=0)

    with monkeypatch.context() as killed:
        killed.setattr(rescore.standings, "refresh_standings", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            rescore.work_on_order()
    assert numbers(demo) == (1, {1})
    RescoringOrder.objects.update(claim=None)
    assert rescore.work_on_order()
    assert numbers(demo) == (2, {2})


def test_a_large_board_is_rescored_in_several_turns(demo, user, good_file, request, monkeypatch):
    make_published(user, demo, with_wrong(good_file, 3), system="Other")
    request.getfixturevalue("ordered")
    clock = iter([0.0, 1.0, 1000.0])
    with monkeypatch.context() as slow:
        slow.setattr(rescore, "monotonic", lambda: next(clock))
        assert rescore.work_on_order()
    assert RescoringOrder.objects.exists()
    assert rescore.outdated(demo).count() == 1
    assert rescore.work_on_order()
    assert rescore.outdated(demo).count() == 0
    assert not RescoringOrder.objects.exists()
