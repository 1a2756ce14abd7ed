"""How much runs differ, against figures worked out by hand."""

import itertools
import random

import pytest

from wardboard.scoring.statistics.runs import pass_chances, run_spread

# Four tasks: right in all three runs, in two, in one, in none.
RUNS = [
    [True, True, False, False],
    [True, True, True, False],
    [True, False, False, False],
]


def test_three_runs_have_the_spread_worked_out_by_hand():
    spread = run_spread(RUNS)
    # Rates 1/2, 3/4, 1/4: mean 1/2, squared differences 0, 1/16, 1/16, over two.
    assert spread.deviation == pytest.approx(0.25)
    # k = 1: (3 + 2 + 1 + 0) / 12. k = 2: (3 + 1 + 0 + 0) / (3 x 4). k = 3: one task of four.
    assert spread.passes == pytest.approx((6 / 12, 4 / 12, 1 / 4))
    # The second and the third task.
    assert spread.flips == 0.5


def test_equal_runs_do_not_differ():
    spread = run_spread([[True, False, True]] * 5)
    assert (spread.deviation, spread.flips) == (0, 0)
    assert spread.passes == pytest.approx([2 / 3] * 5)


def test_pass_power_is_the_mean_over_all_ways_to_draw_runs():
    chance = random.Random(7)
    runs = [[chance.random() < 0.6 for _ in range(9)] for _ in range(6)]
    counts = [sum(task) for task in zip(*runs, strict=True)]
    for k in range(1, 7):
        draws = list(itertools.combinations(runs, k))
        right = sum(all(run[task] for run in draw) for draw in draws for task in range(9))
        assert sum(pass_chances(counts, 6, k)) == pytest.approx(right / len(draws))


def test_runs_that_have_no_spread_or_cannot_be_drawn_are_refused():
    for runs in ([], [[True]], [[], []], [[True], [True, False]]):
        with pytest.raises(ValueError, match="two runs or more"):
            run_spread(runs)
    for counts, number, k in (([], 2, 1), ([1], 2, 0), ([1], 2, 3), ([3], 2, 1)):
        with pytest.raises(ValueError, match="cannot be drawn"):
            pass_chances(counts, number, k)
