"""What is derived from the rows of a board is computed once for each revision of it."""

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


def test_a_change_of_the_board_makes_a_value_old(board_at):
    assert board_at.remember("age", lambda: "before") == "before"
    raise_revision(board_at.board)
    board_at.board.state.refresh_from_db()
    assert board_at.remember("age", lambda: "after") == "after"
