"""The rules of a leaderboard on which results have a rank: in its table, sentences and log."""

import itertools

import pytest
from django.core.exceptions import ValidationError

from leaderboard.models import Board, BoardEvent, Standing, User
from leaderboard.services.boards.best_scores import list_best_scores
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import Query, read_query
from leaderboard.services.boards.read_rows import first_rows
from leaderboard.services.boards.summary import Claim, summary_of
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules
from leaderboard.services.statistics.compute import compute_statistics
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user, publish_runs, with_wrong
from tests.support.rows import put_row
from wardboard.scoring.medagentbench.demo import GOOD, RUNS

pytestmark = pytest.mark.both_databases

# The rules one at a time, and all together, with the systems that then have no rank.
RULES = {
    "none": ({}, {"Elsewhere"}),
    "runs": ({"least_runs": 3}, {"Single", "Log", "Copied", "Deterministic", "Elsewhere"}),
    "traces": ({"needs_traces": True}, {"Single", "Copied", "Three", "Deterministic", "Elsewhere"}),
    "harness": ({"needs_official_harness": True}, {"Single", "Copied", "Three", "Elsewhere"}),
    "rounds": ({"most_rounds": 8}, {"Single", "Copied", "Three", "Deterministic", "Elsewhere"}),
    "links": ({"needs_links": True}, {"Single", "Log", "Three", "Deterministic", "Elsewhere"}),
    "cost": ({"needs_cost": True}, {"Single", "Copied", "Three", "Deterministic", "Elsewhere"}),
    "few rounds": ({"most_rounds": 1}, {"Single", "Log", "Copied", "Three", "Deterministic", "Elsewhere"}),
}


NAMES = ("least_runs", "needs_traces", "needs_official_harness", "most_rounds", "needs_links", "needs_cost")
LINKS = {"paper_url": "https://example.org/paper", "contact_url": "https://example.org/lab"}


@shared_rows
def board() -> Board:
    """Publish six systems; the best is a single run of an unknown harness, without traces."""
    demo, raw = make_demo(), GOOD.read_bytes()
    owner = make_user("owner@example.org")
    copies = [with_wrong(raw, 1)] * 3
    three = [with_wrong(raw, wrong) for wrong in (2, 3, 4)]
    deterministic = {"harness": "official", "deterministic": "yes"}
    make_published(owner, demo, raw, system="Single")
    make_published(owner, demo, RUNS.read_bytes(), system="Log", harness="official", cost_per_task="0")
    publish_runs(owner, demo, copies, system="Copied", harness="prefetch", **LINKS)
    publish_runs(owner, demo, three, system="Three", harness="own-tools")
    publish_runs(owner, demo, [with_wrong(raw, 5)] * 3, system="Deterministic", **deterministic)
    put_row(demo, "Elsewhere", 0.99)
    return demo


def set_rules(board: Board, **rules) -> Board:
    change_settings(board=board, values=rules)
    return Board.objects.without_references().get(pk=board.pk)


def rows_of(board: Board, **params) -> dict[str, object]:
    return {row.standing.name: row for row in read_board(read_query(params, board)).rows}


@pytest.mark.parametrize(("rules", "unranked"), RULES.values(), ids=RULES)
def test_a_row_that_does_not_meet_a_rule_is_listed_without_a_rank(board, rules, unranked):
    rows = rows_of(set_rules(board, **rules) if rules else board)
    assert {name for name, row in rows.items() if row.rank is None} == unranked
    assert len(rows) == 6
    ranks = [row.rank for row in rows.values() if row.rank is not None]
    assert sorted(ranks)[:1] == ([1] if ranks else [])


@pytest.mark.parametrize(
    "rules",
    [
        dict(zip(NAMES, each, strict=True))
        for each in itertools.product((1, 3), *[(False, True)] * 2, (None, 8), *[(False, True)] * 2)
    ],
    ids=str,
)
def test_the_database_and_the_code_find_the_same_rows(board, rules):
    rules = LeadRules(**rules)
    rows = Standing.objects.filter(board=board).with_submission().select_related("evaluation")
    found = {row.pk for row in rows if not rules.unmet_by(row)}
    assert found == set(rows.filter(rules.condition).values_list("pk", flat=True))


def test_the_summary_the_front_page_and_the_records_name_systems_with_a_rank(board):
    board = set_rules(board, least_runs=3)
    assert summary_of(Query(board_at=BoardAt(board))).first.name == "Three"
    compute_statistics(board_id=board.pk)
    board = Board.objects.without_references().get(pk=board.pk)
    head = summary_of(Query(board_at=BoardAt(board)))
    assert (head.first.name, head.claim) == ("Three", Claim.TOO_FEW)
    assert first_rows(BoardAt(board), count=1)[0].standing.name == "Three"
    assert {best.name for best in list_best_scores(BoardAt(board))} == {"Three"}
    single = rows_of(board)["Single"]
    assert (single.place.is_tied_for_first, single.place.why_not) == (None, "rules")


def test_a_missing_run_counts_for_no_rule_and_a_single_run_of_a_ranked_system_is_no_record(board):
    board = set_rules(board, least_runs=3)
    owner, raw = User.objects.get(email="owner@example.org"), GOOD.read_bytes()
    publish_runs(owner, board, [with_wrong(raw, 6), with_wrong(raw, 7)], system="Two of three", runs=3)
    make_published(owner, board, raw, system="Three")
    assert rows_of(board)["Two of three"].unmet_rules == [LeadRule.RUNS]
    assert [best.score for best in list_best_scores(BoardAt(board))] == [
        rows_of(board)["Three"].standing.score
    ]


def test_a_leaderboard_on_which_no_result_meets_the_rules_has_no_leader_and_no_record(board, visitor):
    board = set_rules(board, least_runs=4)
    assert summary_of(Query(board_at=BoardAt(board))) is None
    assert list_best_scores(BoardAt(board)) == []
    for address in ("", "views/progress/", "records.atom"):
        assert visitor.get(f"/benchmarks/{board.slug}/{address}").status_code == 200


def test_a_filter_and_a_past_table_follow_the_rules_of_their_time(board):
    before = BoardAt(board).number
    board = set_rules(board, least_runs=3)
    assert rows_of(board, harness="official")["Log"].rank is None
    past = rows_of(board, as_of=str(before))
    assert all(row.rank is not None for row in past.values())
    board = set_rules(board, least_runs=1)
    assert rows_of(board, as_of=str(before + 1))["Single"].rank is None
    assert rows_of(board)["Single"].rank is not None


def test_the_public_log_states_the_rules(board):
    board = set_rules(board, least_runs=3, most_rounds=8, needs_traces=True)
    event = BoardEvent.objects.filter(board=board).latest("number")
    assert event.data["rules"] == {
        "least_runs": 3,
        "needs_traces": True,
        "needs_official_harness": False,
        "most_rounds": 8,
        "most_open": 1.0,
        "needs_links": False,
        "needs_cost": False,
    }
    assert words_of(event) == (
        "least number of runs to be ranked, trace of every answer required to be ranked, most rounds of a "
        "task to be ranked"
    )
    as_of = find_as_of(board=board, text=str(event.number))
    assert BoardAt(board, as_of).lead_rules == LeadRules.of(board)


def test_traces_can_be_required_only_where_they_are_kept(board):
    set_rules(board, keep_originals=False)
    with pytest.raises(WrongState, match="only where files are kept"):
        set_rules(board, needs_traces=True)


@pytest.mark.parametrize("value", [0, 11])
def test_a_number_of_runs_that_no_submission_can_have_is_refused(board, value):
    board.least_runs = value
    with pytest.raises(ValidationError):
        board.full_clean(exclude=["active_revision"])
