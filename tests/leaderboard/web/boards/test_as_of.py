"""Boards at a past date: the `as_of` of an address, and what pages say about it."""

import pytest

from leaderboard.models import BoardEvent
from tests.support.factories import correct_references
from tests.support.pages.visible_text import text_of

ADDRESS = "/benchmarks/medagentbench-demo/"


@pytest.mark.parametrize("as_of_text", ["garbage", "999999", "2999-01-01", "x" * 90])
@pytest.mark.parametrize("page", ["", "views/forest/", "changes/"])
def test_an_invalid_date_is_refused_with_valid_examples(visitor, demo, page, as_of_text):
    response = visitor.get(ADDRESS + page, {"as_of": as_of_text})
    assert response.status_code == 400
    text = text_of(response)
    for form in ("as_of=2026-11-01", "as_of=57"):
        assert form in text
    content = response.content.decode()
    assert f'href="{ADDRESS}"' in content
    assert f'href="{ADDRESS}changes/"' in content


def test_a_past_row_is_compared_with_the_ground_truth_of_that_time(visitor, demo, published):
    number = BoardEvent.objects.filter(board=demo).latest("number").number
    correct_references(demo)
    assert "older reference answers" in text_of(visitor.get(ADDRESS))
    assert "older reference answers" not in text_of(visitor.get(ADDRESS, {"as_of": number}))
