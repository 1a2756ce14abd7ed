"""Fixtures for the tests of the pages of leaderboards."""

import pytest

from leaderboard.models import Submission
from tests.support.factories import publish_each


@pytest.fixture
def three(demo, user) -> dict[str, Submission]:
    """Publish the systems A with 47 of 50 right, B with 45 and C with 20."""
    return publish_each(user, demo, A=0, B=2, C=27)
