"""Which tables of a comparison are shown on a board with hidden references."""

import json
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from leaderboard.models import Board, Feedback, Standing
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.statistics import disclosure
from leaderboard.services.statistics.compare import WhyHidden, compare_systems
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.statistics.p_values import PValue, print_bound, round_p
from leaderboard.services.statistics.rank_statistics import statistics_by_judge
from tests.support.databases import shared_rows
from tests.support.examples import given
from tests.support.factories import make_demo, make_published, make_user, with_wrong
from tests.support.pages.visible_text import text_of
from wardboard.scoring.medagentbench.demo import GOOD
from wardboard.scoring.statistics.pairs import PairedTable

pytestmark = pytest.mark.both_databases

CELLS = st.builds(PairedTable, *[st.integers(0, 60)] * 4)


@shared_rows
def keys() -> dict[str, int]:
    """Publish three systems, B and C with nearly the same verdicts, and one of 44 answers; return keys."""
    hidden, user, raw = make_demo(is_demo=False, rounding=1), make_user(), GOOD.read_bytes()
    document = json.loads(with_wrong(raw, 12))
    document["results"] = document["results"][:44]
    files = {"A": with_wrong(raw, 8), "B": with_wrong(raw, 25), "C": with_wrong(raw, 28)}
    files["partial"] = json.dumps(document).encode()
    return {name: make_published(user, hidden, file, system=name).system_id for name, file in files.items()}


@pytest.fixture
def hidden(keys, demo) -> Board:
    return demo


def pair_of(board, *systems):
    return compare_systems(board=board, systems=systems).pair


@pytest.mark.parametrize(
    ("table", "is_shown"),
    [
        ((20, 5, 0, 5), True),
        ((20, 4, 0, 6), False),
        ((19, 5, 0, 5), False),
        ((30, 0, 0, 0), True),
        ((25, 1, 5, 5), False),
    ],
)
def test_a_table_is_large_enough_without_small_cells_over_thirty_tasks(table, is_shown):
    assert disclosure.is_large_enough(PairedTable(*table)) == is_shown


@given(st.integers(1, 3).flatmap(lambda ways: st.lists(st.tuples(*[CELLS] * ways), min_size=1, max_size=8)))
def test_figures_that_are_left_out_cannot_be_found_by_subtraction(tables):
    board = Board(benchmark="medagentbench", feedback=Feedback.BY_TYPE, is_demo=False)
    named = {str(place): ways for place, ways in enumerate(tables)}
    shown = disclosure.groups_shown(board, named)
    for way in range(len(tables[0])):
        assert all(disclosure.is_large_enough(named[group][way]) for group in shown)
        left_out = [ways[way] for group, ways in named.items() if group not in shown]
        rest = PairedTable(*map(sum, zip(*left_out, strict=True))) if left_out else None
        assert rest is None or not shown or disclosure.is_large_enough(rest)


def test_a_pair_with_large_counts_is_shown_and_its_small_groups_are_not(hidden, keys):
    pair = pair_of(hidden, keys["A"], keys["B"])
    assert pair.why_hidden is None
    assert disclosure.is_large_enough(pair.table)
    assert pair.p.exact is not None
    # Every group of the demonstration has fewer than 30 tasks.
    assert not any(pair.groups.values())


def test_a_pair_with_a_small_cell_or_fewer_than_nine_in_ten_answers_shows_its_outcome_alone(hidden, keys):
    for other, why in (("C", WhyHidden.FEW_TASKS), ("partial", WhyHidden.LOW_COVERAGE)):
        pair = pair_of(hidden, keys["B"], keys[other])
        assert (pair.why_hidden, pair.p.is_significant, pair.metrics) == (why, False, {})
        assert pair.table is pair.interval is pair.p.exact is None
    # By few tasks, groups that are large enough are shown.
    assert pair.groups == {}


def test_without_a_metric_of_coverage_the_records_of_the_file_are_counted(hidden, keys):
    rows = Standing.objects.filter(board=hidden)
    assert disclosure.systems_of_low_coverage(rows) == {keys["partial"]}
    for row in rows:
        metrics = {key: value for key, value in row.metrics.items() if key != "coverage"}
        Standing.objects.filter(pk=row.pk).update(metrics=metrics)
    assert disclosure.systems_of_low_coverage(rows) == {keys["partial"]}


def test_public_references_and_the_level_by_task_show_a_small_table(hidden, keys):
    hidden.is_demo = True
    assert pair_of(hidden, keys["B"], keys["partial"]).table is not None
    hidden.is_demo, hidden.feedback = False, Feedback.BY_TASK
    pair = pair_of(hidden, keys["B"], keys["C"])
    assert 0 < len(pair.only_a) == pair.table.only_a < 5
    assert not any(pair.groups.values())


@pytest.mark.parametrize(
    ("p", "printed"),
    [(0.03125, 0.0312), (1e-9 / 3, 3.33e-10), (0.04999, 0.04999), (1.0, 1.0), (0.0501, 0.0501)],
)
def test_p_values_have_three_significant_figures_and_stay_on_their_side(p, printed):
    assert round_p(PValue(exact=p, is_significant=p < 0.05)) == printed
    assert round_p(None) is round_p(PValue(exact=None, is_significant=True)) is None


def test_a_board_shows_an_exact_p_where_compare_does(hidden, keys):
    compute_statistics(board_id=hidden.pk)
    [statistics] = statistics_by_judge(BoardAt(hidden)).values()
    systems = list(statistics.results.stored.systems)
    exact = [statistics.p_next(system).exact is not None for system in systems[:-1]]
    assert exact == [pair_of(hidden, *pair).p.exact is not None for pair in pairwise(systems)]
    assert not all(exact)


def test_the_page_says_why_counts_are_left_out(visitor, hidden, keys):
    address = f"/benchmarks/{hidden.slug}/compare/"
    text = text_of(visitor.get(address, {"system": [keys["B"], keys["C"]]}))
    assert "Details are hidden to protect the reference answers." in text
    assert not any(word in text for word in ("few tasks", "solved", "Query"))
    text = text_of(visitor.get(address, {"system": [keys["A"], keys["B"]]}))
    assert "few tasks" not in text
    text = text_of(visitor.get(address, {"system": [keys["A"], keys["partial"]]}))
    assert "one of the two answered fewer than 90% of the tasks." in text


@pytest.mark.parametrize(
    ("bound", "printed"),
    [(0.05, ".05"), (0.025, ".025"), (0.05 / 3, ".016"), (0.05 / 190, ".00026"), (0.05 / 27966, ".0000017")],
)
def test_a_bound_on_p_is_printed_in_decimals_and_never_rounded_up(bound, printed):
    assert print_bound(bound) == printed
    assert float(printed) <= bound
