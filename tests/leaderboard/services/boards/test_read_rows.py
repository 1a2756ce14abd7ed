from dataclasses import replace

import pytest

from leaderboard.models import Kind
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import Query, read_query
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user, with_wrong
from tests.support.rows import put_row
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases


@shared_rows
def key() -> int:
    demo = make_demo()
    alpha = {"model_names": ["o4-mini"], "open_weights": False, "harness": "official"}
    put_row(demo, "Alpha", 0.9, kind=Kind.RESCORED, **alpha)
    bela = {"model_names": ["modèle-é"], "open_weights": True, "harness": "prefetch"}
    put_row(demo, "Béla", 0.8, kind=Kind.RESCORED, **bela)
    gamma = {"model_names": ["qwen3"], "organisation": "Ward 7", "open_weights": True}
    put_row(demo, "Gamma", 0.7, kind=Kind.RESCORED, trained_on_benchmark=False, **gamma)
    raw = with_wrong(GOOD.read_bytes(), 40)
    make_published(make_user("owner3@example.org"), demo, raw, system="Delta", task_memory="yes")
    put_row(demo, "Reported", model_names=["m"])
    return demo.pk


def names(board, **params):
    return [row.standing.name for row in read_board(read_query(params, board)).rows]


def test_the_board_is_sorted_by_score_and_the_row_without_one_is_last(board):
    assert names(board) == ["Alpha", "Béla", "Gamma", "Delta", "Reported"]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        # A value alone is tried in test_every_filter.
        ({"trained": "not-stated", "source": "rescored"}, ["Alpha", "Béla", "Delta"]),
        ({"memory": "not-stated", "harness": "prefetch"}, ["Béla"]),
        ({"q": "alph"}, ["Alpha"]),
        ({"q": "ward 7"}, ["Gamma"]),
        ({"q": "QWEN"}, ["Gamma"]),
        ({"q": "modèle"}, ["Béla"]),
        ({"q": "owner3"}, ["Delta"]),
        ({"q": "nobody"}, []),
        ({"q": "%"}, []),
        ({"weights": "open", "q": "gamma"}, ["Gamma"]),
    ],
)
def test_filters_and_search_keep_the_matching_rows(board, params, expected):
    assert names(board, **params) == expected


def test_a_row_without_a_score_is_last_in_either_sort_direction(board):
    # Without another figure: test_judges.
    assert names(board, sort="score") == ["Delta", "Gamma", "Béla", "Alpha", "Reported"]


def test_unknown_parameter_values_are_named_and_not_applied(board):
    params = {"sort": "; drop table", "interaction": "telepathy", "weights": "heavy", "page": "minus"}
    params |= {"harness": "secret", "trained": "true", "memory": "1"}
    query = read_query({**params, "nonsense": "1", "source": "\x00"}, board)
    assert {unknown.name for unknown in query.unknown} == {*params, "source"} - {"page"}
    assert replace(query, unknown=()) == Query(board_at=BoardAt(board))
