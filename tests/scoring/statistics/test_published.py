"""Rows of which only a rate was published are ranked with their own noise."""

import numpy as np
import pytest

from wardboard.scoring.statistics.clusters import Clustering, rate_interval
from wardboard.scoring.statistics.comparisons import pairwise_p
from wardboard.scoring.statistics.published import PublishedRate, effective_tasks, join_published
from wardboard.scoring.statistics.rank_claims import claims_from_p


@pytest.fixture(scope="module")
def scores():
    """Return two systems with 300 tasks, of which they solve 210 and 150."""
    return (np.arange(300) < np.array([[210], [150]])).astype(float)


def join(scores, *published, clusters=None):
    return join_published(pairwise_p(scores, clusters), scores, published, clusters)


def test_a_pair_with_a_published_row_agrees_with_the_test_of_two_proportions(scores):
    from statsmodels.stats.proportion import proportions_ztest

    p, means = join(scores, PublishedRate(0.62, 500), PublishedRate(0.5, 100))
    assert means.tolist() == [0.7, 0.5, 0.62, 0.5]
    assert p[0, 2] == pytest.approx(proportions_ztest([210, 310], [300, 500])[1])
    assert p[2, 3] == pytest.approx(proportions_ztest([310, 50], [500, 100])[1])
    assert p[1, 3] == 1
    np.testing.assert_array_equal(p[:2, :2], pairwise_p(scores))
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(np.diag(p), 1)


def test_ranks_take_in_published_rows(scores):
    low, high = claims_from_p(*join(scores, PublishedRate(0.69, 300), PublishedRate(0.1, 300))).ranks
    assert low.tolist() == [1, 3, 1, 4]
    assert high.tolist() == [2, 3, 2, 4]


def test_fewer_tasks_and_clusters_make_a_pair_harder_to_tell_apart(scores):
    clusters, row = [np.arange(300) // 10], PublishedRate(0.6, 300)
    assert join(scores, PublishedRate(0.6, 30)).p[0, 2] > 0.2
    assert join(scores, PublishedRate(0.6, 3000)).p[0, 2] < 0.01
    assert join(scores, row, clusters=clusters).p[0, 2] > 1.5 * join(scores, row).p[0, 2]


def test_the_effective_number_of_tasks_is_that_of_the_interval(scores):
    clusters = [np.arange(300) // 10]
    rows = np.vstack([scores, np.zeros(300), np.ones(300), np.arange(300) % 2])
    effective = effective_tasks(rows, Clustering(clusters, 300))
    expected = [300 / rate_interval(row, clusters).design_effect for row in rows]
    np.testing.assert_allclose(effective, expected)
    assert effective.tolist()[2:] == [300, 300, 300]


def test_extreme_rates_have_a_p(scores):
    p, _ = join(np.vstack([scores, np.ones(300)]), PublishedRate(1.0, 300), PublishedRate(0.0, 300))
    assert p[2, 3] == 1
    assert 0 < p[3, 4] < 1e-100


def test_what_is_no_published_rate_and_p_values_of_other_systems_are_errors(scores):
    for row in (PublishedRate(1.2, 300), PublishedRate(0.5, 0), PublishedRate(np.nan, 3)):
        with pytest.raises(ValueError, match="not a rate"):
            join(scores, row)
    with pytest.raises(ValueError, match="does not fit"):
        join_published(np.ones((3, 3)), scores, [])


def test_open_answers_count_against_the_claim_of_either_side():
    lower, upper = np.zeros((1, 500)), np.zeros((1, 500))
    lower[0, :300], upper[0, :400] = 1, 1
    ahead = join_published(np.ones((1, 1)), lower, [PublishedRate(0.4, 500)], upper=upper)
    assert ahead.p[0, 1] == join(lower, PublishedRate(0.4, 500)).p[0, 1] < 0.001
    behind = join_published(np.ones((1, 1)), lower, [PublishedRate(0.75, 500)], upper=upper)
    assert behind.p[0, 1] == 1
    assert join(lower, PublishedRate(0.75, 500)).p[0, 1] < 0.001
    some = join_published(np.ones((1, 1)), lower, [PublishedRate(0.9, 500)], upper=upper)
    assert some.p[0, 1] == pytest.approx(join(upper, PublishedRate(0.9, 500)).p[0, 1])
    row = PublishedRate(0.4, 500, 0.7)
    assert join_published(np.ones((1, 1)), lower, [row], upper=lower).p[0, 1] == 1
    np.testing.assert_array_equal(some.p, some.p.T)
