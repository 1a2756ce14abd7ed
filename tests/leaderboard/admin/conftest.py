"""Fixtures for the tests of the admin site."""

import pytest

from leaderboard.models import User


@pytest.fixture
def staff(client, db):
    """Return a client of a superuser."""
    client.force_login(User.objects.create_superuser("boss@example.org", "correct-horse-battery"))
    return client
