"""The exact test of two systems with different numbers of runs, within each task.

A mean over ten runs varies less on a task than a single answer does, and near rates of 0 and 1 the single
answers may all happen to be alike. A paired t-test takes its standard error from the differences it sees, so
it misses the variation that one lucky run does not show. This test does not: given how many of all the runs
of two equal systems got a task right, each choice of the runs is as likely to be the right ones. So the
number of one system is hypergeometric within a task, and independent between tasks.

The test alone is of the hypothesis that both systems have the same chance on every single task. Where each
does better on other tasks, the t-test is the stricter one, so `comparisons` takes the larger p of the two.

Sources: Cox, Analysis of Binary Data (1970), section 4.3, and Agresti, Categorical Data Analysis (2013),
section 7.3, for strata of two binomials; Lancaster, J. Am. Stat. Assoc. 56 (1961) 223-234, for mid-p;
Gil-Pelaez, Biometrika 38 (1951) 481-482, for a distribution function from a characteristic function.
"""

import numpy as np
import numpy.typing as npt
import scipy  # type: ignore[import-untyped]

Floats = npt.NDArray[np.float64]
Runs = npt.NDArray[np.int64]

# Sums of rounded terms are exact to about this; a smaller p is raised to it.
SMALLEST_WITHIN_TASKS = 1e-12
# The logarithm of the share of a distribution that may be neglected.
_NEGLIGIBLE = 37.0
# Pairs that are worked out at a time, which bounds the memory.
_PAIRS_AT_A_TIME = 2**16
# A score times the number of runs may be this far from a whole number.
_ROUNDING = 1e-6


def within_tasks_p(
    scores: Floats, runs: Runs, others: Floats | None = None, other_runs: Runs | None = None
) -> Floats:
    """Return the two-sided mid-p of each pair with different numbers of runs, and 0 of any other pair.

    scores: systems x tasks, the share of a system's runs that were right. runs: of each system, 1 or more.
    others, other_runs: the second systems of the pairs; None for all pairs of `scores`, which is symmetric.
    Returns systems x others. Raises ValueError unless a score times the number of runs is a whole number.
    """
    p = np.zeros((len(scores), len(scores if others is None else others)))
    counts = right_runs(scores, runs)
    is_same = others is None or other_runs is None
    other_counts, second_runs = counts, runs
    if others is not None and other_runs is not None:
        other_counts, second_runs = right_runs(others, other_runs), other_runs
    for first in np.unique(runs):
        for second in np.unique(second_runs):
            # The smaller number of runs has fewer possible counts; and both orders of a pair have one p.
            if first == second or (is_same and first > second):
                continue
            rows, columns = np.flatnonzero(runs == first), np.flatnonzero(second_runs == second)
            step = max(1, _PAIRS_AT_A_TIME // columns.size)
            for start in range(0, rows.size, step):
                part = rows[start : start + step]
                p[np.ix_(part, columns)] = _group_p(
                    counts[part], other_counts[columns], int(first), int(second)
                )
    return np.maximum(p, p.T) if is_same else p


def within_tasks_variance(counts: Runs, others: Runs, runs: int, other_runs: int) -> float:
    """Return the variance of the difference of two means under the hypothesis of `within_tasks_p`.

    counts, others: how many of the runs of each system got a task right.
    """
    both = np.bincount(counts + others, minlength=runs + other_runs + 1)
    return float(both @ _variances(runs, other_runs)) * (1 / runs + 1 / other_runs) ** 2 / counts.size**2


def right_runs(scores: Floats, runs: Runs) -> Runs:
    """Return how many runs got each task right: systems x tasks.

    Raises ValueError unless the scores are shares of that many runs.
    """
    if runs.shape != (len(scores),) or (runs < 1).any():
        raise ValueError(f"numbers of runs of shape {runs.shape} do not fit {len(scores)} systems")
    products = scores * runs[:, np.newaxis]
    counts = np.rint(products)
    if (np.abs(products - counts) > _ROUNDING).any():
        raise ValueError("a score is not a share of the runs")
    return counts.astype(np.int64)


def _group_p(counts: Runs, others: Runs, runs: int, other_runs: int) -> Floats:
    """Return the p of each of `counts` and each of `others`, which have these different numbers of runs."""
    # For each pair the number of tasks by the runs of both that got them right: pairs x numbers.
    # Whole numbers of tasks below 2**24 are exact in float32. The last axis is the longest, for speed.
    sums = np.zeros((runs + other_runs + 1, len(counts), len(others)), dtype=np.float32)
    columns = [(others == number).astype(np.float32).T for number in range(other_runs + 1)]
    for number in range(runs + 1):
        rows = (counts == number).astype(np.float32)
        for other_number, column in enumerate(columns):
            sums[number + other_number] += rows @ column
    tally = sums.reshape(len(sums), -1).T.astype(np.float64)
    both = np.arange(runs + other_runs + 1)
    # How many of the right answers are the first system's, what is expected, and how far both can be apart.
    observed = np.repeat(counts.sum(axis=1), len(others))
    expected = tally @ (both * (runs / (runs + other_runs)))
    span = tally @ (np.minimum(both, runs) - np.maximum(both - other_runs, 0))
    variance = tally @ _variances(runs, other_runs)
    # Bernstein's bound: beyond it lies less than what may be neglected.
    tail = _NEGLIGIBLE / 3 + np.sqrt(_NEGLIGIBLE**2 / 9 + 2 * _NEGLIGIBLE * variance)
    reach = np.minimum(span, tail + np.abs(observed - expected))
    sizes = 2 ** np.ceil(np.log2(reach + 2)).astype(np.int64)
    p = np.empty(sizes.size)
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        angles = _angles(int(size), float(variance[chosen].min()))
        # The characteristic function of the first system's right answers of a task: right of both x angles.
        total = runs + other_runs
        right, own = np.arange(total + 1)[:, np.newaxis], np.arange(runs + 1)
        comb = scipy.special.comb
        weights = comb(runs, own) * comb(other_runs, right - own) / comb(total, right)
        phi = np.asarray(weights @ np.exp(1j * own[:, np.newaxis] * angles), dtype=np.complex128)
        p[chosen] = 1 - np.abs(_signs(tally[chosen], observed[chosen], phi, angles, int(size)))
    return np.clip(p, SMALLEST_WITHIN_TASKS, 1.0).reshape(len(counts), len(others))


def _variances(runs: int, other_runs: int) -> Floats:
    """Return the variance of the first system's right answers of a task, by those of both systems."""
    total = runs + other_runs
    right = np.arange(total + 1)
    variances = runs * other_runs * right * (total - right) / (total**2 * (total - 1))
    return np.asarray(variances, dtype=np.float64)


def _angles(size: int, variance: float) -> Floats:
    """Return the angles at which a characteristic function counts. variance: the least of those meant.

    A hypergeometric variable is a sum of independent ones that are 0 or 1, so that the absolute value at the
    angle t is at most exp(-variance * (1 - cos t)).
    """
    angles = np.pi * np.arange(1, size, 2) / size
    counts = variance * (1 - np.cos(angles)) < _NEGLIGIBLE
    counts[0] = True
    return np.asarray(angles[counts], dtype=np.float64)


def _signs(
    tally: Floats, observed: Runs, phi: npt.NDArray[np.complex128], angles: Floats, size: int
) -> Floats:
    """Return P(S > observed) - P(S < observed) of each pair, with S the first system's right answers.

    phi: the characteristic function of one task at the angles, by the right answers of both
    size: even, and larger than the distance of `observed` from any value that S takes
    The sign of a whole number k with |k| < size is 2 / size times the sum over odd m < size of
    cot(pi * m / (2 * size)) * sin(pi * m * k / size), the Fourier series of a square wave.
    """
    magnitudes = np.exp(tally @ np.log(np.maximum(np.abs(phi), 1e-300)))
    # Whole turns do not matter, since every number of tasks is whole.
    turns = tally @ np.angle(phi) - observed[:, np.newaxis] * angles
    return np.asarray((magnitudes * np.sin(turns)) @ (2 / size / np.tan(angles / 2)), dtype=np.float64)
