"""An order to rescore a leaderboard is done once, whatever becomes of its jobs and workers."""

import logging
import uuid

import pytest

from leaderboard.models import AuditEvent, Board, RescoringOrder, Standing
from leaderboard.services import engine
from leaderboard.services.processes import leases
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions import rescore, sweep
from tests.support.factories import make_published, other_references, with_wrong
from tests.support.leases import LASTS, pass_intervals

pytestmark = pytest.mark.both_databases


@pytest.fixture
def outdated(demo, user, good_file):
    """Return a board whose published result is of an earlier ground truth."""
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
    pass_intervals(LASTS - 1)
    assert (swept(), queued) == (0, [])
    pass_intervals(1)
    assert (swept(), queued) == (1, [ordered.pk])
    # Not at every sweep.
    queued.clear()
    assert (swept(), queued) == (0, [])
    assert rescore.rescore_board(board_id=ordered.pk) == 1
    assert right() == 46
    assert not RescoringOrder.objects.exists()
    pass_intervals(LASTS)
    assert (swept(), queued) == (0, [])


def test_an_order_whose_worker_was_killed_is_queued_again_and_one_that_lives_keeps_it(
    ordered, queued, swept, monkeypatch
):
    queued.clear()
    turn = rescore.rescore

    def slow(*, board, seconds):
        for _ in range(2 * LASTS):
            pass_intervals(1)
            leases.renew()
        assert (swept(), queued) == (0, [])
        # Done twice.
        assert rescore.rescore_board(board_id=board.pk) == 0
        return turn(board=board, seconds=seconds)

    def die(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(rescore, "rescore", die)
    with pytest.raises(KeyboardInterrupt):
        rescore.rescore_board(board_id=ordered.pk)
    assert RescoringOrder.objects.get().claim is not None
    pass_intervals(LASTS)
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
    pass_intervals(LASTS)
    with caplog.at_level(logging.ERROR):
        swept()
    assert "given up" in caplog.text
    assert (queued, RescoringOrder.objects.count()) == ([], 0)


def test_without_workers_nothing_is_ordered(outdated, settings):
    assert not rescore.order(board_id=outdated.pk)
    assert not RescoringOrder.objects.exists()


@pytest.fixture
def staged(demo, user, good_file):
    """Return a revision that is not active, on a board with a published result."""
    make_published(user, demo, good_file)
    answers = other_references()
    return import_references(board=demo, references=answers, origin="corrected", is_staged=True).revision


def numbers(board):
    """Return the active revision of a board, and those that its rows were scored by."""
    rows = Standing.objects.filter(board=board, evaluation__isnull=False)
    return (
        Board.objects.get(pk=board.pk).ground_truth.number,
        set(rows.values_list("evaluation__revision__number", flat=True)),
    )


def test_a_worker_scores_every_result_and_then_activates_the_revision(demo, user, staged, queued):
    was = demo.active_revision_id
    assert rescore.activate(revision=staged, was=was, by=user, seconds=0) is None
    assert queued == [demo.pk]
    assert numbers(demo) == (1, {1})
    assert rescore.rescore_board(board_id=demo.pk) == 1
    assert numbers(demo) == (2, {2})
    assert not RescoringOrder.objects.exists()
    event = AuditEvent.objects.get(action=AuditEvent.Action.ACTIVATED, data__revision=2)
    assert event.actor == user


def test_a_worker_that_is_killed_at_the_change_leaves_all_of_the_old_table(
    demo, user, staged, queued, monkeypatch
):
    rescore.activate(revision=staged, was=demo.active_revision_id, by=user, seconds=0)

    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(rescore.standings, "refresh_standings", die)
        with pytest.raises(KeyboardInterrupt):
            rescore.rescore_board(board_id=demo.pk)
    assert numbers(demo) == (1, {1})
    RescoringOrder.objects.update(claim=None)
    rescore.rescore_board(board_id=demo.pk)
    assert numbers(demo) == (2, {2})


def test_an_order_ends_where_another_revision_became_active_meanwhile(demo, user, staged, queued):
    first = demo.active_revision
    rescore.activate(revision=staged, was=first.pk, by=user, seconds=0)
    rescore.switch_to(revision=staged, was=first.pk, by=user)
    rescore.switch_to(revision=first, was=staged.pk, by=user)
    assert RescoringOrder.objects.get().revision is None
    rescore.rescore_board(board_id=demo.pk)
    assert numbers(demo)[0] == 1


def test_a_large_board_is_rescored_in_several_tasks(
    demo, user, good_file, request, monkeypatch, django_capture_on_commit_callbacks
):
    make_published(user, demo, with_wrong(good_file, 3), system="Other")
    request.getfixturevalue("outdated")
    queued = request.getfixturevalue("queued")
    clock = iter([0.0, 1.0, 1000.0])
    with monkeypatch.context() as slow, django_capture_on_commit_callbacks(execute=True):
        slow.setattr(rescore, "monotonic", lambda: next(clock))
        assert rescore.rescore_board(board_id=demo.pk) == 1
    assert queued == [demo.pk]
    queued.clear()
    assert rescore.rescore_board(board_id=demo.pk) == 1
    assert queued == []
