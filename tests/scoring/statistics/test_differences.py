"""Differences of means of figures per task, such as precision and recall, some of them unknown."""

from math import nan

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support.examples import given
from wardboard.scoring.fhir_agentbench.grading.figures import mean
from wardboard.scoring.statistics.resampling import task_weights, weighted_differences

FEW = 40  # resamples
figures = st.none() | st.floats(0, 1)
paired = st.lists(st.tuples(figures, figures, st.sampled_from("abc")), min_size=1, max_size=12).map(
    lambda rows: [list(column) for column in zip(*rows, strict=True)]
)
seeds = st.integers(0, 2**32)


def paired_differences(rows, pairs, strata=None, *, seed, resamples=2000, **options):
    values = np.array(rows, dtype=np.float64)
    strata = np.zeros(values.shape[1]) if strata is None else strata
    weights = task_weights(strata, seed=seed, resamples=resamples).astype(np.float64)
    return weighted_differences(values, pairs, weights, **options)


def paired_difference(a, b, strata=None, **options):
    (difference,) = paired_differences([a, b], [(0, 1)], strata, **options)
    return difference


def interval_by_definition(a, b, strata, seed):
    """Compute the interval by its definition, with each resample as a list of figures."""
    if mean(a) is None or mean(b) is None:
        return None
    drawn = []
    for weights in task_weights(strata, seed=seed, resamples=FEW):
        means = [mean(np.repeat(np.array(x, dtype=object), weights.astype(int))) for x in (a, b)]
        if None not in means:
            drawn.append(means[0] - means[1])
    if not drawn:
        return None
    difference, drawn = mean(a) - mean(b), sorted(drawn)
    cut = max(1, -(-len(drawn) // 40))  # a fortieth at either end
    return difference, min(difference, drawn[cut - 1]), max(difference, drawn[-cut])


@given(paired, seeds)
def test_the_interval_is_as_defined(rows, seed):
    interval = paired_difference(*rows, seed=seed, resamples=FEW, fewest=1)
    expected = interval_by_definition(*rows, seed)
    assert (interval is None) == (expected is None)
    if expected is not None:
        assert interval == pytest.approx(expected, abs=1e-9)


def test_the_same_figures_do_not_differ_and_without_figures_there_is_no_difference():
    a = np.random.default_rng(1).random(99)
    assert paired_difference(a, a, seed=1) == (0, 0, 0)
    for fewest in (0, 1, 10):
        for b in ([1.0, 0.5], [None, None]):
            assert paired_difference([None, None], b, seed=1, fewest=fewest) is None


def test_with_few_figures_of_one_system_there_is_no_misleadingly_narrow_interval():
    many, nine = [0.5] * 20, [0.25] * 9 + [None] * 11
    assert paired_difference(many, nine, seed=1) is None
    assert paired_difference(nine, many, seed=1) is None
    assert paired_difference(nine, nine, seed=1) is None
    ten = [0.25] * 10 + [None] * 10
    assert paired_difference(many, ten, seed=1) == pytest.approx((0.25, 0.25, 0.25))


def test_comparing_many_pairs_at_once_gives_the_same_differences():
    rows = np.random.default_rng(2).random((4, 50))
    pairs = [(0, 1), (3, 2), (1, 1)]
    differences = paired_differences(rows, pairs, seed=3, resamples=FEW)
    each = [paired_difference(rows[a], rows[b], seed=3, resamples=FEW) for a, b in pairs]
    assert np.array(differences) == pytest.approx(np.array(each), abs=1e-12)


def test_weights_in_single_precision_give_nearly_the_same_differences():
    rows = np.random.default_rng(5).random((3, 80))
    rows[0, :20] = nan
    strata = np.arange(80) % 3
    weights = task_weights(strata, seed=6, resamples=FEW)
    differences = weighted_differences(rows, [(0, 1), (2, 0)], weights)
    expected = paired_differences(rows, [(0, 1), (2, 0)], strata, seed=6, resamples=FEW)
    assert np.array(differences) == pytest.approx(np.array(expected), abs=1e-5)
