"""An order to rescore a leaderboard is done once, whatever becomes of its messages and workers."""

import logging
import uuid

import pytest

from leaderboard.models import Pulse, RescoringOrder, Standing
from leaderboard.services import background, broker
from leaderboard.services.broker import Lane
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
def messages(settings, monkeypatch):
    """Act as a broker that takes messages; return them."""
    settings.BROKER_URL = "redis://broker"
    taken = []

    def send(task, key, lane):
        assert (task, lane) == (background.Task.RESCORE, Lane.LONG)
        taken.append(key)
        return True

    monkeypatch.setattr(broker, "send", send)
    monkeypatch.setattr(broker, "count_messages", lambda _: len(taken))
    return taken


@pytest.fixture
def ordered(outdated, messages, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        assert rescore.order(board_id=outdated.pk)
    assert messages == [outdated.pk]
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


def test_a_lost_message_is_sent_again_and_the_leaderboard_rescored(ordered, messages, swept):
    messages.clear()
    pass_intervals(pulse.LASTS - 1)
    assert (swept(), messages) == (0, [])
    pass_intervals(1)
    assert (swept(), messages) == (1, [ordered.pk])
    # Not at every sweep.
    messages.clear()
    assert (swept(), messages) == (0, [])
    assert rescore.rescore_board(board_id=ordered.pk) == 1
    assert right() == 46
    assert not RescoringOrder.objects.exists()
    pass_intervals(pulse.LASTS)
    assert (swept(), messages) == (0, [])


def test_a_message_that_waits_is_not_sent_twice(ordered, messages, swept):
    pass_intervals(pulse.LASTS)
    assert (swept(), len(messages)) == (0, 1)


@pytest.mark.parametrize("count", [None, 1])
def test_nothing_is_sent_while_the_broker_is_away_or_has_messages(
    ordered, messages, swept, monkeypatch, count
):
    messages.clear()
    monkeypatch.setattr(broker, "count_messages", lambda _: count)
    pass_intervals(pulse.LASTS)
    assert (swept(), messages) == (0, [])
    assert RescoringOrder.objects.exists()


def test_an_order_whose_worker_was_killed_is_sent_again_and_one_that_lives_keeps_it(
    ordered, messages, swept, monkeypatch
):
    messages.clear()
    turn = rescore.rescore

    def slow(*, board, seconds):
        for _ in range(2 * pulse.LASTS):
            pass_intervals(1)
            leases.renew()
        assert (swept(), messages) == (0, [])
        # Delivered twice.
        assert rescore.rescore_board(board_id=board.pk) == 0
        return turn(board=board, seconds=seconds)

    def die(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(rescore, "rescore", die)
    with pytest.raises(KeyboardInterrupt):
        rescore.rescore_board(board_id=ordered.pk)
    assert RescoringOrder.objects.get().claim is not None
    pass_intervals(pulse.LASTS)
    assert (swept(), messages) == (1, [ordered.pk])
    messages.clear()
    monkeypatch.setattr(rescore, "rescore", slow)
    assert rescore.rescore_board(board_id=ordered.pk) == 1
    assert not RescoringOrder.objects.exists()


def test_what_is_ordered_meanwhile_is_done_afterwards(
    ordered, messages, monkeypatch, django_capture_on_commit_callbacks
):
    turn = rescore.rescore

    def order_again(*, board, seconds):
        assert rescore.order(board_id=board.pk)
        return turn(board=board, seconds=seconds)

    messages.clear()
    monkeypatch.setattr(rescore, "rescore", order_again)
    with django_capture_on_commit_callbacks(execute=True):
        rescore.rescore_board(board_id=ordered.pk)
    assert set(messages) == {ordered.pk}
    monkeypatch.setattr(rescore, "rescore", turn)
    assert RescoringOrder.objects.get().claim is None
    rescore.rescore_board(board_id=ordered.pk)
    assert not RescoringOrder.objects.exists()


def test_an_order_that_kills_every_worker_is_given_up_with_an_error(
    ordered, messages, swept, settings, caplog
):
    messages.clear()
    RescoringOrder.objects.update(claim=uuid.uuid4(), attempts=settings.SCORING_ATTEMPTS)
    pass_intervals(pulse.LASTS)
    with caplog.at_level(logging.ERROR):
        swept()
    assert "given up" in caplog.text
    assert (messages, RescoringOrder.objects.count()) == ([], 0)


def test_a_message_of_an_earlier_release_is_done_without_an_order(outdated):
    assert rescore.rescore_board(board_id=outdated.pk) == 1
    assert right() == 46
    assert not RescoringOrder.objects.exists()


def test_without_a_broker_nothing_is_ordered(outdated, settings):
    settings.BROKER_URL = ""
    assert not rescore.order(board_id=outdated.pk)
    assert not RescoringOrder.objects.exists()
