"""Counts of two systems and the interval of their difference, against published cases and definitions."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from wardboard.scoring.statistics import difference_interval
from wardboard.scoring.statistics.pairs import PairedTable, paired_table

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
