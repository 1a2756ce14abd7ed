"""Fixtures for the tests of the pages of leaderboards."""

import pytest

from leaderboard.models import Submission
from tests.support.factories import make_published, with_wrong


@pytest.fixture
def three(demo, user, good_file) -> dict[str, Submission]:
    """Publish the systems A with 47 of 50 right, B with 45 and C with 20."""
    wrong = {"A": 0, "B": 2, "C": 27}
    files = {name: with_wrong(good_file, number) if number else good_file for name, number in wrong.items()}
    return {name: make_published(user, demo, raw, system=name) for name, raw in files.items()}
