"""Boards with thousands of rows, and the order of rows without figures or with equal ones."""

import pytest

from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import Query
from leaderboard.services.publishing.publish import publish
from tests.support.factories import make_scored
from tests.support.rows import copy_row, put_row

pytestmark = pytest.mark.both_databases


def test_an_old_best_is_first_among_more_than_ten_thousand(demo, team, user, good_file):
    submission = publish(submission_id=make_scored(user, demo, good_file).pk, team=team, by=user)
    first = put_row(demo, "System 0", 0.5)
    numbers = (
        "(WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers "
        "WHERE number < 10049) SELECT number FROM numbers) numbers"
    )
    copy_row(first.system, numbers, name="'System ' || number")
    systems = (
        f"(SELECT id, name FROM leaderboard_system WHERE name LIKE 'System %%' AND id <> {first.system_id}) s"
    )
    copy_row(first, systems, system_id="s.id", name="s.name")
    page = read_board(Query(board_at=BoardAt(demo)))
    assert page.page.paginator.count == 10_051
    assert (page.rows[0].rank, page.rows[0].standing.evaluation_id) == (1, submission.evaluation_id)
    # The others are equal, and share the rank below it.
    assert {row.rank for row in page.rows[1:]} == {2}


def test_a_row_without_a_score_is_never_first_in_either_direction(demo):
    for name, score in (("none", None), ("worst", 0.0), ("best", 1.0), ("also none", None)):
        put_row(demo, name, score)
    for descending in (True, False):
        rows = read_board(Query(board_at=BoardAt(demo), descending=descending)).rows
        assert [row.standing.score is None for row in rows] == [False, False, True, True]
        assert {row.standing.name: row.rank for row in rows if row.rank} == {"best": 1, "worst": 2}


def test_equal_rows_share_a_rank_and_keep_their_order(demo):
    for name in "dacb":
        put_row(demo, name, 0.5)
    put_row(demo, "lower", 0.4)
    orders = [
        [(row.standing.name, row.rank) for row in read_board(Query(board_at=BoardAt(demo))).rows]
        for _ in range(3)
    ]
    assert orders == [[("d", 1), ("a", 1), ("c", 1), ("b", 1), ("lower", 5)]] * 3
