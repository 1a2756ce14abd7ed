"""The front page."""

import pytest

from leaderboard.models import Standing
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import publish
from tests.support import factories
from tests.support.rows import put_row


@pytest.fixture
def real_board(db):
    """Make a board that is not a demonstration, so that the front page lists its changes."""
    return factories.make_demo(slug="real", title="Real board", is_demo=False)


@pytest.fixture
def two(real_board, user, good_file):
    """Publish two systems, with 47 and 17 of 50 right."""
    submissions = []
    for name, wrong in (("Careful agent", 0), ("Hasty agent", 30)):
        raw = factories.with_wrong(good_file, wrong) if wrong else good_file
        submission = factories.make_scored(user, real_board, raw, system=name)
        submissions.append(publish(submission_id=submission.pk, team=personal_team(user), by=user))
    return submissions


def test_the_front_page_takes_a_fixed_number_of_queries(
    visitor, two, real_board, django_assert_max_num_queries
):
    def count_queries() -> int:
        visitor.get("/")  # fills the cache
        with django_assert_max_num_queries(20) as queries_of_page:
            visitor.get("/")
        return len(queries_of_page)

    count = count_queries()
    for number in range(30):
        put_row(real_board, f"Reported {number}", counts=(number, 50))
    assert Standing.objects.count() == 32
    assert count_queries() == count


def test_the_names_of_systems_are_escaped(visitor, real_board, user, good_file):
    submission = factories.make_scored(user, real_board, good_file, system="<script>alert(1)</script>")
    publish(submission_id=submission.pk, team=personal_team(user), by=user)
    content = visitor.get("/").content.decode()
    assert "<script>alert" not in content
    assert "&lt;script&gt;alert" in content
