import pytest

from leaderboard.models import Board


@pytest.fixture
def board(key, db) -> Board:
    """Return the board of the module's shared rows."""
    return Board.objects.get(pk=key)
