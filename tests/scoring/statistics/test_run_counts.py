"""The exact test within tasks: brute force, symmetry, and the type I error that it repairs."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from tests.support.examples import examples, given
from wardboard.scoring.statistics.comparisons import pairwise_p
from wardboard.scoring.statistics.run_counts import right_runs, within_tasks_p, within_tasks_variance

RUNS = st.tuples(st.integers(1, 3), st.integers(1, 3)).filter(lambda runs: runs[0] != runs[1])


def p_of_all_ways(a, b):
    """Return the two-sided mid-p by going through every choice of the runs that are the first system's.

    a, b: for each task the answers of each run, 1 or 0.
    """
    ways = []
    for first, second in zip(a, b, strict=True):
        answers = [*first, *second]
        ways.append([sum(chosen) for chosen in combinations(answers, len(first))])
    sums = np.array([sum(way) for way in product(*ways)])
    observed = sum(map(sum, a))
    lower, level = np.mean(sums < observed), np.mean(sums == observed)
    return min(1.0, 2 * min(lower + level / 2, 1 - lower - level / 2))


@st.composite
def two_systems(draw):
    runs = draw(RUNS)
    answers = [
        [[draw(st.integers(0, 1)) for _ in range(number)] for _ in range(draw(st.just(4)))] for number in runs
    ]
    return runs, answers


@settings(max_examples=examples(60))
@given(two_systems())
def test_p_and_the_variance_are_those_of_every_way_to_choose_the_runs(systems):
    runs, answers = systems
    scores = np.array([np.mean(system, axis=1) for system in answers])
    p = within_tasks_p(scores, np.array(runs))
    assert p[0, 1] == pytest.approx(p_of_all_ways(*answers), abs=1e-12)
    assert p[0, 1] == p[1, 0]
    counts = [np.sum(system, axis=1) for system in answers]
    variance = sum(
        np.var(
            [
                sum(chosen) / runs[0] - (sum(first) + sum(second) - sum(chosen)) / runs[1]
                for chosen in combinations([*first, *second], runs[0])
            ]
        )
        for first, second in zip(*answers, strict=True)
    )
    expected = variance / len(counts[0]) ** 2
    assert within_tasks_variance(*counts, *runs) == pytest.approx(expected, abs=1e-12)


def test_clusters_and_numbers_of_runs_both_count():
    rng = np.random.default_rng(4)
    runs = np.array([1, 10])
    scores = rng.binomial(runs[:, np.newaxis], 0.99, (2, 300)) / runs[:, np.newaxis]
    clusters = [np.arange(300) // 10]
    p = pairwise_p(scores, clusters, runs)[0, 1]
    assert p == max(pairwise_p(scores, clusters)[0, 1], within_tasks_p(scores, runs)[0, 1])


def test_scores_that_are_no_share_of_the_runs_are_an_error():
    with pytest.raises(ValueError, match="not a share of the runs"):
        right_runs(np.array([[0.5, 1.0]]), np.array([3]))
    with pytest.raises(ValueError, match="do not fit"):
        pairwise_p([[0.0, 1.0], [1.0, 1.0]], runs=[1])
