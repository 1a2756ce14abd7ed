"""Fixtures for the tests of the pages of submissions."""

import pytest

from leaderboard.models import Board
from tests.support import factories
from tests.support.pages.desk import words


@pytest.fixture
def hidden(db) -> Board:
    """Return a leaderboard with hidden references that rounds results until they are published."""
    return factories.make_hidden(access="anyone", rounding=1)


@pytest.fixture
def send(upload):
    """Return a function with which a client sends a file alone; it returns the page that follows."""

    def send_(client, raw: bytes, **fields) -> str:
        return words(client.post("/submit/", {"file": upload(raw, "mine.json"), **fields}, follow=True))

    return send_
