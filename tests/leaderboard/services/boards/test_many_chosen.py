"""Filters that choose many rows show the same as those that choose few, which are kept by their keys."""

import pytest

from leaderboard.models import BoardState, Kind
from leaderboard.services.boards import sections
from leaderboard.services.boards.head_sentence import head_of
from leaderboard.services.boards.page import read_divided
from leaderboard.services.boards.query import read_query
from tests.support.databases import shared_rows
from tests.support.factories import make_demo
from tests.support.rows import put_row

pytestmark = pytest.mark.both_databases


@shared_rows
def rows():
    board = make_demo()
    for number in range(12):
        put_row(
            board,
            f"Round {number}" if number % 3 else f"Other {number}",
            counts=(20 + number // 2, 50),
            kind=Kind.REPORTED,
            model_names=["Linden 7" if number % 2 else "Aster 70"],
            organisation=f"Hospital {number % 2}",
        )


def shown(demo, params) -> list:
    """Return what a page shows: names and counts of its tables, and the sentence above them."""
    query = read_query(params, demo)
    page = read_divided(query)
    tables = [[row.standing.name for row in page.rows]]
    tables += [[section.count, *(row.standing.name for row in section.rows())] for section in page.sections]
    return [tables, page.page.paginator.count, page.system_count, head_of(query)]


@pytest.mark.parametrize(
    "params",
    [
        {"q": "round"},
        {"q": "round", "sort": "system"},
        {"q": "round", "sort": "-date"},
        {"q": "hospital 1", "weights": "open"},
        {"model": "Linden 7", "q": "round", "source": "reported"},
        {"q": "nothing like this"},
    ],
    ids=str,
)
def test_many_rows_are_shown_as_few_are(demo, params, monkeypatch):
    few = shown(demo, params)
    # What was remembered of the first request is not used again.
    BoardState.objects.filter(board=demo).update(revision=10_000)
    demo.state.refresh_from_db()
    monkeypatch.setattr(sections, "MOST_KEYS", 1)
    assert shown(demo, params) == few
    if params == {"q": "round"}:
        assert len(few[0][0]) == 8
