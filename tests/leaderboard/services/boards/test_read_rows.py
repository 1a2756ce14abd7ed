from dataclasses import replace
from datetime import UTC, datetime

import pytest

from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import Query, read_query
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user, with_wrong
from tests.support.rows import put_row
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases

SYSTEMS = [
    # name, wrong answers, facts
    (
        "Alpha",
        1,
        {"models": "o4-mini", "open_weights": "no", "interaction": "multi-turn", "harness": "official"},
    ),
    (
        "Béla",
        2,
        {"models": "modèle-é", "open_weights": "yes", "interaction": "single-turn", "harness": "prefetch"},
    ),
    (
        "Gamma",
        2,
        {"models": "qwen3", "open_weights": "yes", "organisation": "Ward 7", "trained_on_benchmark": "no"},
    ),
    (
        "Delta",
        9,
        {
            "models": "gpt-4o",
            "open_weights": "unknown",
            "retrieval": "none",
            "task_memory": "yes",
            "cost_per_task": "0.5",
        },
    ),
]


@shared_rows
def key() -> int:
    demo = make_demo()
    for number, (name, wrong, stated) in enumerate(SYSTEMS):
        owner = make_user(f"owner{number}@example.org")
        facts = {"organisation": "", "interaction": "", "retrieval": "", "reasoning": "", **stated}
        make_published(owner, demo, with_wrong(GOOD.read_bytes(), wrong), system=name, **facts)
    unknown = dict.fromkeys(("query_success_rate", "action_success_rate", "coverage"))
    since = datetime(2025, 1, 1, tzinfo=UTC)
    put_row(demo, "Reported", model_names=["m"], metrics=unknown, since=since)
    return demo.pk


def names(board, **params):
    return [row.system.name for row in read_board(read_query(params, board)).rows]


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


def test_a_row_without_the_figure_is_last_in_either_sort_direction(board):
    for key in ("score", "query_success_rate", "action_success_rate", "coverage"):
        assert names(board, sort=key)[-1] == names(board, sort=f"-{key}")[-1] == "Reported", key


def test_unknown_parameter_values_are_named_and_not_applied(board):
    params = {"sort": "; drop table", "interaction": "telepathy", "weights": "heavy", "page": "minus"}
    params |= {"harness": "secret", "trained": "true", "memory": "1"}
    query = read_query({**params, "nonsense": "1", "source": "\x00"}, board)
    assert {unknown.name for unknown in query.unknown} == {*params, "source"} - {"page"}
    assert replace(query, unknown=()) == Query(board_at=BoardAt(board))
