"""Tables at a past date: judges ranked together or apart, intervals of then, and rows removed since."""

import pytest

from leaderboard.models import Board, BoardEvent, Standing, Submission, System, User
from leaderboard.services import background
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing import standings
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.statistics.compute import compute_statistics
from tests.support.databases import shared_rows
from tests.support.factories import (
    get_board,
    make_demo,
    make_published,
    make_user,
    with_wrong,
)
from tests.support.rows import SINCE, make_reported_row, put_reported
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases


REMOVED = {
    "A": ("disqualified", "Copied"),
    "C": ("withdrawn", "A leak"),
    "P": ("unlisted", ""),
    "Stays": None,
}


@shared_rows
def past_number() -> int:
    """Fill two boards; return the number of the event after which three rows of "past" were removed."""
    publish_two(make_user(), make_demo())
    user, board = make_user("past@example.org"), make_demo("past")
    publish_two(user, board)
    make_published(user, board, with_wrong(GOOD.read_bytes(), 9), system="Stays")
    system = System.objects.create(name="P", source="a paper")
    put_reported(board=board, system=system, row=make_reported_row((20, 50)), since=SINCE)
    number = BoardEvent.objects.filter(board=board).latest("number").number
    submissions = Submission.objects.filter(board=board)
    keys = {submission.system.name: submission.pk for submission in submissions}
    staff = make_user("staff@example.org", is_staff=True)
    disqualify(submission_id=keys["A"], by=staff, reason="Copied")
    withdraw(submission_id=keys["C"], team=personal_team(user), by=user, reason="A leak")
    standings.take_off(rows=Standing.objects.filter(system=system))
    return number


def publish_two(user: User, board: Board) -> None:
    """Publish A with 47 right and C with 41, and compute statistics only after both."""
    with background.deduplicated_statistics():
        for name, number in {"A": 0, "C": 6}.items():
            raw = with_wrong(GOOD.read_bytes(), number) if number else GOOD.read_bytes()
            make_published(user, board, raw, system=name)
    compute_statistics(board_id=board.pk)


@pytest.fixture
def past(past_number, db) -> Board:
    return get_board("past")


def get_content(visitor, address, number):
    response = visitor.get(address, {"as_of": number})
    assert response.status_code == 200
    return (response.getvalue() if response.streaming else response.content).decode()


def test_the_api_says_it_and_links_to_no_submission_that_is_not_public(visitor, past, past_number):
    address = f"/api/v1/benchmarks/{past.slug}/leaderboard/"
    rows = {row["system"]["name"]: row for row in visitor.get(address, {"as_of": past_number}).json()["rows"]}
    assert rows.keys() == REMOVED.keys()
    for name, gone in REMOVED.items():
        row = rows[name]
        if gone is None:
            assert row["gone"] is None
            assert visitor.get(row["submission"]).status_code == 200
        else:
            assert (row["gone"]["action"], row["gone"]["reason"]) == gone
            assert row["gone"]["at"].endswith("Z")
            assert row["submission"] is None
    assert [row["gone"] for row in visitor.get(address).json()["rows"]] == [None]
