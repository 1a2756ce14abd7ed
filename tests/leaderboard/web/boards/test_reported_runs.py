"""Runs of results as published: as their source states them."""

from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import read_query
from tests.support.factories import make_published
from tests.support.pages.visible_text import text_of
from tests.support.reported import state


def test_stated_runs_are_in_the_row(visitor, demo, user, good_file):
    make_published(user, demo, good_file, system="Single here")
    state(demo, user, system="Five elsewhere", runs="5")
    state(demo, user, system="One elsewhere", runs="1")
    state(demo, user, system="Unknown elsewhere", runs="")
    rows = {row.standing.name: row for row in read_board(read_query({}, demo)).rows}
    assert {name: row.stated_runs for name, row in rows.items()} == {
        "Single here": 1,
        "Five elsewhere": 5,
        "One elsewhere": 1,
        "Unknown elsewhere": None,
    }
    # Nothing is computed from what a source states.
    assert rows["Five elsewhere"].runs is None
    assert "5 runs" in text_of(visitor.get(f"/benchmarks/{demo.slug}/"))
