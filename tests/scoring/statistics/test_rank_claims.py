"""Intervals of ranks, and systems tied for first, from tests of all pairs."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support.examples import given
from wardboard.scoring.statistics.comparisons import pairwise_p
from wardboard.scoring.statistics.rank_claims import Claims, claims_from_p, holm_adjust, holm_pairs

p_values = st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0])


def claims_of(scores, clusters=None, level=0.95) -> Claims:
    """Return the claims that follow from the tests of all pairs of systems."""
    return claims_from_p(pairwise_p(scores, clusters), np.mean(scores, axis=1), level)


@st.composite
def boards_with_tests(draw):
    """Draw p of all pairs, symmetric, and the means of the systems."""
    systems = draw(st.integers(1, 8))
    upper = np.triu(draw(arrays(np.float64, (systems, systems), elements=p_values)), 1)
    means = draw(arrays(np.float64, systems, elements=st.sampled_from([0.1, 0.25, 0.5, 0.9])))
    return upper + upper.T + np.eye(systems), means


@given(values=st.lists(p_values, max_size=20))
def test_holm_agrees_with_statsmodels(monkeypatch, values):
    # statsmodels calls it, which takes a tenth of a second each time where many modules are imported.
    from statsmodels.stats.multitest import multipletests

    monkeypatch.setattr("gc.collect", lambda: 0)
    expected = multipletests(values, method="holm")[1] if values else []
    np.testing.assert_allclose(holm_adjust(values), expected, rtol=1e-12)


@given(boards_with_tests(), st.randoms(use_true_random=False))
def test_all_claims_follow_from_one_and_none_contradicts_another(board, random):
    p, means = board
    claims, pairs = claims_from_p(p, means), holm_pairs(p)
    first, second = np.triu_indices(len(p), 1)
    np.testing.assert_allclose(pairs[first, second], holm_adjust(p[first, second]))
    np.testing.assert_array_equal(pairs, pairs.T)
    np.testing.assert_array_equal(np.diag(pairs), 1)
    # A pair differs significantly exactly below the last bound of Holm.
    is_ahead = means[np.newaxis] > means[:, np.newaxis]
    np.testing.assert_array_equal(claims.better, (p * claims.undecided < 0.05) & is_ahead)
    # As many are better as are worse, and tied for first is who has an interval that begins at 1.
    low, high = claims.ranks
    assert (low - 1).sum() == (len(low) - high).sum()
    np.testing.assert_array_equal(claims.tied, low == 1)
    np.testing.assert_array_equal(claims.tied, ~claims.better.any(axis=1))
    assert claims.tied[means == means.max()].all()
    # An interval holds the rank by the mean.
    rank = 1 + is_ahead.sum(axis=1)
    assert ((low >= 1) & (low <= rank) & (rank <= high) & (high <= len(means))).all()
    order = list(range(len(means)))
    random.shuffle(order)
    moved = claims_from_p(p[np.ix_(order, order)], means[order])
    np.testing.assert_array_equal(moved.ranks.low, low[order])
    np.testing.assert_array_equal(moved.ranks.high, high[order])


def test_ranks_agree_with_a_case_computed_by_hand():
    # Three times .01 is below .05; twice .03 is not.
    p = np.array([[1, 0.3, 0.01], [0.3, 1, 0.03], [0.01, 0.03, 1]])
    low, high = claims_from_p(p, [0.9, 0.8, 0.5]).ranks
    assert low.tolist() == [1, 1, 2]
    assert high.tolist() == [2, 3, 3]
    assert claims_from_p(p, [0.9, 0.8, 0.5]).undecided == 2
    assert claims_from_p(p, [0.9, 0.8, 0.5]).tied.tolist() == [True, True, False]


def test_ranks_of_a_chain_and_of_a_board_of_different_systems():
    # The last one is significant once those before it are.
    p = np.array([[1, 0.001, 0.04], [0.001, 1, 0.02], [0.04, 0.02, 1]])
    claims = claims_from_p(p, [0.9, 0.6, 0.5])
    assert (claims.ranks.high.tolist(), claims.undecided) == ([1, 2, 3], 1)
    claims = claims_of(np.tril(np.ones((4, 4))).repeat(100, axis=1))
    assert claims.ranks.low.tolist() == claims.ranks.high.tolist() == [4, 3, 2, 1]
    assert claims.tied.tolist() == [False, False, False, True]
    alone = claims_of([[1.0, 0.0]])
    assert (alone.ranks.low, alone.ranks.high, alone.tied) == (1, 1, True)


def test_tests_that_do_not_fit_and_what_is_no_level_are_errors():
    for p, means, message in (
        ([[1.0]], [0.5, 0.6], "do not fit"),
        ([[1.0, np.nan], [np.nan, 1.0]], [0.5, 0.6], "not a number"),
        ([[1.0, 0.5], [0.5, 1.0]], [0.5, np.nan], "not a number"),
    ):
        with pytest.raises(ValueError, match=message):
            claims_from_p(p, means)
    for level in (0, 1, 95):
        with pytest.raises(ValueError, match="not a level"):
            claims_from_p([[1.0]], [0.5], level)
