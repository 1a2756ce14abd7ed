"""Turns for what is costly."""

import threading

import pytest

from leaderboard.services import turns
from leaderboard.services.turns import TooBusy, Turns


@pytest.fixture(autouse=True)
def hardly_patient(monkeypatch):
    monkeypatch.setattr(turns, "_PATIENCE", 0.05)


@pytest.mark.parametrize(("threads", "at_once"), [(1, 1), (2, 1), (4, 2), (9, 4)])
def test_half_of_the_threads_may_be_taken(threads, at_once):
    mine = Turns(threads)
    taken = [mine.take() for _ in range(at_once)]
    with pytest.raises(TooBusy):
        mine.take()
    taken[0].end()
    assert mine.take()


def test_a_turn_ends_once_and_with_who_held_it():
    mine = Turns(2)
    turn = mine.take()
    turn.end()
    turn.end()
    turn = mine.take()
    del turn
    assert mine.take()


def test_one_thread_never_waits(monkeypatch):
    monkeypatch.setattr(turns, "_PATIENCE", 60)
    mine = Turns(4)
    taken = [mine.take(), mine.take()]
    late = threading.Thread(target=lambda: mine.take().end())
    late.start()
    while mine._room._value:
        pass
    # Those two and the one that waits: the fourth is told at once.
    with pytest.raises(TooBusy):
        mine.take()
    taken[0].end()
    late.join(5)
    assert not late.is_alive()
