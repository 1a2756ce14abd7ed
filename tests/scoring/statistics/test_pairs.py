"""The Wilson interval, counts of two systems and the interval of their difference, by definitions."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from wardboard.scoring.statistics import difference_interval, wilson_interval
from wardboard.scoring.statistics.pairs import PairedTable, paired_table
from wardboard.scoring.verdicts import Rate

tables = st.tuples(*[st.integers(0, 400)] * 4).filter(any)


def test_the_table_of_a_pair():
    a, b = [1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]
    assert paired_table(a, b) == PairedTable(both=2, only_a=1, only_b=1, neither=2)
    with pytest.raises(ValueError, match="not a pair"):
        paired_table(a, b[1:])


def test_of_means_over_runs_the_higher_counts_as_the_only_one():
    assert paired_table([0.6, 0.2, 0.4, 0.0], [0.4, 1.0, 0.4, 0.0]) == PairedTable(1, 1, 1, 1)


@given(tables)
def test_the_interval_combines_wilson_intervals_as_newcombe_does(table):
    from statsmodels.stats.proportion import proportion_confint

    total = sum(table)
    a = np.repeat([1, 1, 0, 0], table)
    b = np.repeat([1, 0, 1, 0], table)
    phi = 0.0
    if a.std() and b.std():
        # The correlation; half a task is subtracted from the numerator if it is above 0.
        spared = total / 2 / (total**2 * a.std() * b.std())
        phi = np.corrcoef(a, b)[0, 1]
        phi = max(0, phi - spared) if phi > 0 else phi
    (low_a, high_a), (low_b, high_b) = (proportion_confint(x.sum(), total, method="wilson") for x in (a, b))
    below = np.array([a.mean() - low_a, high_b - b.mean()])
    above = np.array([high_a - a.mean(), b.mean() - low_b])
    joined = np.array([[1, -phi], [-phi, 1]])
    difference, low, high = difference_interval(*table)
    assert -1 <= low <= difference <= high <= 1
    assert difference == pytest.approx(a.mean() - b.mean())
    # Squared, because a root near 0 magnifies rounding.
    assert (difference - low) ** 2 == pytest.approx(below @ joined @ below, abs=1e-12)
    assert (high - difference) ** 2 == pytest.approx(above @ joined @ above, abs=1e-12)


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
