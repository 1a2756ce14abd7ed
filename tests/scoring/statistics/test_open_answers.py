"""Tests with answers that nobody decided, against every way in which they can turn out."""

from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support.examples import given
from wardboard.scoring.statistics.comparisons import pairwise_p
from wardboard.scoring.statistics.open_answers import claim_p
from wardboard.scoring.statistics.rank_claims import claims_from_p

OPEN = 2


def bounds(verdicts):
    """Return lower and upper scores of verdicts: 0, 1 or OPEN."""
    codes = np.asarray(verdicts)
    return (codes == 1).astype(float), (codes != 0).astype(float)


def every_way(verdicts):
    """Yield the scores for every way in which open answers can turn out."""
    codes = np.asarray(verdicts, dtype=float)
    places = np.argwhere(codes == OPEN)
    for values in product((0.0, 1.0), repeat=len(places)):
        scores = codes.copy()
        scores[tuple(places.T)] = values
        yield scores


verdicts_of_two = arrays(np.int64, (2, 12), elements=st.sampled_from([0, 0, 1, 1, 1, OPEN]))


@given(verdicts_of_two.filter(lambda codes: (codes == OPEN).sum() <= 7))
def test_of_independent_tasks_p_is_the_largest_of_all_ways(codes):
    low, _ = bounds(codes)
    p = claim_p(*bounds(codes))[0, 1]
    ways = list(every_way(codes))
    ahead = np.sign(low[0].sum() - low[1].sum())
    holds = [np.sign(way[0].sum() - way[1].sum()) == ahead for way in ways]
    expected = max(pairwise_p(way)[0, 1] for way in ways) if ahead and all(holds) else 1.0
    assert p == pytest.approx(expected, rel=1e-9)


def test_a_claim_that_rests_on_open_answers_is_no_claim():
    # Fourteen tasks to none, but the second may have got as many right.
    codes = np.array([[1] * 14 + [0] * 16, [OPEN] * 14 + [0] * 16])
    low, high = bounds(codes)
    assert pairwise_p(low)[0, 1] == pytest.approx(0.5**14)
    assert claim_p(low, high)[0, 1] == 1
    means = low.mean(axis=1)
    assert claims_from_p(pairwise_p(low), means).tied.tolist() == [True, False]
    claims = claims_from_p(claim_p(low, high), means)
    assert claims.tied.tolist() == [True, True]
    assert claims.ranks.high.tolist() == [2, 2]


@given(st.integers(0, 10_000), st.booleans())
def test_without_open_answers_p_is_that_of_the_scores(seed, is_clustered):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, (4, 40)) / 2
    clusters = [rng.integers(0, 7, 40), rng.integers(0, 9, 40)] if is_clustered else None
    np.testing.assert_array_equal(claim_p(scores, scores, clusters), pairwise_p(scores, clusters))


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("is_clustered", [False, True])
def test_p_is_never_below_that_of_either_end_and_symmetric(runs, is_clustered):
    rng = np.random.default_rng(3)
    low = rng.integers(0, runs + 1, (6, 200)) / runs
    high = np.where(rng.random((6, 200)) < 0.1, 1.0, low)
    clusters = [rng.integers(0, 15, 200), rng.integers(0, 20, 200)] if is_clustered else None
    p = claim_p(low, high, clusters)
    np.testing.assert_array_equal(p, p.T)
    assert (p >= pairwise_p(low, clusters)).all()
    for a, b in product(range(6), repeat=2):
        if low[a].mean() > low[b].mean():
            is_ahead = low[a].mean() > high[b].mean()
            worst = pairwise_p(np.stack([low[a], high[b]]), clusters)[0, 1] if is_ahead else 1.0
            assert p[a, b] == pytest.approx(max(worst, pairwise_p(low, clusters)[a, b]), rel=1e-7)
