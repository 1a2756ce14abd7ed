"""What a leaderboard can detect: the smallest difference, and the tasks or runs that a difference takes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardboard.scoring.runs import MOST_RUNS
from wardboard.scoring.statistics.comparisons import mcnemar_mid_p, pairwise_p
from wardboard.scoring.statistics.power import (
    PairSpread,
    runs_needed,
    smallest_detectable_difference,
    tasks_needed,
)


@pytest.mark.parametrize(("tasks", "difference"), [(300, 0.0721), (2931, 0.0231)])
def test_the_difference_for_a_fifth_of_discordant_tasks_is_known(tasks, difference):
    assert smallest_detectable_difference(tasks, 0.2) == pytest.approx(difference, abs=5e-5)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.9])
def test_the_mid_p_test_finds_such_a_difference_with_the_power_that_was_asked_for(power):
    difference = smallest_detectable_difference(300, 0.2, power)
    only_a, only_b = (0.2 + difference) / 2, (0.2 - difference) / 2
    drawn = np.random.default_rng(1).multinomial(300, [only_a, only_b, 0.8], size=40_000)
    found = (mcnemar_mid_p(drawn[:, 0], drawn[:, 1]) < 0.05).mean()
    assert found == pytest.approx(power, abs=0.02)


@given(st.integers(5, 5000), st.floats(0.01, 1))
def test_more_tasks_show_smaller_differences(tasks, discordant):
    few = smallest_detectable_difference(tasks, discordant)
    many = smallest_detectable_difference(2 * tasks, discordant)
    assert few is None or 0 < many < few <= discordant


def test_no_difference_is_found_where_hardly_any_task_is_discordant():
    assert smallest_detectable_difference(300, 0) is None
    assert smallest_detectable_difference(10, 0.2) is None


@pytest.mark.parametrize("arguments", [(0, 0.2), (300, 20), (300, 0.2, 1), (300, 0.2, 0.8, 0), (300, np.nan)])
def test_what_is_no_share_is_an_error(arguments):
    with pytest.raises(ValueError, match="tasks"):
        smallest_detectable_difference(*arguments)


def spread_of(only_a: float, only_b: float, tasks: int = 300) -> PairSpread:
    """Return the spread of two systems with single runs, by the shares of tasks that only one solves."""
    difference, discordant = only_a - only_b, only_a + only_b
    return PairSpread(
        tasks=tasks,
        difference=difference,
        variance=(discordant - difference**2) / tasks,
        null_variance=discordant / tasks,
        run_variances=None,
        runs=(1, 1),
    )


@pytest.mark.parametrize("pairs", [1, 45, 300])
@pytest.mark.parametrize(
    ("only_a", "only_b", "present"), [(0.06, 0.05, 300), (0.15, 0.1, 300), (0.1, 0.02, 30), (0.3, 0.27, 300)]
)
def test_with_the_tasks_needed_the_mid_p_test_finds_four_of_five_differences(only_a, only_b, present, pairs):
    alpha = 0.05 / pairs
    tasks = tasks_needed(spread_of(only_a, only_b, present), alpha=alpha)
    drawn = np.random.default_rng(2).multinomial(tasks, [only_a, only_b, 1 - only_a - only_b], size=20_000)
    found = (mcnemar_mid_p(drawn[:, 0], drawn[:, 1]) < alpha).mean()
    # Where nearly all tasks that count are of one system, the formula asks for a few too many.
    assert 0.77 < found < (0.86 if only_a > 3 * only_b else 0.83)


def draw(rng, tasks: int, runs: int, gain: float) -> np.ndarray:
    """Return the shares of right runs of two systems, the first of which is better, on tasks drawn anew."""
    ease = rng.beta(4, 2, size=tasks)
    own = np.clip(ease + rng.normal(0, 0.15, size=(2, tasks)), 0, 1)
    return rng.binomial(runs, np.clip(own + np.array([[gain], [0]]), 0, 1)) / runs


def spread_of_runs(tasks: int, runs: int, gain: float) -> PairSpread:
    """Return the spread of such systems, measured on many tasks, as of `tasks` tasks."""
    many, each = 400_000, 2
    single = draw(np.random.default_rng(3), many, each, gain)
    within = (2 * single * (1 - single)).mean(axis=1)
    by_runs = draw(np.random.default_rng(3), many, runs, gain)
    differences = by_runs[0] - by_runs[1]
    variance = differences.var() / tasks
    return PairSpread(
        tasks=tasks,
        difference=differences.mean(),
        variance=variance,
        null_variance=variance,
        run_variances=tuple(within / tasks) if runs > 1 else None,
        runs=(runs, runs),
        degrees_of_freedom=tasks - 1,
    )


def found_share(tasks: int, runs: int, gain: float, alpha: float) -> float:
    rng = np.random.default_rng(4)
    tests = 3_000
    found = [pairwise_p(draw(rng, tasks, runs, gain))[0, 1] < alpha for _ in range(tests)]
    return sum(found) / tests


@pytest.mark.long
@pytest.mark.parametrize(("gain", "alpha"), [(0.04, 0.05), (0.05, 0.001)])
def test_with_the_tasks_needed_the_t_test_of_several_runs_finds_four_of_five_differences(gain, alpha):
    tasks = tasks_needed(spread_of_runs(60, 3, gain), alpha=alpha)
    assert found_share(tasks, 3, gain, alpha) == pytest.approx(0.8, abs=0.03)


@pytest.mark.long
@pytest.mark.parametrize(("tasks", "gain", "alpha"), [(300, 0.06, 0.05), (500, 0.06, 0.002)])
def test_with_the_runs_needed_the_same_tasks_find_four_of_five_differences(tasks, gain, alpha):
    runs = runs_needed(spread_of_runs(tasks, 2, gain), alpha=alpha, most=MOST_RUNS)
    assert 2 < runs <= MOST_RUNS
    assert found_share(tasks, runs, gain, alpha) > 0.77
    assert found_share(tasks, runs - 1, gain, alpha) < 0.82


def test_no_number_of_runs_is_enough_where_the_tasks_alone_vary_too_much():
    assert runs_needed(spread_of_runs(50, 2, 0.02), alpha=0.05, most=MOST_RUNS) is None
    assert runs_needed(spread_of(0.06, 0.05), alpha=0.05, most=MOST_RUNS) is None


def test_a_difference_that_would_take_a_hundred_times_the_tasks_is_out_of_reach():
    assert tasks_needed(spread_of(0.1, 0.099), alpha=0.05) is None
