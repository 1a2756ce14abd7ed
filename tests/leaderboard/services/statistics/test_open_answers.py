"""Claims about systems of which the rules left answers open, on a board of sixty questions."""

import json
from importlib import import_module

import pytest
from django.apps import apps
from django.core.cache import caches

from leaderboard.models import Board
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import read_query
from leaderboard.services.boards.ranks import ranks_of_result
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.rows.lead_rules import LeadRules
from leaderboard.services.statistics.compare import compare_systems
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.visibility import visible_result
from tests.support.databases import shared_rows
from tests.support.factories import make_fhir_demo, make_published, make_scored, make_user
from tests.support.pages.visible_text import text_of
from wardboard.scoring.fhir_agentbench import demo

pytestmark = pytest.mark.both_databases

CHANGED = 24
UNREADABLE, WRONG = "Nein, vielleicht doch.", "n/a"


def file_of(unreadable: int, wrong: int) -> bytes:
    records = json.loads(demo.GOOD.read_bytes())
    for number, record in enumerate(records[: unreadable + wrong]):
        record["agent_answer"] = UNREADABLE if number < unreadable else WRONG
    return json.dumps(records).encode()


@shared_rows
def keys() -> dict[str, int]:
    """Publish A, B with 24 of its answers unreadable, and C with the same ones wrong; return their keys."""
    board, user = make_fhir_demo(), make_user()
    files = {"A": file_of(0, 0), "B": file_of(CHANGED, 0), "C": file_of(0, CHANGED)}
    Board.objects.filter(pk=board.pk).update(most_open=1)
    return {name: make_published(user, board, raw, system=name).system_id for name, raw in files.items()}


@pytest.fixture
def board(keys, fhir_demo) -> Board:
    caches["boards"].clear()
    return fhir_demo


def pair_of(board, keys, a, b):
    pair = compare_systems(board=board, systems=[keys[a], keys[b]]).pair
    return pair


def test_a_system_is_not_worse_for_answers_that_nobody_decided(board, keys):
    undone, decided = pair_of(board, keys, "A", "B"), pair_of(board, keys, "A", "C")
    assert undone.difference == decided.difference > 0.2
    assert (decided.p.is_significant, undone.p.is_significant) == (True, False)
    assert undone.has_open
    assert undone.p.exact >= 0.05 > decided.p.exact
    assert undone.interval[0] <= 0 < undone.interval[1]
    assert undone.interval[1] >= decided.interval[1]


def test_a_pair_has_the_same_result_in_either_order(board, keys):
    one, other = pair_of(board, keys, "A", "B"), pair_of(board, keys, "B", "A")
    assert one.p == other.p
    assert one.interval == pytest.approx(tuple(-end for end in reversed(other.interval)))


def test_intervals_of_groups_hold_every_way(board, keys):
    undone, decided = pair_of(board, keys, "A", "B"), pair_of(board, keys, "A", "C")
    for one, other in zip(undone.groups["resource_type"], decided.groups["resource_type"], strict=True):
        assert one.difference.figure == other.difference.figure
        assert one.difference.low <= other.difference.low
        assert one.difference.high >= other.difference.high - 1e-12


def test_the_board_ties_what_open_answers_may_make_equal(board, keys):
    compute_statistics(board_id=board.pk)
    board = Board.objects.get(pk=board.pk)
    at = BoardAt(board)
    statistics = at.statistics_for(at.compared_judge)
    places = {name: statistics.of(board.standings.get(system=key)) for name, key in keys.items()}
    assert statistics.stored.has_open
    assert places["A"].is_tied_for_first
    assert places["B"].is_tied_for_first
    assert not places["C"].is_tied_for_first
    assert places["B"].low == 1


def test_open_answers_give_a_result_the_same_ranks_as_its_row(board, keys):
    at = BoardAt(board)
    for name, ranks in {"A": (1, 2), "B": (1, 2), "C": (2, 3)}.items():
        row = board.standings.get(system=keys[name])
        result = visible_result(row.evaluation.submission)
        span = ranks_of_result(result, board, system=keys[name])
        assert tuple(span.values()) == (*at.ranks.of(row), 3)
        assert at.ranks.of(row) == ranks


@pytest.mark.parametrize(("unreadable", "wrong", "why"), [(17, 0, ""), (19, 20, "31.7%")])
def test_an_owner_sees_the_ranks_of_a_hidden_range_or_why_there_is_none(
    board, keys, user, ada, unreadable, wrong, why
):
    Board.objects.filter(pk=board.pk).update(most_open=0.3, rounding=0 if why else 1)
    result = make_scored(user, board, file_of(unreadable, wrong), system="D")
    results = (visible_result(result, to_organiser=is_whole) for is_whole in (False, True))
    hidden, whole = (ranks_of_result(each, result.board, system=None) for each in results)
    assert hidden["best"] <= whole["best"] <= whole["worst"] <= hidden["worst"]
    page = text_of(ada.get(f"/submissions/{result.pk}/"))
    assert ("Undecided answers, if any, are not counted as correct." in page) is not bool(why)
    # Of 16 to 35 of 60: the difference of the rounded ends is 31.6 points.
    assert (f"No rank: a rank takes at most 30% undecided answers ({why} of" in page) is bool(why)


def test_a_row_with_more_undecided_answers_than_allowed_is_listed_and_changes_no_other(board, keys, visitor):
    change_settings(board=board, values={"most_open": 0.39})
    compute_statistics(board_id=board.pk)
    board = Board.objects.get(pk=board.pk)
    rows = {row.standing.name: row for row in read_board(read_query({}, board)).rows}
    assert (rows["B"].ranks, rows["B"].unmet_rules, rows["B"].place.why_not) == (None, ["most_open"], "rules")
    assert [(rows[name].rank_words, rows[name].place.span) for name in "AC"] == [("1", "1"), ("2", "2")]
    assert {row.name for row in BoardAt(board).ranked_rows} == {"A", "C"}
    assert pair_of(board, keys, "A", "B") is None
    reason = "takes at most 39% undecided answers (40% of its answers are undecided)"
    assert reason in text_of(visitor.get(f"/benchmarks/{board.slug}/"))
    page = text_of(visitor.get(f"/systems/{keys['B']}/"))
    assert reason in page
    assert "Mark each final answer" in page
    change_settings(board=board, values={"most_open": 0.4})
    assert {row.name for row in BoardAt(Board.objects.get(pk=board.pk)).ranked_rows} == {"A", "B", "C"}


@pytest.mark.parametrize(("is_earlier", "limit"), [(True, 1), (False, 0.3)])
def test_a_permalink_has_the_limit_of_its_time_and_boards_before_the_limit_none(board, is_earlier, limit):
    def limits(*numbers: int) -> list[float]:
        now = BoardAt(Board.objects.get(pk=board.pk))
        past = (BoardAt(now.board, find_as_of(board=board, text=str(n))) for n in (now.number, *numbers))
        return [at.lead_rules.most_open for at in (now, *past)]

    first = BoardAt(board).number
    Board.objects.filter(pk=board.pk).update(most_open=0.3)  # as it is created
    if is_earlier:
        import_module("leaderboard.migrations.0004_earlier").limit_no_undecided_answers(apps, None)
    assert limits() == [limit, limit]
    change_settings(board=board, values={"most_open": 0.5})
    assert limits(first) == [0.5, 0.5, limit]
    assert LeadRules.of(board, {"least_runs": 3}) == LeadRules(least_runs=3)


def test_a_rank_that_undecided_answers_leave_open_is_stated_once(board, keys):
    before = {row.standing.name: row.rank_words for row in read_board(read_query({}, board)).rows}
    assert [before[name] for name in "ABC"] == ["1–2", "1–2", "2–3"]
    compute_statistics(board_id=board.pk)
    for row in read_board(read_query({}, Board.objects.get(pk=board.pk))).rows:
        assert row.rank_words == row.place.span
