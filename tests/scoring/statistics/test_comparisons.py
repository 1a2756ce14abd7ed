"""Tests of all pairs, against scipy, every flip of signs and cases by hand; and claims of ranks from them."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support.examples import given
from wardboard.scoring.statistics.comparisons import mcnemar_mid_p, pairwise_p
from wardboard.scoring.statistics.open_answers import claim_p
from wardboard.scoring.statistics.power import smallest_detectable_difference, tasks_to_detect
from wardboard.scoring.statistics.rank_claims import Claims, claims_from_p, holm_adjust, holm_pairs

numbers = st.integers(0, 60) | st.integers(0, 3000)


@st.composite
def boards(draw, values=(0.0, 0.2, 0.5, 1.0)):
    """Draw scores of systems, and no clusters or one or two dimensions of them."""
    systems, tasks = draw(st.integers(1, 6)), draw(st.integers(1, 30))
    scores = draw(arrays(np.float64, (systems, tasks), elements=st.sampled_from(values)))
    labels = arrays(np.int64, tasks, elements=st.integers(0, 5))
    return scores, draw(st.none() | st.lists(labels, min_size=1, max_size=3))


@given(numbers, numbers)
def test_the_mid_p_is_the_exact_p_less_the_probability_of_what_was_observed(only_a, only_b):
    from scipy.stats import binom

    fewer, n = min(only_a, only_b), only_a + only_b
    expected = min(1.0, 2 * binom.cdf(fewer, n, 0.5) - binom.pmf(fewer, n, 0.5))
    assert mcnemar_mid_p(only_a, only_b) == pytest.approx(max(expected, 0), rel=1e-7, abs=1e-250)


def test_verdicts_are_compared_by_the_mid_p_of_their_discordant_tasks():
    rng = np.random.default_rng(1)
    right = rng.random((5, 300)) < np.array([[0.9], [0.85], [0.8], [0.5], [0.1]])
    p = pairwise_p(right.astype(float))
    for a, b in combinations(range(5), 2):
        only_a, only_b = np.count_nonzero(right[a] & ~right[b]), np.count_nonzero(right[b] & ~right[a])
        assert p[a, b] == mcnemar_mid_p(only_a, only_b)


def test_shares_of_runs_are_compared_by_the_paired_t_test():
    from scipy.stats import ttest_rel

    scores = np.random.default_rng(2).integers(0, 6, (4, 120)) / 5
    p = pairwise_p(scores)
    for a, b in combinations(range(4), 2):
        assert p[a, b] == pytest.approx(ttest_rel(scores[a], scores[b]).pvalue, rel=1e-9)


@pytest.mark.parametrize("clusters", [9, 12, 16])
def test_clusters_are_compared_by_all_flips_of_their_signs(clusters):
    rng = np.random.default_rng(4)
    labels = [rng.integers(0, clusters, 120), np.arange(120)]
    scores = rng.integers(0, 2, (6, 120)) * 1.0
    scores[0] = rng.random(120) < 0.8
    p = pairwise_p(scores, labels)
    flips = np.array(list(product((-1, 1), repeat=clusters)))
    for a, b in combinations(range(6), 2):
        sums = np.bincount(labels[0], scores[a] - scores[b])
        totals, observed = np.abs(flips @ sums), abs(sums.sum())
        mid_p = np.mean(totals > observed) + np.mean(totals == observed) / 2
        assert p[a, b] == pytest.approx(mid_p, rel=0.1)
    # Where no cluster speaks against it, p is exact: half of two flips in 2**clusters.
    assert pairwise_p([[1.0] * 120, [0.0] * 120], labels)[0, 1] == pytest.approx(0.5**clusters)


def test_clusters_of_one_task_are_compared_as_by_mcnemar_and_crossed_ones_count_for_fewer():
    rng = np.random.default_rng(6)
    scores = (rng.random((2, 300)) < [[0.7], [0.6]]) * 1.0
    by_task = pairwise_p(scores, [np.arange(300)])[0, 1]
    assert by_task == pytest.approx(pairwise_p(scores)[0, 1], rel=0.02)
    # In each row and column of tasks the same system is ahead.
    scores = np.stack([np.tile([1.0, 1, 1, 0], 75), np.tile([0.0, 0, 0, 1], 75)])
    rows, columns = np.arange(300) // 15, np.arange(300) % 12
    alone, crossed = (pairwise_p(scores, of)[0, 1] for of in ([columns], [rows, columns]))
    assert alone <= crossed


@given(boards(), st.randoms(use_true_random=False))
def test_a_p_depends_on_nothing_but_the_scores_of_its_two_systems(board, random):
    scores, clusters = board
    p, means = pairwise_p(scores, clusters), scores.mean(axis=1)
    assert p.shape == (len(scores), len(scores))
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(np.diag(p), 1)
    assert ((p > 0) & (p <= 1)).all()
    assert (p[np.abs(means[:, np.newaxis] - means) < 1e-13] > 0.999).all()
    np.testing.assert_allclose(pairwise_p(scores[:2], clusters), p[:2, :2], rtol=1e-6, atol=1e-9)
    systems, tasks = map(list, map(range, scores.shape))
    random.shuffle(systems)
    random.shuffle(tasks)
    renamed = None if clusters is None else [7 - 3 * labels[tasks] for labels in clusters]
    moved = pairwise_p(scores[np.ix_(systems, tasks)], renamed)
    np.testing.assert_allclose(moved, p[np.ix_(systems, systems)], rtol=1e-6, atol=1e-9)


def test_what_is_no_score_or_does_not_fit_is_an_error():
    for bad in (np.nan, -0.1, 1.1, np.inf):
        with pytest.raises(ValueError, match="0 to 1"):
            pairwise_p([[0.0, 1.0], [bad, 1.0]])
    for shape in ((3,), (2, 0), (2, 2, 2)):
        with pytest.raises(ValueError, match="systems x tasks"):
            pairwise_p(np.zeros(shape))
    for clusters in ([], [[1, 2]], [[1, 2, np.nan]], [[[1], [2], [3]]]):
        with pytest.raises(ValueError, match=r"cluster|fit"):
            pairwise_p(np.zeros((2, 3)), clusters)
    with pytest.raises(ValueError, match="negative"):
        mcnemar_mid_p([1, -1], [0, 0])


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


@pytest.mark.parametrize(("tasks", "difference"), [(300, 0.0721), (2931, 0.0231)])
def test_the_difference_for_a_fifth_of_discordant_tasks_is_known(tasks, difference):
    found = smallest_detectable_difference(tasks, 0.2)
    assert found == pytest.approx(difference, abs=5e-5)
    assert tasks_to_detect(found, 0.2) == pytest.approx(tasks, rel=0.01)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.9])
def test_the_mid_p_test_finds_such_a_difference_with_the_power_that_was_asked_for(power):
    difference = smallest_detectable_difference(300, 0.2, power)
    only_a, only_b = (0.2 + difference) / 2, (0.2 - difference) / 2
    drawn = np.random.default_rng(1).multinomial(300, [only_a, only_b, 0.8], size=40_000)
    found = (mcnemar_mid_p(drawn[:, 0], drawn[:, 1]) < 0.05).mean()
    assert found == pytest.approx(power, abs=0.02)


def test_no_difference_is_found_where_hardly_any_task_is_discordant():
    assert smallest_detectable_difference(300, 0) is None
    assert smallest_detectable_difference(10, 0.2) is None


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
