"""The smallest difference that a leaderboard can detect."""

import numpy as np
import pytest

from wardboard.scoring.statistics.comparisons import mcnemar_mid_p
from wardboard.scoring.statistics.power import smallest_detectable_difference, tasks_to_detect


@pytest.mark.parametrize(("tasks", "difference"), [(300, 0.0721), (2931, 0.0231)])
def test_the_difference_for_a_fifth_of_discordant_tasks_is_known(tasks, difference):
    found = smallest_detectable_difference(tasks, 0.2)
    assert found == pytest.approx(difference, abs=5e-5)
    assert tasks_to_detect(found, 0.2) == pytest.approx(tasks, rel=0.01)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.9])
def test_the_mid_p_test_finds_such_a_difference_with_the_power_that_was_asked_for(power):
    difference = smallest_detectable_difference(300, 0.2, power)
    only_a, only_b = (0.2 + difference) / 2, (0.2 - difference) / 2
    drawn = np.random.default_rng(1).multinomial(300, [only_a, only_b, 0.8], size=40_000)
    found = (mcnemar_mid_p(drawn[:, 0], drawn[:, 1]) < 0.05).mean()
    assert found == pytest.approx(power, abs=0.02)


def test_no_difference_is_found_where_hardly_any_task_is_discordant():
    assert smallest_detectable_difference(300, 0) is None
    assert smallest_detectable_difference(10, 0.2) is None
