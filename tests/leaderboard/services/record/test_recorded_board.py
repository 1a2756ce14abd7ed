"""What is derived from the rows of a board is computed once for each revision of it."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from leaderboard.services.record.recorded_board import RecordedBoard
from tests.support.factories import make_demo
from tests.support.rows import raise_revision

pytestmark = pytest.mark.both_databases


@pytest.fixture
def board_at(db) -> RecordedBoard:
    board_at = RecordedBoard(make_demo())
    assert board_at.number >= 0  # reads the state, so that the threads below need no database
    return board_at


def test_a_value_that_several_threads_want_is_computed_by_one(board_at):
    computed = []

    def compute() -> int:
        computed.append(1)
        time.sleep(0.2)
        return 7

    with ThreadPoolExecutor(8) as threads:
        values = [threads.submit(board_at.remember, "seven", compute) for _ in range(8)]
    assert [value.result() for value in values] == [7] * 8
    assert len(computed) == 1


def test_a_change_of_the_board_makes_a_value_old(board_at):
    assert board_at.remember("age", lambda: "before") == "before"
    raise_revision(board_at.board)
    board_at.board.state.refresh_from_db()
    assert board_at.remember("age", lambda: "after") == "after"
