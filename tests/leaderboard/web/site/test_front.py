"""The front page."""

import pytest

from leaderboard.models import Standing
from tests.support import factories
from tests.support.rows import put_row


@pytest.fixture
def real_board(db):
    """Make a board that is not a demonstration, so that the front page lists its changes."""
    return factories.make_demo(slug="real", title="Real board", is_demo=False)


def test_the_front_page_takes_a_fixed_number_of_queries(
    visitor, user, good_file, real_board, django_assert_max_num_queries
):
    for wrong, name in enumerate(("Careful agent", "Hasty agent")):
        factories.make_published(user, real_board, factories.with_wrong(good_file, wrong), system=name)

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
    factories.make_published(user, real_board, good_file, system="<script>alert(1)</script>")
    content = visitor.get("/").content.decode()
    assert "<script>alert" not in content
    assert "&lt;script&gt;alert" in content
