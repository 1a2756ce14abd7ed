"""The unranked lane of a leaderboard: public tasks, a quota of its own, and nothing that is published."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from leaderboard.models import Board, Standing, Submission
from leaderboard.services.errors import BoardClosed, QuotaSpent, RequestInvalid, WrongState
from leaderboard.services.publishing.approvals import publish_once_approved
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.publish import publish
from tests.support.factories import (
    demo_references,
    make_demo,
    make_hidden,
    make_lane,
    make_scored,
    only_tasks_of,
    send,
    with_wrong,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.fixture
def boards(db) -> tuple[Board, Board]:
    return make_lane()


@pytest.fixture
def lane(boards) -> Board:
    return boards[1]


@pytest.fixture
def lane_file(lane, good_file) -> bytes:
    return only_tasks_of(lane, good_file)


def refused_codes(user, board, raw, **options) -> list[str]:
    with pytest.raises(RequestInvalid) as refused:
        send(user, board, raw, **options)
    assert not Submission.objects.exists()
    return [f"{problem.code} {problem.pointer}" for problem in refused.value.facts]


def test_a_file_on_the_lane_is_scored_and_its_result_never_published(lane, user, lane_file):
    scored = make_scored(user, lane, lane_file)
    assert scored.evaluation.tasks == 10
    for use_case in (publish, publish_once_approved):
        with pytest.raises(WrongState, match="never published"):
            use_case(submission_id=scored.pk, team=scored.team, by=user)
    assert not Standing.objects.exists()
    assert not Submission.objects.get().is_published


def test_a_request_to_publish_on_the_lane_is_refused_before_it_costs_anything(lane, user, lane_file):
    for wish in ("publish", "designate"):
        codes = refused_codes(user, lane, lane_file, **{wish: True})
        assert codes == [f"unranked.never-published /{wish}"]


def test_a_job_that_means_the_lane_spends_no_quota_of_a_ranked_leaderboard(boards, demo, user, good_file):
    ranked, lane = boards
    with pytest.raises(RequestInvalid) as refused:
        send(user, ranked, only_tasks_of(ranked, good_file), unranked=True)
    [problem] = refused.value.facts
    assert (problem.code, lane.slug in problem.hint) == ("unranked.is-ranked", True)
    assert refused_codes(user, demo, good_file, unranked=True) == ["unranked.is-ranked /unranked"]
    assert send(user, lane, only_tasks_of(lane, good_file), unranked=True).created


def test_the_lane_has_a_quota_of_its_own_and_its_files_count_in_no_row_of_the_leaderboard(user, good_file):
    ranked, lane = make_lane(daily_limit=2)
    raw = only_tasks_of(lane, good_file)
    for wrong in range(2):
        send(user, lane, with_wrong(raw, wrong))
    with pytest.raises(QuotaSpent):
        send(user, lane, with_wrong(raw, 3))
    assert send(user, ranked, only_tasks_of(ranked, good_file), designate=True).submission.is_published
    [row] = Client().get(f"/api/v1/benchmarks/{ranked.slug}/leaderboard/").json()["rows"]
    assert (row["chosen_before_score"], row["designation"]) == (True, 1)
    assert (row["files_of_system"], row["files_of_team"]) == (1, 1)


def test_a_lane_shares_no_task_with_its_leaderboard_whose_answers_it_would_reveal(user, good_file):
    ranked, copy = make_hidden(), make_demo("copy")
    with pytest.raises(WrongState, match=r"Tasks of this unranked lane, .* \(of 50\), also count on"):
        change_settings(board=copy, values={"unranked_lane_of": ranked})
    copy.refresh_from_db()
    assert not copy.is_unranked
    assert send(user, copy, good_file).created


def test_a_lane_takes_no_file_once_a_task_of_it_counts_on_its_leaderboard(boards, lane, user, lane_file):
    import_references(board=boards[0], references=demo_references(), origin="a release with all tasks")
    with pytest.raises(BoardClosed, match=r"Tasks of this unranked lane, .* \(of 10\)"):
        send(user, lane, lane_file)
    assert not Submission.objects.exists()


def test_whether_a_board_is_a_lane_is_fixed_by_its_first_file(boards, user, good_file):
    ranked, lane = boards
    make_scored(user, lane, only_tasks_of(lane, good_file))
    with pytest.raises(WrongState, match="Files were sent"):
        change_settings(board=lane, values={"unranked_lane_of": None})
    used = make_demo("used")
    make_scored(user, used, good_file)
    with pytest.raises(WrongState, match="Files were sent"):
        change_settings(board=used, values={"unranked_lane_of": make_hidden("third")})
    assert change_settings(board=ranked, values={"daily_limit": 5})


def test_a_lane_has_one_leaderboard_which_is_ranked_and_has_one_lane(boards):
    ranked, lane = boards
    other = make_demo("other")
    for board, of, why in (
        (ranked, lane, "no lane itself"),
        (other, lane, "no lane itself"),
        (other, other, "no lane itself"),
        (other, ranked, "has an unranked lane already: Board ranked-dev"),
    ):
        with pytest.raises(WrongState, match=why):
            change_settings(board=board, values={"unranked_lane_of": of})
    with pytest.raises(IntegrityError), transaction.atomic():
        Board.objects.filter(pk=other.pk).update(unranked_lane_of=ranked)
