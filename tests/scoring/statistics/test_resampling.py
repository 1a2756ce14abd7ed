"""How often tasks are drawn in the bootstrap."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from wardboard.scoring.statistics.resampling import task_weights


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=20), st.integers(0, 2**32))
def test_every_resample_keeps_the_sizes_of_the_strata_whatever_they_are_called(strata, seed):
    weights = task_weights(strata, seed=seed, resamples=5)
    for name, size in Counter(strata).items():
        drawn = weights[:, [stratum == name for stratum in strata]]
        assert drawn.sum(axis=1).tolist() == [size] * 5
        assert drawn.min() >= 0
    renamed = [{"a": 7, "b": 0, "c": 3}[stratum] for stratum in strata]
    np.testing.assert_array_equal(task_weights(renamed, seed=seed, resamples=5), weights)


def test_a_task_is_drawn_as_often_as_in_a_multinomial():
    weights = task_weights(np.zeros(50), seed=1, resamples=20_000)
    assert weights.mean(axis=0) == pytest.approx(np.ones(50), abs=0.04)
    assert weights.var(axis=0) == pytest.approx(np.full(50, 1 - 1 / 50), abs=0.07)
    assert np.corrcoef(weights[:, 0], weights[:, 1])[0, 1] == pytest.approx(-1 / 49, abs=0.03)
    for strata in ([], np.zeros(2**24), np.zeros((2, 2))):
        with pytest.raises(ValueError, match="not a list of tasks"):
            task_weights(strata, seed=1, resamples=1)
