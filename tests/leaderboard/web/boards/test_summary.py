"""The sentence at the head of a board."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from leaderboard.models import Board
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.summary import Claim, Summary, SummaryRow, summary_of
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.web.boards.summary import describe_finding
from tests.support.factories import publish_each

FIRST = SummaryRow(name="A", score=0.91, upper=0.91, runs=3, tasks=50, since=datetime(2026, 1, 5, tzinfo=UTC))
LEADS = Summary(claim=Claim.LEADS, first=FIRST, second=(0.51, 0.51), is_ahead=True)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({}, "A leads by 40.0 points (significant)."),
        ({"is_ahead": False}, "A leads by 40.0 points (not significant)."),
        ({"is_ahead": None}, "A leads by 40.0 points (not tested)."),
        (
            {"second": (0.9096, 0.9096)},
            "A leads by less than 0.1 points (significant).",
        ),
        ({"second": (0.45, 0.533)}, "A leads by 37.7 to 46.0 points (significant)."),
        ({"second": None}, "A (91.0%, mean of 3 runs) is tied for first with no other system."),
        (
            {"claim": Claim.TIED, "tied": 11, "second": (0.9044, 0.9044), "is_ahead": False},
            "11 systems are tied for first. A leads by 0.6 points (not significant).",
        ),
        ({"claim": Claim.TIED, "tied": 2, "second": None}, "2 systems are tied for first."),
        (
            {"claim": Claim.TOO_FEW, "second": None},
            "A (91.0%, mean of 3 runs) is listed first among ranked systems, too few to compare.",
        ),
        (
            {"claim": Claim.PENDING, "second": None},
            "A (91.0%, mean of 3 runs) is listed first among ranked systems; the tests are pending.",
        ),
        (
            {"claim": Claim.NOTHING_SCORED, "second": None},
            "Nothing was scored here yet. "
            "The best listed published result is 91.0% (A; 50 tasks, 5 Jan 2026).",
        ),
    ],
)
def test_the_sentence_says_what_was_tested(facts, sentence):
    assert describe_finding(replace(LEADS, **facts)).sentence == sentence


def test_what_would_mislead_is_said_beside_the_sentence():
    assert describe_finding(None) is None
    assert describe_finding(LEADS).rest == ""
    tied = describe_finding(replace(LEADS, claim=Claim.TIED, tied=2, uncompared=1, judge="x"))
    assert tied.rest == (
        "Tied does not mean equal. 1 ranked system was not compared: it was scored against earlier reference "
        "answers. Only systems judged by “x” are compared."
    )
    wide = replace(FIRST, upper=0.95)
    rest = describe_finding(replace(LEADS, claim=Claim.TIED, second=None, first=wide)).rest
    assert "A is listed first (91.0–95.0%, a range: the judge left answers undecided)." in rest


def sentence_of(board: Board) -> str:
    board.state.refresh_from_db()
    return describe_finding(summary_of(Query(board_at=BoardAt(board)))).sentence


def test_a_board_says_what_was_tested_once_statistics_are_stored(demo, user):
    publish_each(user, demo, A=0, B=5, C=6)
    assert sentence_of(demo) == (
        "A (94.0% in a single run) is listed first among ranked systems; the tests are pending."
    )
    demo.state.refresh_from_db()
    reading = BoardAt(demo)
    assert not reading.statistics
    compute_statistics(board_id=demo.pk)
    # They are stored while a page is made, which has read that there are none.
    assert summary_of(Query(board_at=reading)).claim is Claim.PENDING
    assert sentence_of(demo) == ("2 systems are tied for first. A leads by 10.0 points (not significant).")
