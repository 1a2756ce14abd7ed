"""Rank intervals, against a slow implementation of the definition and by their properties."""

from collections import Counter
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.statistics.ranks import RankInterval, rank_intervals
from scoring.statistics.resampling import task_weights

FEW = 60  # resamples


@st.composite
def boards(draw, most_systems=7, most_tasks=12):
    """Draw verdicts, and the strata of their tasks."""
    systems, tasks = draw(st.integers(1, most_systems)), draw(st.integers(1, most_tasks))
    row = st.lists(st.booleans(), min_size=tasks, max_size=tasks)
    strata = draw(st.lists(st.sampled_from("abc"), min_size=tasks, max_size=tasks))
    return np.array(draw(st.lists(row, min_size=systems, max_size=systems))), strata


rates = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 2 / 3, 1.0]), max_size=3)
seeds = st.integers(0, 2**32)


def intervals_by_definition(verdicts, strata, *, fixed, seed, level):
    """Compute the intervals by their definition, resample by resample and pair by pair."""
    tasks = len(strata)

    def ranks(weights):
        scores = [
            sum(int(w) for w, right in zip(weights, row, strict=True) if right) / tasks for row in verdicts
        ]
        return [1 + sum(other > score for other in (*scores, *fixed)) for score in scores]

    drawn = [ranks(weights) for weights in task_weights(strata, seed=seed, resamples=FEW)]
    cut = ceil(round(FEW * (1 - level) / 2, 6))
    intervals = []
    for number, observed in enumerate(ranks([1] * tasks)):
        own = sorted(rank[number] for rank in drawn)
        intervals.append((min(observed, own[cut - 1]), max(observed, own[-cut])))
    return intervals


@settings(max_examples=40)
@given(boards(), rates, seeds, st.sampled_from([0.5, 0.9, 0.95]))
def test_the_intervals_are_as_defined(board, fixed, seed, level):
    intervals = rank_intervals(*board, fixed=fixed, seed=seed, resamples=FEW, level=level)
    assert intervals == intervals_by_definition(*board, fixed=fixed, seed=seed, level=level)


@settings(max_examples=40)
@given(boards(most_systems=12), rates, seeds, st.integers(0, 12), st.integers(1, 5))
def test_a_system_without_an_interval_is_still_ranked(board, fixed, seed, first, size):
    verdicts, strata = board
    rest = verdicts[first:]
    pieces = (rest[start : start + size] for start in range(0, len(rest), size))
    intervals = rank_intervals(verdicts[:first], strata, others=pieces, fixed=fixed, seed=seed, resamples=FEW)
    assert intervals == intervals_by_definition(*board, fixed=fixed, seed=seed, level=0.95)[:first]


def test_a_piece_of_other_tasks_is_refused():
    with pytest.raises(ValueError, match="do not fit 2 tasks"):
        rank_intervals([[True, False]], [1, 1], others=[[[True]]], seed=1)


@given(boards(), rates, seeds, st.randoms())
def test_the_order_of_the_systems_does_not_matter(board, fixed, seed, random):
    verdicts, strata = board
    order = random.sample(range(len(verdicts)), len(verdicts))
    intervals = rank_intervals(verdicts, strata, fixed=fixed, seed=seed, resamples=FEW)
    shuffled = rank_intervals(verdicts[order], strata, fixed=fixed[::-1], seed=seed, resamples=FEW)
    assert shuffled == [intervals[number] for number in order]


@given(boards(), seeds, st.permutations([0, 1, 2]))
def test_the_names_of_the_strata_do_not_matter(board, seed, names):
    verdicts, strata = board
    renamed = np.array([names["abc".index(stratum)] for stratum in strata])
    intervals = rank_intervals(verdicts, strata, seed=seed, resamples=FEW)
    assert rank_intervals(verdicts, renamed, seed=seed, resamples=FEW) == intervals


def test_the_order_of_the_tasks_changes_the_intervals_no_more_than_another_seed_does():
    rng = np.random.default_rng(4)
    verdicts = rng.random((12, 300)) < np.linspace(0.4, 0.6, 12)[:, np.newaxis]
    strata = rng.integers(4, size=300)
    order = rng.permutation(300)
    intervals = np.array(rank_intervals(verdicts, strata, seed=1))
    shuffled = np.array(rank_intervals(verdicts[:, order], strata[order], seed=1))
    assert abs(intervals - shuffled).max() <= 1


@given(boards(), rates, seeds, st.data())
def test_a_system_that_solves_every_task_of_another_is_never_below_it(board, fixed, seed, data):
    verdicts, strata = board
    more = data.draw(st.lists(st.booleans(), min_size=len(strata), max_size=len(strata)))
    verdicts = np.vstack([verdicts, verdicts[0] | more])
    low, *_, high = rank_intervals(verdicts, strata, fixed=fixed, seed=seed, resamples=FEW)
    assert high.best <= low.best
    assert high.worst <= low.worst


@given(boards(), rates, seeds)
def test_the_same_verdicts_have_the_same_interval(board, fixed, seed):
    verdicts, strata = board
    intervals = rank_intervals(np.vstack([verdicts, verdicts]), strata, fixed=fixed, seed=seed, resamples=FEW)
    assert intervals[: len(verdicts)] == intervals[len(verdicts) :]


@given(boards(), rates, seeds)
def test_an_interval_holds_the_rank_of_the_board_and_stays_on_it(board, fixed, seed):
    verdicts, strata = board
    scores = verdicts.sum(axis=1) / len(strata)
    intervals = rank_intervals(verdicts, strata, fixed=fixed, seed=seed, resamples=FEW)
    for score, interval in zip(scores, intervals, strict=True):
        rank = 1 + sum(other > score for other in (*scores, *fixed))
        assert 1 <= interval.best <= rank <= interval.worst <= len(scores) + len(fixed)


@given(boards(), seeds)
def test_a_higher_level_never_narrows_an_interval(board, seed):
    narrow = rank_intervals(*board, seed=seed, resamples=FEW, level=0.5)
    wide = rank_intervals(*board, seed=seed, resamples=FEW, level=0.95)
    assert all(w.best <= n.best and n.worst <= w.worst for n, w in zip(narrow, wide, strict=True))


def test_systems_that_solve_equally_many_different_tasks_may_have_any_rank():
    verdicts = np.kron(np.eye(5), np.ones(20)).astype(bool)  # each right on 20 of 100, on its own
    assert rank_intervals(verdicts, np.zeros(100), seed=1) == [RankInterval(1, 5)] * 5


def test_systems_that_solve_the_same_tasks_always_share_the_first_rank():
    verdicts = np.tile(np.arange(100) < 50, (5, 1))
    assert rank_intervals(verdicts, np.zeros(100), seed=1) == [RankInterval(1, 1)] * 5


def test_a_difference_only_between_strata_is_certain():
    # Each stratum keeps its size: the system with all of the larger one is always first.
    larger = np.arange(100) < 55
    verdicts = np.array([larger, ~larger])
    assert rank_intervals(verdicts, larger, seed=1) == [(1, 1), (2, 2)]
    assert rank_intervals(verdicts, np.zeros(100), seed=1) == [(1, 2), (1, 2)]


def test_a_stratum_of_one_task_is_never_left_out():
    verdicts = np.eye(3, dtype=bool)
    assert rank_intervals(verdicts, [1, 2, 3], seed=1) == [(1, 1)] * 3


def test_a_printed_rate_counts_where_it_is_greater_and_has_no_interval():
    verdicts = [[True] * 7 + [False] * 3, [False] * 10]
    each_alone = list(range(10))  # so each resample equals the tasks
    intervals = {
        rate: rank_intervals(verdicts, each_alone, fixed=[rate], seed=1) for rate in (0, 0.7, 0.71, 1)
    }
    assert intervals[0] == [(1, 1), (2, 2)]
    assert intervals[0.7] == [(1, 1), (3, 3)]
    assert intervals[0.71] == [(2, 2), (3, 3)]
    assert intervals[1] == [(2, 2), (3, 3)]


def test_a_printed_rate_amid_the_resampled_rates_makes_the_rank_uncertain():
    verdicts = [np.arange(100) < 50]
    assert rank_intervals(verdicts, np.zeros(100), fixed=[0.5, 0.55, 0.9], seed=1) == [(2, 4)]


def test_the_seed_determines_the_intervals():
    rng = np.random.default_rng(2)
    board = rng.random((30, 80)) < 0.5, np.zeros(80)
    intervals = [rank_intervals(*board, seed=seed, resamples=FEW) for seed in (1, 1, 2)]
    assert intervals[0] == intervals[1] != intervals[2]


def test_more_systems_than_one_batch_give_the_same_intervals(monkeypatch):
    rng = np.random.default_rng(3)
    board = rng.random((50, 40)) < 0.5, np.zeros(40)
    intervals = rank_intervals(*board, seed=1, resamples=FEW)
    monkeypatch.setattr("scoring.statistics.ranks._CHUNK", 7)
    assert rank_intervals(*board, seed=1, resamples=FEW) == intervals


def test_a_board_without_systems_has_no_intervals():
    assert rank_intervals(np.empty((0, 3)), [1, 1, 2], seed=1) == []


@pytest.mark.parametrize(
    ("verdicts", "strata"), [([[True]], [1, 1]), ([True], [1]), (np.empty((2, 0)), []), ([[True]], [[1]])]
)
def test_malformed_verdicts_are_refused(verdicts, strata):
    with pytest.raises(ValueError, match="shape"):
        rank_intervals(verdicts, strata, seed=1)


@pytest.mark.parametrize("options", [{"level": 1}, {"level": 0}, {"resamples": 0}])
def test_an_invalid_level_is_refused(options):
    with pytest.raises(ValueError, match="no interval"):
        rank_intervals([[True]], [1], seed=1, **options)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=20), seeds)
def test_every_resample_keeps_the_sizes_of_the_strata(strata, seed):
    weights = task_weights(strata, seed=seed, resamples=5)
    for name, size in Counter(strata).items():
        drawn = weights[:, [stratum == name for stratum in strata]]
        assert drawn.sum(axis=1).tolist() == [size] * 5
        assert drawn.min() >= 0


def test_a_task_is_drawn_as_often_as_in_a_multinomial():
    weights = task_weights(np.zeros(50), seed=1, resamples=20_000)
    assert weights.mean(axis=0) == pytest.approx(np.ones(50), abs=0.04)
    assert weights.var(axis=0) == pytest.approx(np.full(50, 1 - 1 / 50), abs=0.07)
    assert np.corrcoef(weights[:, 0], weights[:, 1])[0, 1] == pytest.approx(-1 / 49, abs=0.03)
