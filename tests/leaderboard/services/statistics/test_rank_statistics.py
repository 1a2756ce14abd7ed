"""Rank intervals, and who is tied for first. The numbers are computed by hand.

The good file has 47 of 50 right, including the first eleven tasks: five of type 1, five of type 2, one of
type 3. A file with its first n tasks made wrong equals the good file elsewhere, so only the better of two
files has tasks that only it solved.
"""

import json

import pytest

from leaderboard.models import (
    Board,
    BoardEvent,
    BoardState,
    BoardStatistics,
    Kind,
    Standing,
    Submission,
)
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.read_rows import rows_of
from leaderboard.services.publishing import publish
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.statistics import compute, entrants, rank_statistics
from leaderboard.services.statistics.rank_statistics import Place, WhyNot, statistics_by_judge
from tests.support.databases import shared_rows
from tests.support.factories import (
    make_demo,
    make_published,
    make_user,
    publish_each,
    with_answers,
    with_wrong,
)
from tests.support.rows import put_row, raise_revision, revise

pytestmark = pytest.mark.both_databases


@shared_rows
def three() -> dict[str, Submission]:
    """Publish A with 47 right, B with 42 and C with 41."""
    return publish_each(make_user(), make_demo(), A=0, B=5, C=6)


def other_wrong(raw: bytes, wrong: int) -> bytes:
    """Return `raw` with its last `wrong` tasks made wrong; some of them are wrong already."""
    ids = [result["task_id"] for result in json.loads(raw)["results"]]
    return with_answers(raw, **dict.fromkeys(ids[-wrong:], '["certainly not this"]'))


def change_rows(board: Board) -> None:
    """Raise the number of the rows, as an event does that changes rows."""
    state = BoardState.objects.get(board=board)
    BoardState.objects.filter(pk=board.pk).update(rows_number=state.rows_number + 1)


def board_now(board: Board) -> BoardAt:
    """Return the board as a request reads it now: an object that a test holds keeps an earlier revision."""
    return BoardAt(Board.objects.select_related("state").get(pk=board.pk))


def compute_ranks(board: Board, judge: str = "") -> rank_statistics.RankStatistics:
    compute.compute_statistics(board_id=board.pk)
    return board_now(board).statistics_for(judge)


def place_of(ranks: rank_statistics.RankStatistics, system_id: int) -> rank_statistics.Place:
    return ranks.of(Standing.objects.get(system=system_id))


def places(board: Board, systems) -> dict[str, tuple]:
    ranks = compute_ranks(board)
    found = {name: place_of(ranks, submission.system_id) for name, submission in systems.items()}
    return {
        name: (place.low, place.high, place.is_tied_for_first)
        for name, place in found.items()
        if place.is_known
    }


def test_the_interval_of_a_rank_counts_the_systems_significantly_better_and_worse(demo, three):
    # Mid-p of 5, 6 and 1 tasks that only the better solved: 1/32, 1/64, 1/2. Over all three pairs only A and
    # C differ: three times 1/64 is below .05, and twice 1/32 is not.
    assert places(demo, three) == {"A": (1, 2, True), "B": (1, 3, True), "C": (2, 3, False)}
    ranks = compute_ranks(demo)
    found = [place_of(ranks, three[name].system_id) for name in "ABC"]
    assert [(place.better, place.worse) for place in found] == [(0, 1), (0, 0), (1, 0)]
    assert ranks.tied == [three[name].system_id for name in "AB"]


def test_rows_as_published_and_baselines_are_tested_with_nothing_and_change_no_claim(demo, three):
    before, digest = places(demo, three), compute_ranks(demo).digest
    row = put_row(demo, "Printed", counts=(50, 50))
    baseline = put_row(demo, "Null", 0.99, kind=Kind.BASELINE)
    change_rows(demo)
    ranks = compute_ranks(demo)
    assert (places(demo, three), ranks.digest) == (before, digest)
    assert ranks.of(row) == Place(why_not=WhyNot.REPORTED)
    assert ranks.of(baseline) == Place(why_not=WhyNot.BASELINE)
    assert [BoardAt(demo).ranks.of(each) for each in (row, baseline)] == [None, None]


def test_of_very_many_systems_the_first_are_compared_and_an_unbounded_interval_is_open(
    demo, three, user, good_file, monkeypatch
):
    for number in (8, 9, 10, 11):
        # Wrong on other tasks than A, B and C.
        name = f"less {number}"
        three[name] = make_published(user, demo, other_wrong(good_file, number), system=name)
    monkeypatch.setattr(entrants, "MOST", 3)
    change_rows(demo)
    # A is significantly better than the last compared, so that its interval ends; those of B and C do not.
    assert places(demo, three) == {"A": (1, 2, True), "B": (1, None, True), "C": (2, None, False)}
    ranks = board_now(demo).statistics_for("")
    assert (ranks.count, ranks.stored.left_out) == (3, 4)
    [beyond] = demo.standings.filter(name="less 8")
    assert ranks.of(beyond).why_not == WhyNot.BEYOND


def test_a_change_below_the_tested_systems_recomputes_the_statistics(
    demo, three, monkeypatch, user, good_file
):
    monkeypatch.setattr(entrants, "MOST", 2)
    assert places(demo, three)["B"][:2] == (2, None)
    make_published(user, demo, other_wrong(good_file, 6), system="D")
    ranks = compute_ranks(demo)
    assert (ranks.count, ranks.stored.left_out) == (2, 2)
    assert len(set(BoardStatistics.objects.values_list("digest", flat=True))) == 2


def test_a_row_of_an_earlier_ground_truth_is_ranked_and_not_tested(demo, three, user, good_file):
    # As after an import of another ground truth: the rows still belong to the previous one.
    board = revise(demo)
    change_rows(board)
    assert not compute.compute_statistics(board_id=demo.pk)
    rows = rows_of(board_now(board), board.standings.listed())
    assert {row.place.why_not for row in rows} == {WhyNot.OTHER_REFERENCES}
    later = make_published(user, board, with_wrong(good_file, 1), system="Later")
    ranks = compute_ranks(board)
    assert (ranks.count, ranks.stored.uncompared) == (1, 3)
    place = place_of(ranks, later.system_id)
    assert (place.low, place.high) == (1, 4)
    rows = {row.name: row for row in board.standings.listed()}
    assert {name: ranks.of(row).why_not for name, row in rows.items()} == {
        "A": WhyNot.OTHER_REFERENCES,
        "B": WhyNot.OTHER_REFERENCES,
        "C": WhyNot.OTHER_REFERENCES,
        "Later": None,
    }


def test_systems_of_different_judges_are_tested_apart_unless_the_board_mixes_them(demo, three):
    demo.standings.filter(system=three["C"].system_id).update(judge="another")
    change_rows(demo)
    compute.compute_statistics(board_id=demo.pk)
    assert {judge: one.count for judge, one in statistics_by_judge(board_now(demo)).items()} == {
        "": 2,
        "another": 1,
    }
    Board.objects.filter(pk=demo.pk).update(mixes_judges=True)
    change_rows(demo)
    board = Board.objects.get(pk=demo.pk)
    assert compute_ranks(board, None).count == 3
    assert board_now(board).statistics_for("another").count == 3


def test_a_withdrawal_recomputes_the_statistics_and_a_past_date_has_none(demo, three, user):
    assert compute_ranks(demo).count == 3
    then = BoardEvent.objects.filter(board=demo).first().number
    a = three["A"]
    publish.withdraw(submission_id=a.pk, team=a.team, by=user)
    assert board_now(demo).statistics_for("") is None
    ranks = compute_ranks(demo)
    assert ranks.count == 2
    assert BoardAt(demo, find_as_of(board=demo, text=str(then))).statistics == {}
    assert ranks.tied == [three[name].system_id for name in "BC"]


def test_p_is_shown_only_as_below_or_above_the_level_where_counts_are_hidden(demo, three):
    compute_ranks(demo)
    demo.feedback = "overall"
    demo.save()
    ranks = board_now(demo).statistics_for("")
    shown = [ranks.p_next(three[name].system_id) for name in "AB"]
    assert [(p.exact, p.is_significant) for p in shown] == [(None, False), (None, False)]


def test_results_by_the_method_of_another_release_are_unknown_and_computed_again(demo, three):
    compute.compute_statistics(board_id=demo.pk)
    earlier = BoardStatistics.objects.get()
    BoardStatistics.objects.filter(pk=earlier.pk)._raw_delete("default")
    earlier.pk, earlier.method, earlier.digest = None, BoardStatistics.METHOD - 1, "0" * 64
    earlier._state.adding = True
    earlier.save()
    raise_revision(demo)
    assert board_now(demo).statistics_for("") is None
    assert places(demo, three)["C"] == (2, 3, False)
    assert BoardStatistics.objects.get().method == BoardStatistics.METHOD
