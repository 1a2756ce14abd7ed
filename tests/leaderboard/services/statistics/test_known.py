"""Rank intervals, groups and tests of a board. The numbers are computed by hand.

The good file has 47 of 50 right, including the first eleven tasks: five of type 1, five of type 2, one of
type 3. A file with its first n tasks made wrong equals the good file elsewhere, so only the better of two
files has tasks that only it solved.
"""

import json
from datetime import timedelta

import pytest

from leaderboard.models import (
    Benchmark,
    BoardEvent,
    BoardState,
    BoardStatistics,
    Kind,
    Standing,
    Submission,
    TaskGroups,
)
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.judging import task_groups
from leaderboard.services.publishing import publish
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.statistics import compute, entrants, known
from leaderboard.services.statistics.known import WhyNot, known_by_judge
from scoring.medagentbench.demo import GOOD
from scoring.statistics.pairs import PairedTable
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user, with_answers, with_wrong
from tests.support.rows import put_row


@shared_rows
def keys() -> dict[str, int]:
    """Publish A with 47 right, B with 42 and C with 41; return the keys of their submissions by name."""
    demo, user, raw = make_demo(), make_user(), GOOD.read_bytes()
    files = {"A": raw, "B": with_wrong(raw, 5), "C": with_wrong(raw, 6)}
    return {name: make_published(user, demo, file, system=name).pk for name, file in files.items()}


@pytest.fixture
def three(keys, db) -> dict[str, Submission]:
    return {name: Submission.objects.get(pk=key) for name, key in keys.items()}


@pytest.fixture
def empty(db) -> Benchmark:
    return make_demo("empty")


def other_wrong(raw: bytes, wrong: int) -> bytes:
    """Return `raw` with its last `wrong` tasks made wrong; some of them are wrong already."""
    ids = [result["task_id"] for result in json.loads(raw)["results"]]
    return with_answers(raw, **dict.fromkeys(ids[-wrong:], '["certainly not this"]'))


def change_rows(board: Benchmark) -> None:
    """Raise the number of the rows, as an event does that changes rows."""
    state = BoardState.objects.get(benchmark=board)
    BoardState.objects.filter(pk=board.pk).update(rows_number=state.rows_number + 1)


def compute_ranks(board: Benchmark, judge: str = "") -> known.RankStatistics:
    compute.compute_statistics(benchmark_id=board.pk)
    return BoardAt(board).statistics_for(judge)


def places(board: Benchmark, systems) -> dict[str, tuple]:
    ranks = compute_ranks(board)
    place_by_name = {name: ranks.of(submission.system_id) for name, submission in systems.items()}
    return {
        name: (place.rank_low, place.rank_high, place.group) for name, place in place_by_name.items() if place
    }


def test_there_are_no_statistics_until_they_are_computed(demo, three):
    assert BoardAt(demo).statistics_for("") is None
    assert BoardStatistics.objects.count() == 0


def test_uncertain_ranks_have_an_interval(demo, three):
    # In every resample, A has all tasks of type 1 right and B none. C is B without one task of type 2; in the
    # third of the resamples that lacks this task, they share the rank.
    assert places(demo, three) == {"A": (1, 1, 1), "B": (2, 2, 1), "C": (2, 3, 2)}


def test_each_system_is_tested_against_the_next_below(demo, three):
    first, second = compute_ranks(demo).pairs
    assert (first.upper, first.lower) == (three["A"].system_id, three["B"].system_id)
    assert first.table == PairedTable(both=42, only_a=5, only_b=0, neither=3)
    assert first.p.exact == pytest.approx(2 * 0.5**5)
    assert first.p_holm.exact == pytest.approx(2 * 2 * 0.5**5)
    assert second.table == PairedTable(both=41, only_a=1, only_b=0, neither=8)
    assert (second.p.exact, second.p_holm.exact) == (1.0, 1.0)
    ranks = compute_ranks(demo)
    assert ranks.pair_below(three["A"].system_id) == first
    assert ranks.pair_below(three["C"].system_id) is None


def test_the_finding_counts_the_systems_statistically_tied_with_the_first(demo, three):
    facts = compute_ranks(demo).finding
    assert (facts.first, facts.others, facts.like_first) == (three["A"].system_id, 2, 1)
    assert (facts.in_a_row, facts.are_alike) == (True, True)
    assert (facts.next, facts.next_p.exact) == (three["C"].system_id, pytest.approx(2 * 0.5**6))
    assert (facts.fixed, facts.fixed_near, facts.fixed_above, facts.left_out) == (0, 0, 0, 0)


def test_reported_rows_keep_their_rate_and_are_not_tested(demo, three):
    row = put_row(demo, "Printed", 1.0)
    baseline = put_row(demo, "Null", 0.99, kind=Kind.BASELINE)
    change_rows(demo)
    # (4/5)**15 = 3.5% of the resamples have none of the three tasks that A got wrong.
    assert places(demo, three) == {"A": (1, 2, 1), "B": (3, 3, 1), "C": (3, 4, 2)}
    ranks = compute_ranks(demo)
    assert ranks.of(row.system_id) is None
    assert (ranks.why_not(row), ranks.why_not(baseline)) == (WhyNot.REPORTED, WhyNot.BASELINE)
    facts = ranks.finding
    assert (facts.fixed, facts.fixed_near, facts.fixed_above) == (1, 1, 1)


def test_only_the_first_of_many_systems_have_an_interval_which_is_on_the_whole_board(
    demo, three, user, good_file, monkeypatch
):
    for number in (8, 9, 10, 11):
        # Wrong on other tasks than A, B and C.
        three[f"less {number}"] = make_published(
            user, demo, other_wrong(good_file, number), system=f"less {number}"
        )
    whole = places(demo, three)
    monkeypatch.setattr(entrants, "MOST", 3)
    monkeypatch.setattr(entrants, "_PIECE", 2)
    change_rows(demo)
    cut = places(demo, three)
    assert cut == {name: whole[name] for name in ("A", "B", "C")}
    assert cut["C"][1] > 3, "those that are left out may come before it"
    ranks = BoardAt(demo).statistics_for("")
    assert (ranks.systems, ranks.left_out, ranks.finding.left_out) == (3, 4, 4)
    [beyond] = demo.standings.filter(name="less 8")
    assert ranks.why_not(beyond) == WhyNot.BEYOND


def test_a_change_below_the_tested_systems_recomputes_the_statistics(
    demo, three, monkeypatch, user, good_file
):
    monkeypatch.setattr(entrants, "MOST", 2)
    assert places(demo, three)["B"][:2] == (2, 2)
    make_published(user, demo, other_wrong(good_file, 6), system="D")
    ranks = compute_ranks(demo)
    assert (ranks.systems, ranks.left_out) == (2, 2)
    assert len(set(BoardStatistics.objects.values_list("digest", flat=True))) == 2


def test_the_next_system_is_the_next_row_if_that_is_tested(demo, three):
    ranks = compute_ranks(demo)
    keys = {name: submission.system_id for name, submission in three.items()}
    assert ranks.p_next(keys["A"]) == ranks.pairs[0].p_holm
    assert ranks.p_next(keys["B"]) == ranks.pairs[1].p_holm
    assert (ranks.p_next(keys["C"]), ranks.p_next(10**6)) == (None, None)
    printed = put_row(demo, "Printed", 0.83)  # between B and C
    change_rows(demo)
    ranks = compute_ranks(demo)
    assert ranks.p_next(keys["A"]) == ranks.pairs[0].p_holm
    assert (ranks.p_next(keys["B"]), ranks.p_next(printed.system_id)) == (None, None)


def test_a_row_of_an_earlier_ground_truth_is_not_tested(demo, three, user, good_file):
    # As after an import of another ground truth: the rows still belong to the previous one.
    revision = demo.active_revision
    revision.pk, revision.number, revision.digest = None, 2, "f" * 64
    revision._state.adding = True
    revision.save()
    Benchmark.objects.filter(pk=demo.pk).update(active_revision=revision)
    change_rows(demo)
    board = Benchmark.objects.get(pk=demo.pk)
    assert not compute.compute_statistics(benchmark_id=demo.pk)
    raw = with_wrong(good_file, 1)
    later = make_published(user, board, raw, system="Later")
    ranks = compute_ranks(board)
    assert ranks.systems == 1
    # It has 46 right, among fixed scores of 47, 42 and 41.
    place = ranks.of(later.system_id)
    assert (place.rank_low, place.rank_high) == (1, 2)
    rows = {row.name: row for row in board.standings.all()}
    assert {name: ranks.why_not(row) for name, row in rows.items()} == {
        "A": WhyNot.OTHER_REFERENCES,
        "B": WhyNot.OTHER_REFERENCES,
        "C": WhyNot.OTHER_REFERENCES,
        "Later": None,
    }


def test_systems_of_different_judges_are_tested_apart_unless_the_board_mixes_them(demo, three):
    demo.standings.filter(system=three["C"].system_id).update(judge="another")
    change_rows(demo)
    compute.compute_statistics(benchmark_id=demo.pk)
    assert {judge: one.systems for judge, one in known_by_judge(BoardAt(demo)).items()} == {
        "": 2,
        "another": 1,
    }
    Benchmark.objects.filter(pk=demo.pk).update(mixes_judges=True)
    change_rows(demo)
    board = Benchmark.objects.get(pk=demo.pk)
    assert compute_ranks(board, None).systems == 3
    assert BoardAt(board).statistics_for("another").systems == 3


def test_computing_the_statistics_twice_stores_them_once(demo, three):
    assert compute.compute_statistics(benchmark_id=demo.pk)
    assert not compute.compute_statistics(benchmark_id=demo.pk)
    assert BoardStatistics.objects.count() == 1


def test_the_statistics_of_the_same_rows_are_not_computed_again(demo, three, monkeypatch):
    compute.compute_statistics(benchmark_id=demo.pk)
    change_rows(demo)
    monkeypatch.setattr(compute, "compute_results", None)
    assert compute.compute_statistics(benchmark_id=demo.pk)
    first, second = BoardStatistics.objects.order_by("number")
    assert first.digest == second.digest
    assert len(second.payload) < 10, "it is stored once"
    assert BoardAt(demo).statistics_for("").of(three["C"].system_id).rank_high == 3


def test_pages_of_the_board_change_when_its_statistics_are_stored(demo, three):
    before = BoardState.objects.get(benchmark=demo).revision
    compute.compute_statistics(benchmark_id=demo.pk)
    assert BoardState.objects.get(benchmark=demo).revision == before + 1


def test_a_withdrawal_recomputes_the_statistics_and_keeps_those_of_before_for_past_dates(demo, three, user):
    assert compute_ranks(demo).systems == 3
    then = BoardEvent.objects.filter(benchmark=demo).first().number
    a = three["A"]
    publish.withdraw(submission_id=a.pk, team=a.team, by=user)
    assert BoardAt(demo).statistics_for("") is None
    ranks = compute_ranks(demo)
    assert (ranks.systems, ranks.is_current) == (2, True)
    past = BoardAt(demo, find_as_of(benchmark=demo, text=str(then))).statistics_for("")
    assert (past.systems, past.is_current) == (3, False)
    assert past.of(a.system_id).rank_low == 1
    assert ranks.of(a.system_id) is None


def test_statistics_are_unknown_for_revisions_that_were_skipped(demo, three):
    compute.compute_statistics(benchmark_id=demo.pk)
    first = BoardEvent.objects.filter(benchmark=demo, action="published").last()
    assert BoardAt(demo, find_as_of(benchmark=demo, text=str(first.number))).statistics_for("") is None


def test_p_is_shown_only_as_below_or_above_the_level_where_counts_are_hidden(demo, three):
    own = [pair.p.exact for pair in compute_ranks(demo).pairs]
    demo.feedback = "overall"
    demo.save()
    ranks = BoardAt(demo).statistics_for("")
    assert all(pair.table is None and pair.p.exact is None and not pair.differences for pair in ranks.pairs)
    assert (ranks.finding.next_p.exact, ranks.finding.next_p.is_significant) == (None, True)
    # By its own p: with a correction, each number of pairs would reveal another bound.
    assert [pair.p_holm.is_significant for pair in ranks.pairs] == [p < 0.05 for p in own]


def test_reading_takes_three_queries_and_then_one(demo, three, django_assert_num_queries):
    compute.compute_statistics(benchmark_id=demo.pk)
    known._load.cache_clear()
    with django_assert_num_queries(3):
        BoardAt(demo).statistics_for("")
    with django_assert_num_queries(1):
        BoardAt(demo).statistics_for("").of(three["A"].system_id)


def test_an_empty_board_has_no_statistics_to_compute(empty):
    assert not compute.compute_statistics(benchmark_id=empty.pk)
    assert not compute.compute_statistics(benchmark_id=10**6)
    put_row(empty, "Printed", 0.5)
    assert not compute.compute_statistics(benchmark_id=empty.pk)


def test_task_breakdowns_are_computed_once_and_stored(demo, django_assert_num_queries):
    options = {"benchmark": demo, "revision_id": demo.active_revision_id}
    task_groups._load.cache_clear()
    groups = task_groups.load_task_groups(**options)
    assert groups.strata.tolist() == [number for number in range(10) for _ in range(5)]
    assert groups.breakdowns["kind"].tolist()[:15] == [0] * 10 + [1] * 5
    assert TaskGroups.objects.count() == 1
    task_groups._load.cache_clear()
    # The digest, the groups: no reference.
    with django_assert_num_queries(2):
        again = task_groups.load_task_groups(**options)
    assert again.breakdowns["difficulty"].tolist() == groups.breakdowns["difficulty"].tolist()


def test_differences_of_other_metrics_come_with_intervals(fhir_demo, user, good_answers):
    from scoring.fhir_agentbench import demo

    for name, raw in (("A", good_answers), ("B", demo.NOISY.read_bytes())):
        make_published(user, fhir_demo, raw, system=name)
    [row] = fhir_demo.standings.filter(name="A")
    [pair] = compute_ranks(fhir_demo, row.judge).pairs
    figures = {row.name: row.metrics for row in fhir_demo.standings.all()}
    assert set(pair.differences) == {"precision", "recall"}
    for metric, (difference, low, high) in pair.differences.items():
        assert difference == pytest.approx(figures["A"][metric] - figures["B"][metric], abs=1e-5)
        assert low <= difference <= high


def test_a_changed_printed_rate_recomputes_the_statistics(demo, three):
    printed = put_row(demo, "Printed", 0.85)
    first = compute_ranks(demo)
    assert first.finding.fixed_above == 0
    # It stays between the same two rows.
    for score, above in ((0.93, 0), (0.94, 1)):
        type(printed).objects.filter(pk=printed.pk).update(score=score)
        change_rows(demo)
        ranks = compute_ranks(demo)
        assert ranks.digest != first.digest
        # A rate equal to that of the first ranks no lower.
        assert ranks.finding.fixed_above == above


def test_a_changed_position_of_an_untested_row_recomputes_the_statistics(demo, three):
    # The same rate as B, published before or after it.
    b = Standing.objects.get(system=three["B"].system_id)
    digests = set()
    for days in (-1, 1):
        put_row(demo, f"Printed {days}", b.score, since=b.since + timedelta(days=days))
        change_rows(demo)
        digests.add(compute_ranks(demo).digest)
        Standing.objects.filter(kind=Kind.REPORTED).delete()
    assert len(digests) == 2


def test_two_systems_tied_with_the_best_of_their_group_may_differ_significantly(
    empty, user, good_file, monkeypatch
):
    ids = [result["task_id"] for result in json.loads(good_file)["results"]]

    def without(*places: int) -> bytes:
        return with_answers(good_file, **dict.fromkeys([ids[n] for n in places], '["certainly not this"]'))

    # B solved one task that A did not, and A seven that B did not; C solved all that B solved and six more.
    for name, raw in (("A", without(0)), ("C", without(1)), ("B", without(*range(1, 8)))):
        make_published(user, empty, raw, system=name)
    finding = compute_ranks(empty).finding
    assert (finding.like_first, finding.in_a_row, finding.are_alike) == (2, True, False)
    monkeypatch.setattr(compute, "_MOST_TESTED_PAIRWISE", 2)
    BoardStatistics.objects.all()._raw_delete("default")
    known._load.cache_clear()
    assert compute_ranks(empty).finding.are_alike is None
