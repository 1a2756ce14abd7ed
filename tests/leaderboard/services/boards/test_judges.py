"""Ranks per judge, baselines, and the leader."""

import random
from datetime import timedelta

import pytest

from leaderboard.models import Board, BoardAction, Feedback, Kind, Standing
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.census import compared_judge
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import Query, read_query
from leaderboard.services.boards.read_rows import every_row
from leaderboard.services.boards.summary import summary_of
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.events import Change, record
from tests.support.rows import SINCE, put_row

pytestmark = pytest.mark.both_databases

RULES, OFFICIAL = "rules 7", "official: o4-mini"


@pytest.fixture
def board(words) -> Board:
    return words


def ranks(board, **params) -> dict[str, int | None]:
    rows = read_board(read_query(params, board)).rows
    return {row.standing.name: row.rank for row in rows}


def test_the_ranks_of_every_page_are_those_of_the_definition(board, monkeypatch):
    monkeypatch.setattr("leaderboard.services.boards.read_rows.PAGE_SIZE", 7)
    pick = random.Random(7)
    for n in range(40):
        kind = (Kind.BASELINE, Kind.REPORTED, Kind.RESCORED)[min(n % 13, 2)]
        score = None if n % 11 == 0 else pick.randrange(10) / 10
        put_row(board, f"S{n}", score, kind=kind, judge=pick.choice([RULES, OFFICIAL]))
    rows = list(Standing.objects.select_related("system"))
    queries = [Query(board_at=BoardAt(board), sort="system", page=page) for page in range(1, 7)]
    rank_by_name = {row.standing.name: row.rank for query in queries for row in read_board(query).rows}
    assert len(rank_by_name) == 40
    for row in rows:
        better = [
            other
            for other in rows
            if other.judge == row.judge
            and other.kind == Kind.RESCORED
            and None not in (row.score, other.score)
            and other.score > row.score
        ]
        ranked = row.score is not None and row.kind == Kind.RESCORED
        assert rank_by_name[row.system.name] == (len(better) + 1 if ranked else None), row
    assert {row.standing.name: row.rank for row in every_row(Query(board_at=BoardAt(board)))} == rank_by_name


def test_the_current_judge_is_compared_or_else_the_most_frequent(board):
    assert compared_judge(BoardAt(board), {OFFICIAL: 9, RULES: 1}) == RULES
    assert compared_judge(BoardAt(board), {OFFICIAL: 9, "llm x prompt 1": 1}) == OFFICIAL
    assert compared_judge(BoardAt(board), {}) == RULES
    board.mixes_judges = True
    assert compared_judge(BoardAt(board), {OFFICIAL: 9, RULES: 1}) is None


def test_a_past_board_compares_the_judge_of_that_time_if_known(board):
    (event,) = record(Change(action=BoardAction.SETTINGS), board=board)
    moment = find_as_of(board=board, text=str(event.number))
    judges = {OFFICIAL: 9, RULES: 1}
    assert (event.judge, compared_judge(BoardAt(board, moment), judges)) == (RULES, RULES)
    moment.event.judge = OFFICIAL
    assert compared_judge(BoardAt(board, moment), judges) == OFFICIAL
    moment.event.judge = ""
    assert compared_judge(BoardAt(board, moment), judges) == RULES


def test_nobody_leads_an_empty_board_or_one_of_baselines(board):
    put_row(board, "Null", 0.5, kind=Kind.BASELINE)
    put_row(board, "No figure", None)
    assert summary_of(Query(board_at=BoardAt(board))) is None


def test_the_earlier_of_equal_scores_is_first(board):
    put_row(board, "Later", 0.5, since=SINCE + timedelta(days=1))
    put_row(board, "Earlier", 0.5, since=SINCE)
    put_row(board, "At the same time", 0.5, since=SINCE)
    assert list(ranks(board)) == ["Earlier", "At the same time", "Later"]
    assert list(ranks(board, sort="score")) == ["Earlier", "At the same time", "Later"]


@pytest.mark.parametrize("sort", ["organisation", "precision"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_rows_equal_in_the_sort_key_are_ordered_by_score_and_empty_values_are_last(board, sort, sign):
    for name, score, has_facts in (("Worse", 0.4, True), ("Better", 0.6, True), ("Nameless", 0.9, False)):
        facts = {"organisation": "North", "model_names": ["m"], "judge": RULES, "metrics": {"precision": 0.5}}
        put_row(board, name, score, **(facts if has_facts else {}))
    assert list(ranks(board, sort=f"{sign}{sort}")) == ["Better", "Worse", "Nameless"]


def test_a_reported_row_keeps_its_printed_figures_at_the_overall_level(board):
    put_row(board, "Printed", 0.5, metrics={"precision": 0.4})
    put_row(board, "Ours", 0.4, kind=Kind.BASELINE, metrics={"precision": 0.3})
    board.feedback = Feedback.BY_TYPE
    board.save()
    _, ours = read_board(Query(board_at=BoardAt(board))).rows
    assert "precision" in ours.metrics
    board.feedback = Feedback.OVERALL
    board.save()
    printed, ours = read_board(Query(board_at=BoardAt(board))).rows
    assert printed.metrics["precision"] == 0.4
    assert "precision" not in ours.metrics
