"""Fixtures for the tests of the pages of submissions."""

import pytest

from leaderboard.models import Board
from tests.support import factories


@pytest.fixture
def hidden(db) -> Board:
    """Return a leaderboard with hidden references that rounds results until they are published."""
    return factories.make_hidden(access="anyone", rounding=1)
