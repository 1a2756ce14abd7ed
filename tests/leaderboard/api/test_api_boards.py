"""Boards in the API: the base of their figures, and past tables."""

import pytest

from leaderboard.models import Submission
from leaderboard.services.publishing.publish import withdraw
from tests.support.api_client import assert_problem
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_user, publish_two
from tests.support.rows import put_row

pytestmark = pytest.mark.both_databases

BOARD = "/api/v1/benchmarks/medagentbench-demo/"


@shared_rows
def two() -> dict[str, Submission]:
    return publish_two(make_user(), make_demo())


def get(client, rest: str, status: int = 200) -> dict:
    response = client.get(f"{BOARD}{rest}")
    assert response.status_code == status, response.content
    return response.json()


def test_the_leaderboard_has_rank_intervals_and_the_parameters_of_the_statistics(anonymous, demo, two):
    put_row(demo, "Printed", 0.1)
    leaderboard = get(anonymous, "leaderboard/")
    first, second, printed = leaderboard["rows"]
    assert (first["rank_interval_95"], first["tied_for_first"], first["not_tested"]) == ([1, 1], False, None)
    assert (second["rank_interval_95"], second["tied_for_first"]) == ([2, 2], False)
    # Its number of tasks is not known.
    assert (printed["rank_interval_95"], printed["tied_for_first"]) == (None, None)
    [statistics] = leaderboard["statistics"]["by_judge"]
    assert (statistics["systems"], statistics["is_clustered"], len(statistics["digest"])) == (2, False, 64)
    assert leaderboard["references"] == first["references"]
    assert (first["trace"], printed["trace"]) == ("posts-only", None)


def test_a_past_row_that_was_removed_since_says_so_and_links_to_no_submission(anonymous, demo, two):
    number, gone = get(anonymous, "leaderboard/")["event"], two["A"]
    withdraw(submission_id=gone.pk, team=gone.team, by=gone.submitted_by, reason="A leak")
    removed, stays = get(anonymous, f"leaderboard/?as_of={number}")["rows"]
    assert (removed["gone"]["action"], removed["gone"]["reason"]) == ("withdrawn", "A leak")
    assert removed["gone"]["at"].endswith("Z")
    assert (removed["submission"], stays["gone"]) == (None, None)
    assert anonymous.get(stays["submission"]).status_code == 200
    assert [row["gone"] for row in get(anonymous, "leaderboard/")["rows"]] == [None]


def test_an_invalid_as_of_is_a_problem_with_a_fix(anonymous, demo, two):
    for as_of in ("tomorrow", "2999-01-01", "999999", "2026-02-30", "-1"):
        refused = anonymous.get(f"{BOARD}leaderboard/?as_of={as_of}")
        [problem] = assert_problem(refused, 400, "parameter-invalid")["problems"]
        assert (problem["code"], problem["pointer"]) == ("request.as-of-unknown", "/as_of")
        assert "2026-11-01" in problem["hint"]


def test_reading_takes_a_fixed_number_of_queries_and_one_once_the_answer_was_made(
    anonymous, demo, two, django_assert_max_num_queries
):
    for number in range(40):
        put_row(demo, f"System {number}", number / 100)
    # One of them is for the key under which the answer is kept.
    for most in (15, 1):
        with django_assert_max_num_queries(most):
            anonymous.get(f"{BOARD}leaderboard/")
