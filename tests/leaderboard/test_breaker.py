"""One thread at a time asks a server, and none does for a while after a failure."""

import threading

import pytest

from leaderboard import breaker
from leaderboard.breaker import Breaker, Resting


def fail(limit: Breaker) -> None:
    with pytest.raises(OSError, match="down"), limit.attempt():
        raise OSError("down")


def test_after_a_failure_nothing_is_tried_until_the_rest_is_over(monkeypatch):
    now = 100.0
    monkeypatch.setattr(breaker, "monotonic", lambda: now)
    limit = Breaker(rest=10, patience=0)
    fail(limit)
    now = 109.9
    with pytest.raises(Resting), limit.attempt():
        pytest.fail("it was tried")
    now = 110.0
    fail(limit)
    now = 120.0
    for _ in range(2):
        with limit.attempt():
            pass


def test_while_one_waits_for_the_server_others_give_up_soon():
    limit = Breaker(rest=10, patience=0.01)
    with limit.attempt():
        results = []

        def ask():
            try:
                with limit.attempt():
                    results.append("asked")
            except Resting:
                results.append("resting")

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    ask()
    assert results == ["resting", "asked"]
