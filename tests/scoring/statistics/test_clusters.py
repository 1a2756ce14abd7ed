"""Intervals of means over tasks that share patients or templates."""

import csv

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support.examples import given
from tests.support.shared_data import FHIR_AGENTBENCH, needs_shared
from wardboard.scoring.statistics import wilson_interval
from wardboard.scoring.statistics.clusters import Clustering, clustered_difference, rate_interval
from wardboard.scoring.statistics.comparisons import pairwise_p
from wardboard.scoring.statistics.sign_flips import flipped_difference


@st.composite
def rated_tasks(draw):
    """Draw one system's scores and one to three dimensions of clusters."""
    tasks = draw(st.integers(1, 40))
    scores = draw(arrays(np.float64, tasks, elements=st.sampled_from([0.0, 0.25, 1.0])))
    labels = arrays(np.int64, tasks, elements=st.integers(0, 6))
    return scores, draw(st.lists(labels, min_size=1, max_size=3))


def test_the_variance_by_one_clustering_agrees_with_a_case_computed_by_hand():
    # Mean 1/2; the residuals of the three clusters add up to 1, -1/2 and -1/2.
    scores = np.array([[1, 1, 0, 1, 0, 0.0]])
    clustering = Clustering([[5, 5, 9, 9, 9, 2]], 6)
    assert clustering.variances(scores)[0] == pytest.approx(3 / 2 * (1 + 1 / 4 + 1 / 4) / 36)
    assert clustering.degrees_of_freedom == pytest.approx(36 / 14 - 1)


def test_two_clusterings_give_the_sum_of_both_less_what_they_share():
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 2, (3, 60)).astype(float)
    patients, templates = rng.integers(0, 6, 60), rng.integers(0, 9, 60)
    shared = patients * 100 + templates
    two_way = Clustering([patients, templates], 60)
    parts = [Clustering([labels], 60).variances(scores) for labels in (patients, templates, shared)]
    joined = parts[0] + parts[1] - parts[2]
    expected = np.where(joined > 0, joined, np.maximum(parts[0], parts[1]))
    np.testing.assert_allclose(two_way.variances(scores), expected, rtol=1e-12)
    by_each = [3600 / np.sum(np.bincount(labels) ** 2) - 1 for labels in (patients, templates)]
    assert two_way.degrees_of_freedom == pytest.approx(1 / (1 / by_each[0] + 1 / by_each[1]))


def test_where_no_dimension_shows_variation_tasks_that_share_all_labels_do():
    # In a Latin square each row and each column adds up to the same.
    scores = np.eye(3).reshape(1, 9)
    rows, columns = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    assert Clustering([rows], 9).variances(scores)[0] == 0
    expected = Clustering([np.arange(9)], 9).variances(scores)
    np.testing.assert_allclose(Clustering([rows, columns], 9).variances(scores), expected)


def test_a_dimension_with_one_cluster_is_left_out_and_one_with_nearly_all_tasks_leaves_one_degree():
    scores = np.array([[1, 0, 0, 1, 1, 0.0]])
    patients = [1, 1, 2, 2, 3, 3]
    alone, beside = Clustering([patients], 6), Clustering([[4] * 6, patients], 6)
    assert beside.variances(scores) == alone.variances(scores)
    assert beside.degrees_of_freedom == alone.degrees_of_freedom
    assert Clustering([[4] * 6], 6).degrees_of_freedom == 5
    uneven = [[0] * 99 + [1]]
    assert Clustering(uneven, 100).degrees_of_freedom == 1
    interval = rate_interval(np.arange(100) % 2, uneven)
    assert 0 <= interval.low < 0.2
    assert 0.8 < interval.high <= 1


@given(rated_tasks(), st.randoms(use_true_random=False))
def test_an_interval_is_never_narrower_than_wilsons_and_the_same_for_tasks_in_any_order(task, random):
    scores, clusters = task
    interval, mirrored = rate_interval(scores, clusters), rate_interval(1 - scores, clusters)
    low, high = wilson_interval(scores.sum(), scores.size)
    assert 0 <= interval.low <= low + 1e-12
    assert high - 1e-12 <= interval.high <= 1
    assert interval.low <= interval.figure <= interval.high
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - interval.high, 1 - interval.low), abs=1e-9)
    order = list(range(scores.size))
    random.shuffle(order)
    moved = rate_interval(scores[order], [labels[order] for labels in clusters])
    assert moved == pytest.approx(interval, abs=1e-9)


def test_a_difference_agrees_with_statsmodels():
    from scipy.stats import t
    from statsmodels.regression.linear_model import OLS

    rng = np.random.default_rng(7)
    scores = rng.integers(0, 2, (2, 300)).astype(float)
    clusters = [np.arange(300) % 20, np.arange(300) // 10]
    interval = clustered_difference(scores[0], scores[1], clusters)
    fit = OLS(scores[0] - scores[1], np.ones(300)).fit(
        cov_type="cluster", cov_kwds={"groups": np.stack(clusters, axis=1)}, use_t=True
    )
    # It has the smaller number of clusters less one, where the numbers of both count here.
    half = t.ppf(0.975, 1 / (1 / 19 + 1 / 29)) * fit.bse[0]
    assert (interval.low, interval.high) == pytest.approx((fit.params[0] - half, fit.params[0] + half))


@given(st.integers(0, 10_000))
def test_the_interval_of_a_difference_leaves_out_0_where_the_test_is_significant(seed):
    rng = np.random.default_rng(seed)
    scores = (rng.random((2, 60)) < [[0.7], [0.5]]).astype(float)
    clusters = [rng.integers(0, 9, 60), rng.integers(0, 7, 60)]
    difference, low, high = flipped_difference(scores[0], scores[1], clusters)
    p = pairwise_p(scores, clusters)[0, 1]
    assert -1 <= low <= difference <= high <= 1
    assert (not low <= 0 <= high) == (p < 0.05)


@needs_shared
def test_the_standard_error_of_a_real_agent_is_the_published_one():
    with (FHIR_AGENTBENCH / "real_runs.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    patients = [int(row["patient"]) for row in rows]
    right = np.array([[float(row["run1"]) for row in rows]])
    alone, clustered = (Clustering([labels], len(rows)) for labels in (range(len(rows)), patients))
    assert rate_interval(right[0], [patients]).figure == pytest.approx(0.2876, abs=5e-5)
    assert alone.variances(right)[0] ** 0.5 == pytest.approx(0.0124, abs=5e-5)
    assert clustered.variances(right)[0] ** 0.5 == pytest.approx(0.0239, abs=5e-5)
    assert 50 < clustered.degrees_of_freedom < 93
