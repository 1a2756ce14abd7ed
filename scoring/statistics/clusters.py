"""Uncertainty of means over tasks that are not independent: tasks share patients, or question templates.

A *cluster* is the set of tasks with the same label. There may be several clusterings at once, one for each
dimension (patients, templates), and they need not be nested.

For scores x of T tasks with mean m and residuals u = x - m, one clustering with G clusters gives the variance
of the mean G / (G - 1) * sum over clusters of (sum of u in the cluster)**2 / T**2. Two clusterings give
V(patients) + V(templates) - V(both), where the clusters of "both" are tasks that share patient and template;
more clusterings are joined by inclusion and exclusion. Such a variance may come out at or below 0; then the
largest of those by a single clustering takes its place, and if all of these are 0, that of tasks that share
labels.

Intervals of rates and of means take Student's t; pairs are tested by `sign_flips`. One clustering has G - 1
degrees of freedom, where G is Kish's effective number of clusters, T**2 / sum of squares of their sizes.
Several have 1 / (sum of 1 / (G - 1)): the variances by each are added, and so are their errors. By
Satterthwaite's formula for sums these are the degrees of freedom where systems differ little in how they do
with a cluster, so that each of the variances estimates the same; elsewhere there are more.

Sources: Cameron, Gelbach & Miller, J. Bus. Econ. Stat. 29 (2011) 238-249, for several clusterings and the
factor for each; Liang & Zeger, Biometrika 73 (1986) 13-22, for one; Satterthwaite, Biometrics Bull. 2 (1946)
110-114, for degrees of freedom of a sum of variances; Kish, Survey Sampling (1965), for the effective number;
Carter, Schnepel & Steigerwald, Rev. Econ. Stat. 99 (2017) 698-709, for why clusters of different size count
for fewer.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # type: ignore[import-untyped]

from wardboard.scoring.statistics.rates import Z_95, Estimate, wilson_interval

Floats = npt.NDArray[np.float64]
Clusters = Sequence[npt.ArrayLike]

# Below this share of the largest variance by one clustering, a variance is rounding and not a figure.
_NEGLIGIBLE = 1e-9
# Sums of residuals of scores in 0..1 below this are rounding too.
_ROUNDING = 1e-10


class _Grouping(NamedTuple):
    """The tasks in the order of their clusters, where each cluster begins, and the weight of the variance."""

    order: npt.NDArray[np.intp]
    begins: npt.NDArray[np.intp]
    weight: float


class Clustering:
    """The clusters of a set of tasks, by one or more dimensions.

    Dimensions with a single cluster are left out, because nothing is known of variation among clusters where
    there is one; the claim then holds for that cluster. Without any other dimension each task is a cluster
    of its own. `degrees_of_freedom` is 0 for a single task, else 1 or more.
    """

    def __init__(self, clusters: Clusters, tasks: int) -> None:
        """Number the clusters. clusters: one array of whole numbers a dimension, a label for each task.

        Raises ValueError if there is no dimension, or a dimension does not fit the number of tasks.
        """
        numbered = [number_labels(labels, tasks) for labels in clusters]
        if not numbered:
            raise ValueError("there are no clusters")
        used = [labels for labels in numbered if labels.max() > 0] or [np.arange(tasks)]
        self.tasks = tasks
        # Of the variance joined from all clusterings; 1 or more.
        inverse = sum(1 / max(1.0, _effective_number(labels) - 1) for labels in used)
        self.degrees_of_freedom = max(1.0, 1 / inverse) if tasks > 1 else 0.0
        self.single = [_group([labels], 1) for labels in used]
        fewest = min(range(len(used)), key=lambda number: _effective_number(used[number]))
        self._flipped = self.single[fewest]
        self.flipped_sizes = np.bincount(used[fewest]).astype(np.float64)
        self.joint = [
            _group(list(chosen), -1 if size % 2 == 0 else 1)
            for size in range(2, len(used) + 1)
            for chosen in combinations(used, size)
        ]

    def variances(self, scores: Floats) -> Floats:
        """Return the variance of the mean of each row of `scores`, systems x tasks; 0 or more."""
        residuals = centred(scores)

        def by_clusters(grouping: _Grouping) -> Floats:
            sums = _cluster_sums(residuals, grouping)
            squares: Floats = np.einsum("ij,ij->i", sums, sums)
            return squares

        return self._join(by_clusters)

    def flipped_sums(self, scores: Floats) -> Floats:
        """Return the sum of each cluster of the dimension with the fewest effective clusters.

        Systems x clusters, in the order of `flipped_sizes`, their numbers of tasks.
        """
        return _cluster_sums(scores, self._flipped)

    def stretches(self, scores: Floats, others: Floats) -> Floats:
        """Return how many times the standard error of a difference is that by `flipped_sums` alone.

        Of each row of `scores` and each of `others`; 1 or more. The smaller of two counts: that of the
        differences as they are, which is how equal systems vary, and without their mean, as any systems do.
        """
        least = np.full((len(scores), len(others)), np.inf if self.joint else 1.0)
        for parts in ((scores, others), (centred(scores), centred(others))) if self.joint else ():

            def sum_squares(grouping: _Grouping, parts: tuple[Floats, Floats] = parts) -> Floats:
                return squared_distances(*(_cluster_sums(part, grouping) for part in parts))

            flipped = self._flipped.weight * sum_squares(self._flipped) / self.tasks**2
            ratios = np.full(flipped.shape, np.inf)
            np.divide(self._join(sum_squares), flipped, out=ratios, where=flipped > 0)
            least = np.minimum(least, ratios)
        return np.asarray(np.sqrt(np.maximum(1.0, least)), dtype=np.float64)

    def _join(self, sum_squares: Callable[[_Grouping], Floats]) -> Floats:
        """Join the variances by each clustering. sum_squares: of cluster sums of residuals."""
        single = [grouping.weight * sum_squares(grouping) / self.tasks**2 for grouping in self.single]
        joint = [grouping.weight * sum_squares(grouping) / self.tasks**2 for grouping in self.joint]
        total = np.sum(single + joint, axis=0)
        largest = np.max(single, axis=0)
        if joint:
            # All clusters of every dimension are alike, but the tasks in them are not.
            largest = np.where(largest > 0, largest, np.max(np.abs(joint), axis=0))
        return np.asarray(np.where(total > _NEGLIGIBLE * largest, total, largest), dtype=np.float64)


def number_labels(labels: npt.ArrayLike, tasks: int) -> npt.NDArray[np.intp]:
    """Return the labels as numbers from 0. Raises ValueError unless there is one for each task."""
    array = np.asarray(labels)
    if array.shape != (tasks,) or tasks == 0:
        raise ValueError(f"labels of shape {array.shape} do not fit {tasks} tasks")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError("a label of a cluster is not a number")
    return np.unique(array, return_inverse=True)[1]


def centred(scores: Floats) -> Floats:
    """Return each row less its mean, without what is left by rounding where all scores of a row are alike."""
    residuals: Floats = scores - scores.mean(axis=1, keepdims=True)
    residuals[np.abs(residuals) < _ROUNDING] = 0
    return residuals


def squared_distances(rows: Floats, others: Floats) -> Floats:
    """Return the sum of squares of the difference of each row and each of `others`, 0 or more."""
    squares, squares_of_others = (np.einsum("ij,ij->i", part, part) for part in (rows, others))
    distances: Floats = squares[:, np.newaxis] + squares_of_others - 2 * (rows @ others.T)
    # Rounding can leave a hair on either side of 0.
    distances[distances <= 1e-13 * (squares[:, np.newaxis] + squares_of_others)] = 0
    return distances


def rate_interval(scores: npt.ArrayLike, clusters: Clusters | None = None) -> Estimate:
    """Return the mean of one system's scores with its 95% interval, inside 0..1.

    scores: one for each task, 0..1. clusters: see `Clustering`; None for independent tasks.
    The interval is Wilson's with an effective number of tasks, T / d. The design effect d is the variance
    with clusters over m * (1 - m) / T, and never below 1; with clusters, Student's t takes the place of the
    normal distribution. So it is never narrower than Wilson's interval of
    the same mean. At a mean of 0 or 1 there is nothing to estimate d from, and it is 1, as it nearly is with
    one task right or wrong.
    Raises ValueError for scores that are not numbers in 0..1, or clusters that do not fit.
    Sources: the module's, for the variance; Kish, Survey Sampling (1965), section 8.2, for the design effect;
    Korn & Graubard, Surv. Methodol. 24 (1998) 193-201, for intervals by an effective number with Student's t;
    Dean & Pagano, J. Surv. Stat. Methodol. 3 (2015) 484-503, for Wilson's interval among them.
    """
    values = np.asarray(scores, dtype=np.float64)[np.newaxis]
    check_scores(values)
    tasks = values.shape[1]
    mean = min(1.0, max(0.0, float(values.mean())))
    independent = mean * (1 - mean) / tasks
    if clusters is None:
        return Estimate(mean, *wilson_interval(mean * tasks, tasks))
    clustering = Clustering(clusters, tasks)
    variance = float(clustering.variances(values)[0])
    effect = max(1.0, variance / independent) if independent > 0 else 1.0
    low, high = wilson_interval(mean * tasks / effect, tasks / effect, _quantile(clustering))
    return Estimate(mean, low, high)


def clustered_difference(
    first: npt.ArrayLike, second: npt.ArrayLike, clusters: Clusters, *, least_variance: float = 0.0
) -> Estimate:
    """Return the first system's mean minus the second's with its 95% interval, in -1..1.

    first, second: their scores for the same tasks, 0..1. clusters: see `Clustering`. With each task a cluster
    the interval leaves out 0 where the paired t-test of `comparisons.pairwise_p` is below .05, since both go
    by the same t; for other clusters see `sign_flips.flipped_difference`. least_variance: of the difference,
    where something else is known to make it vary (`run_counts.within_tasks_variance`).
    Raises ValueError for scores that are not numbers in 0..1, or shapes that do not fit.
    """
    check_scores(np.stack([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)]))
    interval = clustered_mean_difference(first, second, clusters, least_variance=least_variance)
    assert interval is not None
    return interval._replace(low=max(-1.0, interval.low), high=min(1.0, interval.high))


def clustered_mean_difference(
    first: npt.ArrayLike, second: npt.ArrayLike, clusters: Clusters, *, least_variance: float = 0.0
) -> Estimate | None:
    """Return the difference of the means of two systems' figures, with its 95% interval.

    first, second: figures of any unit for the same tasks; NaN where a system has none. clusters: see
    `Clustering`. Each mean is over the system's own known figures, so both are ratios of sums over the tasks.
    Their difference is linearised: a task adds a's deviation from its mean over the number of a's figures,
    less the same of b. Tasks for which neither has a figure say nothing, and count in no cluster.
    None where one of the two has no figure. Raises ValueError for shapes that do not fit.
    Source: Woodruff, J. Am. Stat. Assoc. 66 (1971) 411-414, for the linearised variance of a ratio; the
    module's, for its clusters.
    """
    figures = np.stack([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    is_known = ~np.isnan(figures)
    if not is_known.any(axis=1).all():
        return None
    used = is_known.any(axis=0)
    figures, is_known = figures[:, used], is_known[:, used]
    numbers = is_known.sum(axis=1)
    means = np.where(is_known, figures, 0.0).sum(axis=1) / numbers
    deviations = np.where(is_known, figures - means[:, np.newaxis], 0.0) / numbers[:, np.newaxis]
    influence = (deviations[0] - deviations[1]) * used.sum()
    clustering = Clustering([np.asarray(labels)[used] for labels in clusters], influence.size)
    variance = max(least_variance, float(clustering.variances(influence[np.newaxis])[0]))
    difference, error = float(means[0] - means[1]), sqrt(variance)
    # An infinite quantile times a standard error of 0 is NaN.
    half = _quantile(clustering) * error if error > 0 else 0.0
    return Estimate(difference, difference - half, difference + half)


def check_scores(scores: npt.NDArray[Any]) -> None:
    """Raise ValueError unless `scores` is systems x tasks, with at least one task, of numbers in 0..1."""
    if scores.ndim != 2 or scores.shape[1] == 0:
        raise ValueError(f"scores of shape {scores.shape} are not systems x tasks")
    # Negate the condition, so that NaN fails too.
    if not ((scores >= 0) & (scores <= 1)).all():
        raise ValueError("a score is not a number from 0 to 1")


def _quantile(clustering: Clustering) -> float:
    """Return t: the middle 95% of Student's distribution, or the normal one, lie between -t and t."""
    freedom = clustering.degrees_of_freedom
    return Z_95 if freedom == 0 else float(scipy.special.stdtrit(freedom, 0.975))


def _effective_number(labels: npt.NDArray[np.intp]) -> float:
    """Return how many clusters of one size would be as good as these; at most their number."""
    sizes = np.bincount(labels)
    return float(labels.size**2 / (sizes @ sizes))


def _group(dimensions: Sequence[npt.NDArray[np.intp]], sign: int) -> _Grouping:
    """Return the grouping of tasks that share the label of every dimension."""
    joined = np.zeros_like(dimensions[0])
    for labels in dimensions:
        joined = np.unique(joined * (labels.max() + 1) + labels, return_inverse=True)[1]
    order = np.argsort(joined, kind="stable")
    begins = np.flatnonzero(np.diff(joined[order], prepend=-1))
    count = begins.size
    # A single task has no variance whatever it is multiplied by.
    return _Grouping(order, begins, sign * (count / (count - 1) if count > 1 else 1.0))


def _cluster_sums(residuals: Floats, grouping: _Grouping) -> Floats:
    """Return the sum of the residuals of each cluster: systems x clusters."""
    sums: Floats = np.add.reduceat(residuals[:, grouping.order], grouping.begins, axis=1)
    sums[np.abs(sums) < _ROUNDING] = 0
    return sums
