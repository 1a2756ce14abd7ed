import pytest

from leaderboard.models import Submission
from tests.support.factories import send_queued


@pytest.fixture
def queued(demo, user, good_file) -> Submission:
    """Return a submission that was queued and never taken up."""
    return send_queued(user, demo, good_file)
