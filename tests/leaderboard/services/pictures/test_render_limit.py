"""The limit on pictures that are rendered at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

import pytest

from leaderboard.services import turns
from leaderboard.services.pictures import render_limit
from leaderboard.services.turns import TooBusy, Turns


@pytest.fixture(autouse=True)
def hardly_patient(monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.05)


def test_a_turn_is_released_once_and_by_its_holder():
    mine = Turns(1)
    turn = mine.take()
    turn.end()
    turn.end()
    turn = mine.take()
    del turn
    assert mine.take()


class ColdEngine:
    """Hold the lock of the renderer until the engine has started. waiting: threads that came meanwhile."""

    def __init__(self):
        self._started = threading.Lock()
        self._started.acquire()
        self.waiting = threading.Semaphore(0)

    def acquire(self, timeout):
        self.waiting.release()
        return self._started.acquire(timeout=timeout)

    def release(self):
        self._started.release()


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setattr(render_limit, "one_drawing", ColdEngine())
    monkeypatch.setattr(render_limit, "turns", Turns(2, 3))
    # Whoever has no turn in time is refused as well, but not at once.
    monkeypatch.setattr(render_limit, "PATIENCE_OF_PICTURES", 90)
    return render_limit.one_drawing


def draw(name: str) -> bytes:
    return render_limit.picture(name=name, shelf=f"cold-{name}", places=1, draw=name.encode)


def test_pictures_wait_and_leave_a_thread_for_pages(engine):
    with ThreadPoolExecutor(4) as threads:
        drawn = [threads.submit(draw, name) for name in "abcd"]
        refused = next(as_completed(drawn, timeout=60))
        engine.release()
    assert isinstance(refused.exception(), TooBusy)
    assert sorted(future.result() for future in drawn if future is not refused) == sorted(
        name.encode() for future, name in zip(drawn, "abcd", strict=True) if future is not refused
    )
