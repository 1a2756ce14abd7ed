"""The front page."""

import pytest

from leaderboard.models import Standing
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import publish
from leaderboard.services.statistics.compute import compute_statistics
from tests.support import factories
from tests.support.pages.visible_text import text_of
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


def test_an_open_board_shows_its_finding_and_its_first_rows_with_their_intervals(visitor, two):
    compute_statistics(board_id=two[0].board_id)
    response = visitor.get("/")
    text = text_of(response)
    assert "points (significant)." in text
    assert "50 tasks" in text
    assert "See all 2 systems" in text
    table = text.split("Rank System")[1].split("See all")[0]
    assert "1 Careful agent" in table
    assert "94.0%" in table
    assert "84% to 98%" in table
    assert "Hasty agent" in table
    # Drawn in the page: no picture has to be made before a reader sees them.
    assert _table(visitor).count('<svg class="interval"') == 2
    assert "<img" not in response.content.decode()


def _table(visitor) -> str:
    return visitor.get("/").content.decode().split('<table class="front-top">')[1].split("</table>")[0]


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
