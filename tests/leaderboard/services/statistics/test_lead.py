"""Since when a system has been significantly better than every other, and through how many new entries."""

import json

import pytest

from leaderboard.models import Board, BoardEvent, BoardStatistics, Submission
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.publishing import publish
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.statistics.lead import HeldLead
from tests.support.factories import make_published, with_wrong

pytestmark = pytest.mark.both_databases


@pytest.fixture
def enter(demo, user, good_file):
    """Publish a system whose first tasks are wrong, and test all systems."""

    def enter(name: str, wrong: int) -> Submission:
        file = with_wrong(good_file, wrong) if wrong else good_file
        submission = make_published(user, demo, file, system=name)
        compute_statistics(board_id=demo.pk)
        return submission

    return enter


def board_now(board: Board) -> BoardAt:
    board = Board.objects.select_related("state").get(pk=board.pk)
    return BoardAt(board)


def lead_of(board: Board) -> HeldLead | None:
    statistics = board_now(board).statistics_for("")
    assert statistics is not None
    return statistics.lead


def remove(submission: Submission) -> None:
    publish.withdraw(
        submission_id=submission.pk, team=submission.team, by=submission.submitted_by, reason="a mistake"
    )
    compute_statistics(board_id=submission.board_id)


def last_event(board: Board) -> BoardEvent:
    return BoardEvent.objects.filter(board=board).latest("number")


def test_a_lead_is_counted_from_the_first_test_that_showed_it(demo, enter):
    first = enter("A", 0)
    assert lead_of(demo) is None  # with no other system there is nothing to lead
    enter("B", 12)
    start = last_event(demo)
    assert lead_of(demo) == HeldLead(system_id=first.system_id, since=start.at, new_entries=0)
    third = enter("C", 13)
    enter("D", 14)
    assert lead_of(demo) == HeldLead(system_id=first.system_id, since=start.at, new_entries=2)
    remove(third)
    assert lead_of(demo) == HeldLead(system_id=first.system_id, since=start.at, new_entries=1)


def test_a_lead_that_was_lost_is_counted_anew(demo, enter):
    enter("A", 0)
    enter("B", 12)
    rival = enter("C", 1)
    assert lead_of(demo) is None
    remove(rival)
    assert (lead_of(demo).since, lead_of(demo).new_entries) == (last_event(demo).at, 0)


def test_changes_that_came_at_once_are_tested_once(demo, user, good_file, enter):
    enter("A", 0)
    enter("B", 12)
    start = last_event(demo)
    make_published(user, demo, with_wrong(good_file, 13), system="C")
    enter("D", 14)
    assert (lead_of(demo).since, lead_of(demo).new_entries) == (start.at, 2)


def test_nothing_is_said_of_a_time_that_another_release_tested(demo, enter):
    enter("A", 0)
    enter("B", 12)
    stored = BoardStatistics.objects.filter(board=demo).order_by("-number")
    stored.filter(number=stored[0].number)._raw_delete("default")
    older = {"method": 1, "digest": "0" * 64, "payload": b""}
    BoardStatistics(board=demo, number=last_event(demo).number, systems=2, seconds=0, **older).save()
    for name, wrong in (("C", 13), ("D", 14)):
        enter(name, wrong)
        assert lead_of(demo) is None


def test_the_api_says_since_when(client, demo, enter):
    leader = enter("A", 0)
    enter("B", 12)
    start = last_event(demo)
    enter("C", 13)
    document = client.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/").json()
    assert document["statistics"]["by_judge"][0]["lead"] == {
        "system_id": leader.system_id,
        "since": start.at.isoformat().replace("+00:00", "Z"),
        "new_entries": 1,
    }
    response = client.get(f"/benchmarks/{demo.slug}/board.json")
    exported = json.loads(response.getvalue())
    assert exported["statistics"] == document["statistics"]
