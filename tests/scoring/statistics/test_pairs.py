"""Paired tests, intervals and groups, against scipy, statsmodels and cases computed by hand."""

from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from scoring.statistics import difference_interval
from scoring.statistics.pairs import (
    PairedTable,
    adjacent_pairs,
    holm,
    mcnemar,
    mcnemar_all,
    paired_table,
    tie_groups,
)

# Below this, the terms of sums underflow, and libraries lose digits at different places.
VANISHING = 1e-250
numbers = st.integers(0, 60) | st.integers(0, 3000)
p_values = st.lists(st.floats(0, 1), max_size=20)
tables = st.tuples(*[st.integers(0, 400)] * 4).filter(any)


@st.composite
def ordered_boards(draw, most_systems=8, most_tasks=25):
    """Draw verdicts of systems, the best first."""
    tasks = draw(st.integers(1, most_tasks))
    row = st.lists(st.booleans(), min_size=tasks, max_size=tasks)
    rows = draw(st.lists(row, min_size=1, max_size=most_systems))
    return np.array(sorted(rows, key=sum, reverse=True))


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (0, 0, 1),  # no task differs
        (0, 5, 2 / 32),
        (0, 6, 2 / 64),
        (1, 7, 2 * (1 + 8) / 256),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
        (5, 5, 1),
        (4, 5, 1),
    ],
)
def test_mcnemar_agrees_with_values_computed_by_hand(only_a, only_b, p):
    assert mcnemar(only_a, only_b) == pytest.approx(p, rel=1e-12)


@given(numbers, numbers)
def test_mcnemar_agrees_with_scipy_and_statsmodels(only_a, only_b):
    p = mcnemar(only_a, only_b)
    if only_a + only_b:
        assert p == pytest.approx(binomtest(only_a, only_a + only_b).pvalue, rel=1e-8, abs=VANISHING)
    assert p == pytest.approx(statsmodels_mcnemar([[3, only_a], [only_b, 4]]).pvalue, rel=1e-8, abs=VANISHING)
    assert p == mcnemar(only_b, only_a)


def test_testing_many_pairs_at_once_gives_the_same_p_values():
    pairs = [(0, 0), (1, 7), (30, 12), (0, 2931)]
    assert mcnemar_all(*zip(*pairs, strict=True)).tolist() == [mcnemar(*pair) for pair in pairs]


def test_a_negative_number_of_tasks_is_refused():
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 3)


def test_holm_agrees_with_values_computed_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


@given(p_values)
def test_holm_agrees_with_statsmodels(p):
    # statsmodels collects garbage each time, and the tests have a large heap.
    with patch("gc.collect"):
        expected = multipletests(p, method="holm")[1].tolist() if p else []
    assert holm(p) == pytest.approx(expected, abs=1e-15)


@given(p_values, st.randoms())
def test_holm_keeps_the_order_it_is_given(p, random):
    order = random.sample(range(len(p)), len(p))
    adjusted = holm(p)
    assert holm([p[number] for number in order]) == [adjusted[number] for number in order]
    assert all(before <= after for before, after in zip(p, adjusted, strict=True))


def test_the_table_of_a_pair():
    a, b = [1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]
    assert paired_table(a, b) == PairedTable(both=2, only_a=1, only_b=1, neither=2)
    with pytest.raises(ValueError, match="not a pair"):
        paired_table(a, b[1:])


@given(ordered_boards())
def test_adjacent_pairs_are_each_system_with_the_next(verdicts):
    adjacent = adjacent_pairs(verdicts)
    expected = [paired_table(a, b) for a, b in pairwise(verdicts)]
    assert [pair.table for pair in adjacent] == expected
    assert [pair.p for pair in adjacent] == [mcnemar(table.only_a, table.only_b) for table in expected]
    assert [pair.p_holm for pair in adjacent] == holm([pair.p for pair in adjacent])
    assert all(sum(table) == verdicts.shape[1] for table in expected)


def test_no_systems_and_one_system_have_no_pairs():
    assert adjacent_pairs(np.empty((0, 4))) == []
    assert adjacent_pairs(np.ones((1, 4))) == []


def groups_by_definition(verdicts, alpha=0.05):
    groups, best = [], None
    for row in verdicts:
        if best is None or mcnemar((best & ~row).sum(), (row & ~best).sum()) < alpha:
            groups.append(groups[-1] + 1 if groups else 1)
            best = row
        else:
            groups.append(groups[-1])
    return groups


@given(ordered_boards(), st.sampled_from([0.01, 0.05, 0.5]))
def test_a_group_holds_the_systems_statistically_tied_with_its_best(verdicts, alpha):
    assert tie_groups(verdicts, alpha=alpha) == groups_by_definition(verdicts, alpha)


def test_a_group_larger_than_one_batch_is_found():
    rng = np.random.default_rng(5)
    verdicts = rng.random((400, 60)) < np.linspace(0.8, 0.3, 400)[:, np.newaxis]
    verdicts = verdicts[np.argsort(-verdicts.sum(axis=1), kind="stable")]
    groups = tie_groups(verdicts)
    assert groups == groups_by_definition(verdicts)
    assert max(np.bincount(groups)) > 100


def test_a_system_that_lost_six_tasks_and_won_none_begins_a_new_group():
    # Of ten tasks: losing five has p = 2/32, losing six 2/64.
    verdicts = np.array([np.arange(10) < right for right in (10, 5, 4, 4, 0)])
    assert tie_groups(verdicts) == [1, 1, 2, 2, 2]
    assert tie_groups(verdicts, alpha=0.1) == [1, 2, 2, 2, 3]


@given(ordered_boards(), st.randoms())
def test_the_order_of_the_tasks_changes_no_group_and_no_pair(verdicts, random):
    order = random.sample(range(verdicts.shape[1]), verdicts.shape[1])
    assert tie_groups(verdicts[:, order]) == tie_groups(verdicts)
    assert adjacent_pairs(verdicts[:, order]) == adjacent_pairs(verdicts)


def test_no_systems_have_no_groups():
    assert tie_groups(np.empty((0, 4))) == []
    with pytest.raises(ValueError, match="systems x tasks"):
        tie_groups([True, False])


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Altman, Machin, Bryant & Gardner, Statistics with Confidence (2000), table 6.2.
        ((14, 5, 0, 22), 0.011, 0.226),
        # Fagerland, Lydersen & Laake, Stat. Med. 33 (2014) 2850-2875: of Bentur et al. (2009).
        ((1, 1, 7, 12), -0.507, -0.026),
        # phi is 0, because nothing varies: the squared distances to the Wilson bounds of 1 and 0 add up.
        ((0, 10, 0, 0), 1 - 0.2775 * 2**0.5, 1),
    ],
)
def test_differences_agree_with_published_values(table, low, high):
    assert difference_interval(*table)[1:] == pytest.approx((low, high), abs=5e-4)


@given(tables)
def test_the_interval_combines_wilson_intervals_as_newcombe_does(table):
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
    assert difference == pytest.approx(a.mean() - b.mean())
    # Squared, because a root near 0 magnifies rounding.
    assert (difference - low) ** 2 == pytest.approx(below @ joined @ below, abs=1e-12)
    assert (high - difference) ** 2 == pytest.approx(above @ joined @ above, abs=1e-12)


@given(tables)
def test_the_interval_contains_the_difference_and_is_mirrored_for_the_reversed_pair(table):
    both, only_a, only_b, neither = table
    difference, low, high = difference_interval(*table)
    assert -1 <= low <= difference <= high <= 1
    turned = difference_interval(both, only_b, only_a, neither)
    assert turned == pytest.approx((-difference, -high, -low), abs=1e-12)


def test_systems_that_agree_more_have_a_narrower_interval():
    _, low, high = difference_interval(40, 10, 5, 45)
    _, apart_low, apart_high = difference_interval(20, 30, 25, 25)
    assert high - low < apart_high - apart_low


@pytest.mark.parametrize("table", [(0, 0, 0, 0), (5, -1, 2, 3)])
def test_an_invalid_paired_table_is_refused(table):
    with pytest.raises(ValueError, match="not a paired table"):
        difference_interval(*table)
