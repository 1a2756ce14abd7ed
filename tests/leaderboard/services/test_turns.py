"""Pages are calculated in the order in which they were asked for."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from leaderboard.services.turns import ArrivalOrder
from tests.support.processes import wait_for

LONG = 30.0


class Line:
    """Threads in line for turns, each of which ends when the test says so."""

    def __init__(self, turns: ArrivalOrder, pool: ThreadPoolExecutor) -> None:
        self.turns = turns
        self.started: list[str] = []
        self._pool = pool
        self._ends: dict[str, threading.Event] = {}

    def join(self, name: str) -> None:
        """Have a thread wait for a turn; return once it waits or has started."""
        self._ends[name] = threading.Event()
        before = len(self.started) + len(self.turns._waiting)
        self._pool.submit(self._run, name)
        wait_for(lambda: len(self.started) + len(self.turns._waiting) > before)

    def end(self, name: str) -> None:
        self._ends[name].set()

    def _run(self, name: str) -> None:
        with self.turns.turn():
            self.started.append(name)
            self._ends[name].wait(LONG)


@pytest.fixture
def make_line() -> Callable[..., Line]:
    """Return a function that makes a line, whose threads end with the test."""
    lines = []
    with ThreadPoolExecutor(8) as pool:

        def make(**limits: float) -> Line:
            lines.append(Line(ArrivalOrder(**limits), pool))
            return lines[-1]

        yield make
        for line in lines:
            for name in line._ends:
                line.end(name)


def test_threads_start_in_the_order_in_which_they_came(make_line):
    line = make_line(at_once=2, longest=LONG)
    for name in "abcd":
        line.join(name)
    assert line.started == ["a", "b"]
    line.end("b")
    wait_for(lambda: line.started == ["a", "b", "c"])
    line.end("a")
    wait_for(lambda: line.started == ["a", "b", "c", "d"])


def test_a_turn_that_nobody_waits_for_is_free_for_the_next(make_line):
    line = make_line(at_once=1, longest=LONG)
    for name in "ab":
        line.join(name)
        wait_for(lambda name=name: line.started[-1:] == [name], seconds=LONG / 3)
        line.end(name)


def test_the_next_starts_beside_those_that_take_long_and_the_others_keep_their_order(make_line):
    line = make_line(at_once=1, longest=0.02)
    for name in "abc":
        line.join(name)
    wait_for(lambda: line.started == ["a", "b", "c"])
    # Those that started beside the first had no turn to pass on: where all have ended, one is free.
    for name in "bca":
        line.end(name)
    line.join("d")
    line.join("e")
    wait_for(lambda: line.started == ["a", "b", "c", "d", "e"])


def test_an_error_ends_the_turn(make_line):
    line = make_line(at_once=1, longest=LONG)
    with pytest.raises(ValueError, match="broken"), line.turns.turn():
        raise ValueError("broken")
    line.join("a")
    wait_for(lambda: line.started == ["a"], seconds=LONG / 3)
