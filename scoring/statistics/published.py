"""Tests with rows of which only a rate was published, so that there are no scores task by task."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # type: ignore[import-untyped]

from wardboard.scoring.statistics.clusters import Clustering, Clusters, Floats, check_scores
from wardboard.scoring.statistics.comparisons import SMALLEST_P
from wardboard.scoring.statistics.open_answers import checked_bounds


class PublishedRate(NamedTuple):
    """A published rate, 0..1, and the number of tasks it is of; where they are clustered, the effective one.

    upper: the rate with all answers right that were left open; None where none were
    """

    rate: float
    tasks: float
    upper: float | None = None

    @property
    def highest(self) -> float:
        return self.rate if self.upper is None else self.upper


class JoinedTests(NamedTuple):
    """The p of all pairs and the mean of each row: the tested systems, then the published rows."""

    p: Floats
    means: Floats


def join_published(
    p: npt.ArrayLike,
    scores: npt.ArrayLike,
    published: Sequence[PublishedRate],
    clusters: Clusters | None = None,
    *,
    upper: npt.ArrayLike | None = None,
) -> JoinedTests:
    """Return the p and means of tested systems and published rows together, for `rank_claims.claims_from_p`.

    p: of the tested systems, as `comparisons.pairwise_p` returns it for `scores` and `clusters`, or
    `open_answers.claim_p` where some answers are open; `upper` then has the scores with all of them right. As
    there, the p of a pair is the larger of that of both lower rates and that of the worst case for the claim.
    A pair with a published row is compared as two unpaired rates, each with its own noise: z is their
    difference over its standard error under a common rate, m * (1 - m) * (1 / n1 + 1 / n2). For a published
    row n is its number of tasks. For a tested system it is the number of tasks over the
    design effect of its clusters (see `clusters.rate_interval`), and with clusters z is compared with
    Student's t. Systems do well on the same tasks, so an unpaired test finds less than a paired one would.
    Raises ValueError for rates outside 0..1, rows of no tasks, or shapes that do not fit.
    Source: Pearson, Philos. Mag. (5) 50 (1900) 157-175, for two independent proportions.
    """
    values = np.ascontiguousarray(scores, dtype=np.float64)
    check_scores(values)
    tested = np.asarray(p, dtype=np.float64)
    if tested.shape != (len(values), len(values)):
        raise ValueError(f"p of shape {tested.shape} does not fit {len(values)} systems")
    if not all(0 <= row.rate <= row.highest <= 1 and row.tasks > 0 for row in published):
        raise ValueError("a published row is not a rate of a number of tasks")
    highest = values if upper is None else checked_bounds(values, upper)[1]
    clustering = None if clusters is None else Clustering(clusters, values.shape[1])
    freedom = np.inf if clustering is None else clustering.degrees_of_freedom or np.inf
    means, tasks = _join(values, [row.rate for row in published], published, clustering)
    tops, top_tasks = _join(highest, [row.highest for row in published], published, clustering)
    joined = _unpaired_p((means, tasks), (means, tasks), freedom)
    worst = np.where(
        means[:, np.newaxis] > tops, _unpaired_p((means, tasks), (tops, top_tasks), freedom), 1.0
    )
    of_leader = np.where(means[:, np.newaxis] > means, worst, worst.T)
    # Sums in another order differ by rounding.
    joined = np.maximum(np.maximum(joined, joined.T), of_leader)
    joined[: len(values), : len(values)] = tested
    return JoinedTests(joined, means)


def _join(
    scores: Floats, rates: Sequence[float], published: Sequence[PublishedRate], clustering: Clustering | None
) -> tuple[Floats, Floats]:
    """Return the rates of tested systems and published rows, and the independent tasks behind them."""
    tasks = np.full(len(scores), float(scores.shape[1]))
    if clustering is not None:
        tasks = effective_tasks(scores, clustering)
    return np.append(scores.mean(axis=1), rates), np.append(tasks, [row.tasks for row in published])


def effective_tasks(scores: Floats, clustering: Clustering) -> Floats:
    """Return for each system the number of independent tasks that would give its mean the same variance.

    At most the number of tasks, and equal to it where all scores are 0, or all are 1.
    """
    means = np.clip(scores.mean(axis=1), 0.0, 1.0)
    binomial = means * (1 - means)
    variances = clustering.variances(scores) * scores.shape[1]
    # Equal scores say nothing about clusters, and rounding alone is not variance.
    is_overdispersed = (binomial > 0) & (variances > binomial)
    effect = np.where(is_overdispersed, variances, 1.0) / np.where(is_overdispersed, binomial, 1.0)
    return np.asarray(scores.shape[1] / effect, dtype=np.float64)


def _unpaired_p(
    rates: tuple[Floats, Floats], others: tuple[Floats, Floats], degrees_of_freedom: float
) -> Floats:
    """Return the two-sided p of each of `rates` and each of `others`: means and numbers of tasks."""
    (means, tasks), (other_means, other_tasks) = [part[:, np.newaxis] for part in rates], others
    total = tasks + other_tasks
    common = np.clip(means * tasks / total + other_means * other_tasks / total, 0.0, 1.0)
    error = np.sqrt(common * (1 - common) * (1 / tasks + 1 / other_tasks))
    difference = np.abs(means - other_means)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.clip(2 * scipy.special.stdtr(degrees_of_freedom, -difference / error), SMALLEST_P, 1.0)
    # Without noise, both rates are 0, or both are 1.
    return np.asarray(np.where((error > 0) & (difference > 1e-12), tail, 1.0), dtype=np.float64)
