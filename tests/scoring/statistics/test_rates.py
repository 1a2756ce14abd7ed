"""The Wilson interval."""

import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from wardboard.scoring.statistics import wilson_interval
from wardboard.scoring.verdicts import Rate

counts = st.integers(1, 5000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@given(counts)
def test_the_interval_agrees_with_statsmodels_within_0_and_1_and_contains_the_rate(counts):
    from statsmodels.stats.proportion import proportion_confint

    right, total = counts
    low, high = wilson_interval(right, total)
    assert (low, high) == pytest.approx(proportion_confint(right, total, method="wilson"), abs=1e-12)
    assert 0 <= low <= right / total <= high <= 1
    assert low < high
    # Exactly: a hair beyond 0 or 1 would be printed.
    assert (low == 0.0) == (right == 0)
    assert (high == 1.0) == (right == total)


def test_an_invalid_rate_is_refused_and_one_over_nothing_is_unknown():
    for right, total in ((-1, 10), (11, 10), (0, 0), (1, -1)):
        with pytest.raises(ValueError, match="is not a rate"):
            wilson_interval(right, total)
    assert (Rate(right=0, total=0).rate, Rate(right=0, total=0).interval) == (None, None)
    range_of = Rate(right=60, total=200, runs=2, left_open=40).interval
    assert range_of == (wilson_interval(30, 100)[0], wilson_interval(50, 100)[1])
