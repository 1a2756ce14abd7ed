"""Comparing systems task by task. The numbers are computed by hand.

The good file has 47 of 50 right, including all five tasks of type 1 and of type 2. A file with its first n
tasks made wrong has these n wrong as well.
"""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from leaderboard.models import Board, Feedback, Kind
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.statistics import compute, pair_tests
from leaderboard.services.statistics.compare import (
    NotComparable,
    compare_systems,
)
from leaderboard.services.statistics.entrants import figures_of, scores_of
from leaderboard.services.statistics.rank_statistics import WhyNot, statistics_by_judge
from tests.support.databases import shared_rows
from tests.support.examples import given
from tests.support.factories import (
    correct_references,
    make_demo,
    make_published,
    make_user,
    publish_each,
    publish_runs,
    with_answers,
    with_wrong,
)
from tests.support.rows import put_row
from wardboard.scoring.statistics import difference_interval
from wardboard.scoring.statistics.clusters import clustered_mean_difference
from wardboard.scoring.statistics.comparisons import pairwise_p
from wardboard.scoring.statistics.pairs import PairedTable, paired_table

pytestmark = pytest.mark.both_databases

FIRST_SIX = ("task1_1", "task1_2", "task1_3", "task1_4", "task1_5", "task2_1")


@shared_rows
def keys() -> dict[str, int]:
    """Publish A with 47 right, B with 42 and C with 41; return their keys by name."""
    published = publish_each(make_user(), make_demo(), A=0, B=5, C=6)
    return {name: submission.system_id for name, submission in published.items()}


def at_level(board: Board, level: str) -> Board:
    Board.objects.filter(pk=board.pk).update(feedback=level)
    return Board.objects.select_related("active_revision").get(pk=board.pk)


def test_a_pair_has_its_table_exact_p_and_interval(demo, keys):
    pair = compare_systems(board=demo, systems=[keys["A"], keys["C"]]).pair
    assert pair.table == PairedTable(both=41, only_a=6, only_b=0, neither=3)
    assert pair.p.exact == pytest.approx(0.5**6)
    assert pair.p.is_significant
    assert (pair.difference, *pair.interval) == difference_interval(41, 6, 0, 3)
    turned = compare_systems(board=demo, systems=[keys["C"], keys["A"]]).pair
    assert (turned.p.is_significant, turned.difference) == (True, pytest.approx(-0.12))


def test_the_verdict_allows_for_all_pairs_of_the_leaderboard_and_p_is_of_the_pair_alone(demo, keys):
    outcomes = []
    for names in ("AB", "AC", "BC"):
        comparison = compare_systems(board=demo, systems=[keys[name] for name in names])
        outcomes.append((comparison.pair.p.exact, comparison.pair.p.is_significant, comparison.tasks))
    # 1/64 is below .05 / 3. Then two pairs are left, and 1/32 is above .05 / 2.
    assert [outcome for _, outcome, _ in outcomes] == [False, True, False]
    assert [p for p, _, _ in outcomes[:2]] == pytest.approx([1 / 32, 1 / 64])
    assert {tasks for _, _, tasks in outcomes} == {50}


def test_a_pair_differs_exactly_where_the_leaderboard_claims_it(demo, keys):
    systems = [keys["A"], keys["B"]]
    first = compare_systems(board=demo, systems=systems).pair
    # Until the tests of all pairs are done, as many are allowed for as there will be.
    assert (first.family.pairs, first.family.undecided, first.p.is_significant) == (3, 3, False)
    compute.compute_statistics(board_id=demo.pk)
    demo.state.refresh_from_db()
    pair = compare_systems(board=demo, systems=systems).pair
    assert (pair.family.pairs, pair.family.undecided, pair.p.is_significant) == (3, 2, False)
    assert pair.family.bound == 0.025


def test_differences_by_group_are_of_the_fixed_breakdowns_and_small_groups_are_marked(demo, keys):
    pair = compare_systems(board=demo, systems=[keys["A"], keys["C"]]).pair
    assert list(pair.groups) == ["task_type", "kind", "difficulty"]
    first, second, *others = pair.groups["task_type"]
    assert (first.group, first.tasks, first.right_a, first.right_b) == ("task1", 5, 5, 0)
    assert tuple(first.difference) == difference_interval(0, 5, 0, 0)
    assert (second.right_a, second.right_b, second.is_small) == (5, 4, True)
    assert len(others) == 8
    assert all(group.difference.figure == 0 for group in others)
    query, action = pair.groups["kind"]
    assert (query.tasks, query.right_a, query.right_b, query.is_small) == (25, 23, 17, False)
    assert action.difference.figure == 0


@pytest.mark.parametrize("level", Feedback.values)
def test_the_feedback_level_decides_what_a_comparison_shows(demo, keys, level):
    board = at_level(demo, level)
    pair = compare_systems(board=board, systems=[keys["A"], keys["C"]]).pair
    # The outcome and the difference are visible at every level.
    assert (pair.difference, pair.p.is_significant) == (pytest.approx(0.12), True)
    counts_are_seen = level != Feedback.OVERALL
    assert (pair.table is not None) == counts_are_seen
    assert (pair.interval is not None) == counts_are_seen
    assert (pair.p.exact is not None) == counts_are_seen
    assert bool(pair.groups) == counts_are_seen
    if Feedback(level).shows(Feedback.BY_TASK):
        assert (pair.only_a, pair.only_b) == (FIRST_SIX, ())
    else:
        assert (pair.only_a, pair.only_b) == (None, None)


def test_two_different_systems_of_the_board_can_be_compared(demo, keys):
    a, b, c = keys.values()
    for systems in ([], [a, a], [a, b, c], *([a, unknown] for unknown in (10**6, 0, -1, 2**63, 10**30))):
        with pytest.raises(NotComparable):
            compare_systems(board=demo, systems=systems)
    sides = compare_systems(board=demo, systems=[b, a, b]).sides
    assert [side.standing.system_id for side in sides] == [b, a]


def test_rows_without_verdicts_of_now_are_shown_and_not_tested(demo, keys, user, good_file):
    printed = put_row(demo, "Printed", counts=(45, 50)).system_id
    null = put_row(demo, "Null", 0.1, kind=Kind.BASELINE).system_id
    for other, why_not in ((printed, WhyNot.REPORTED), (null, WhyNot.BASELINE)):
        comparison = compare_systems(board=demo, systems=[keys["A"], other])
        assert (comparison.pair, comparison.why_not) == (None, why_not)
        assert [side.why_not for side in comparison.sides] == [None, why_not]
    board = correct_references(demo).revision.board
    later = make_published(user, board, with_wrong(good_file, 1), system="Later").system_id
    comparison = compare_systems(board=board, systems=[keys["A"], later])
    assert (comparison.pair, comparison.why_not) == (None, WhyNot.OTHER_REFERENCES)


def test_rows_of_different_judges_are_tested_only_where_the_board_mixes_them(demo, keys):
    demo.standings.filter(system=keys["C"]).update(judge="another")
    systems = [keys["A"], keys["C"]]
    comparison = compare_systems(board=demo, systems=systems)
    assert (comparison.pair, comparison.why_not) == (None, WhyNot.OTHER_JUDGE)
    demo.mixes_judges = True
    assert compare_systems(board=demo, systems=systems).pair is not None


def test_visible_precision_and_recall_have_cluster_robust_intervals(fhir_demo, user, good_answers):
    from wardboard.scoring.fhir_agentbench import demo

    files = {"A": good_answers, "B": demo.NOISY.read_bytes()}
    submissions = {name: make_published(user, fhir_demo, raw, system=name) for name, raw in files.items()}
    systems = [submission.system_id for submission in submissions.values()]
    pair = compare_systems(board=fhir_demo, systems=systems).pair
    assert set(pair.metrics) == {"precision", "recall"}
    metrics = {name: submission.evaluation.metrics for name, submission in submissions.items()}
    for metric, interval in pair.metrics.items():
        assert interval.figure == pytest.approx(metrics["A"][metric] - metrics["B"][metric], abs=1e-6)
        assert interval.low <= interval.figure <= interval.high
    keys = [submission.evaluation_id for submission in submissions.values()]
    figures = figures_of(fhir_demo.benchmark, keys, fhir_demo.active_revision.task_count)
    clusters = load_task_groups(board=fhir_demo, revision_id=fhir_demo.active_revision_id).cluster_labels
    expected = clustered_mean_difference(*figures["recall"], clusters)
    assert pair.metrics["recall"][1:] == pytest.approx((expected.low, expected.high))
    # A group's interval is never narrower than Newcombe's, and not known where no task differs.
    for line in pair.groups["resource_type"]:
        _, low, high = difference_interval(*line.table)
        if not line.table.only_a + line.table.only_b:
            low = high = 0.0
        assert line.difference.low <= low
        assert line.difference.high >= high
    assert set(pair.groups) == {"resource_type", "true_resources"}
    assert compare_systems(board=at_level(fhir_demo, "overall"), systems=systems).pair.metrics == {}


def test_one_lucky_run_is_not_significantly_higher_than_ten_honest_ones(demo, user, good_file):
    # The three wrong tasks of the good file are wrong in all runs, and six runs have one more, each another.
    honest = [with_answers(good_file, **{task: '["certainly not this"]'}) for task in FIRST_SIX]
    honest += [with_answers(good_file, task6_1=f'["wrong in way {number}"]') for number in range(4)]
    ten = publish_runs(user, demo, honest)
    single = make_published(user, demo, good_file, system="Lucky")
    pair = compare_systems(board=demo, systems=[single.system_id, ten.system_id]).pair
    assert pair.difference > 0
    scores = scores_of(demo.benchmark, [single.evaluation_id, ten.evaluation_id], 50)
    assert scores.runs.tolist() == [1, 10]
    assert pair.p.exact == pytest.approx((10 / 11) ** 6)
    assert pairwise_p(scores.lower)[0, 1] < 0.05
    low, high = pair.interval
    assert low < -0.01 < 0 < high
    compute.compute_statistics(board_id=demo.pk)
    board = Board.objects.select_related("state").get(pk=demo.pk)
    assert statistics_by_judge(BoardAt(board))[""].of(board.standings.get(system=ten.system_id)).low == 1


SCORES = st.integers(2, 60).flatmap(
    lambda tasks: arrays(np.float64, (2, tasks), elements=st.sampled_from([0.0, 1.0]))
)


@given(SCORES, st.booleans())
def test_the_interval_leaves_out_0_exactly_where_the_test_is_significant(scores, is_of_runs):
    scores = (scores + scores[:, ::-1]) / 2 if is_of_runs else scores
    p = float(pairwise_p(scores)[0, 1])
    table = paired_table(*scores)
    difference, low, high = pair_tests._difference([scores], [table], p, None, np.ones(2, dtype=np.int64))
    assert low <= difference <= high
    assert (p < 0.05) == (low > 0 or high < 0)
