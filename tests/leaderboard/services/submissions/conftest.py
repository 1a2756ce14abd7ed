import pytest

from leaderboard.models import Submission
from leaderboard.services.submissions import grade
from tests.support.factories import send_queued


@pytest.fixture
def queued(demo, user, good_file) -> Submission:
    """Return a submission that was queued and never taken up."""
    return send_queued(user, demo, good_file)


@pytest.fixture
def score_and(monkeypatch):
    """Return a function that scores a submission, and calls `between` while that is under way."""

    def run(between, submission):
        real = grade.grade

        def slow(*args, **kwargs):
            monkeypatch.setattr(grade, "grade", real)
            between()
            return real(*args, **kwargs)

        monkeypatch.setattr(grade, "grade", slow)
        grade.score(submission_id=submission.pk)
        submission.refresh_from_db()

    return run
