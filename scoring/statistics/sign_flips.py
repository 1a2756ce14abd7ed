"""The test of two systems by whole clusters: what if each cluster's difference had the other sign?

If two systems are equal, then a patient's differences could as well be those of the other system: each
cluster's sum of differences has either sign with 1/2, independently. The total lies among all these totals,
and p is the share that is as far from 0, that as far as observed counted half (mid-p). With a task a cluster
it is McNemar's test. It needs no estimate of a variance, and so no degrees of freedom, which few clusters are
short of.

Of several clusterings the one with the fewest effective clusters is flipped; that is a property of the tasks,
never of a result. The others make the total vary more: it is divided by `Clustering.stretches` first.

The shares are approximated by a saddlepoint, not enumerated: of single runs and 20 clusters or more they are
within a tenth of the exact mid-p where that is above .0001. bench/coverage.py measures the level.

Sources: Fisher, The Design of Experiments (1935), section 21, for the signs; Canay, Romano & Shaikh,
Econometrica 85 (2017) 1013-1030, for those of few clusters; Robinson, J. R. Stat. Soc. B 44 (1982) 91-101,
for the saddlepoint and for intervals; Lugannani & Rice, Adv. Appl. Probab. 12 (1980) 475-490, for the
formula; Daniels, Int. Stat. Rev. 55 (1987) 37-48, for totals of whole numbers.
"""

from math import sqrt

import numpy as np
import numpy.typing as npt
import scipy  # type: ignore[import-untyped]

from wardboard.scoring.statistics.clusters import Clustering, Clusters, Floats, check_scores
from wardboard.scoring.statistics.rates import Z_95, Estimate

# Sums that differ by less are equal but for rounding.
_ROUNDING = 1e-10
# A deviate so small that the formula's two reciprocals cancel.
_SMALL_DEVIATE = 1e-3
# Newton's steps, of which eight or so are taken; the error of each is the square of that before.
_STEPS, _TOLERANCE = 50, 1e-5
# Numbers that are worked out at a time, which fit into the processor's cache.
_AT_A_TIME = 2**15
# Halvings of an interval of 1 or less: far below a digit that is shown.
_HALVINGS = 30
_ALPHA = 0.05


def flipped_p(first: Floats, second: Floats, chosen: npt.NDArray[np.bool_], clustering: Clustering) -> Floats:
    """Return the two-sided p of the chosen pairs of a row of `first` and one of `second`, in their order.

    first, second: systems x tasks, 0..1. chosen: systems x systems. Each p is at most 1; of over 1,000
    clusters, it may be 0 by rounding.
    """
    stretches = clustering.stretches(first, second)[chosen]
    sums, other_sums = clustering.flipped_sums(first), clustering.flipped_sums(second)
    rows, columns = np.nonzero(chosen)
    p = np.empty(rows.size)
    step = max(1, _AT_A_TIME // sums.shape[1])
    for start in range(0, rows.size, step):
        part = slice(start, start + step)
        differences = sums[rows[part]] - other_sums[columns[part]]
        p[part] = _flip(differences, np.abs(differences.sum(axis=1)) / stretches[part])
    return p


def flipped_difference(
    first: npt.ArrayLike, second: npt.ArrayLike, clusters: Clusters, *, least_variance: float = 0.0
) -> Estimate:
    """Return the first system's mean minus the second's with its 95% interval.

    first, second: their scores for the same tasks, 0..1. clusters: see `Clustering`. The interval has each
    difference in -1..1 which, taken off every task, leaves a p of .05 or more (`flipped_p`), so it leaves out
    0 exactly where p is below .05. If no cluster differs, nothing says how much they vary: both ends are the
    difference. least_variance: as in `clusters.clustered_difference`.
    Raises ValueError for scores that are not numbers in 0..1, or shapes that do not fit.
    """
    scores = np.stack([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    check_scores(scores)
    clustering = Clustering(clusters, scores.shape[1])
    sums, sizes = clustering.flipped_sums(scores[:1] - scores[1:])[0], clustering.flipped_sizes
    stretch = float(clustering.stretches(scores[:1], scores[1:])[0, 0])
    difference = float(scores[0].mean() - scores[1].mean())

    # Both ends are sought at once, from 0 on, so that each is on its side of it.
    inside, outside = np.full(2, difference), np.array([-1.0, 1.0])
    middle = np.clip(0.0, np.minimum(inside, outside), np.maximum(inside, outside))
    for _ in range(_HALVINGS if sums.any() else 0):
        left = sums - middle[:, np.newaxis] * sizes
        is_inside = _flip(left, np.abs(left.sum(axis=1)) / stretch) >= _ALPHA
        inside, outside = np.where(is_inside, middle, inside), np.where(is_inside, outside, middle)
        middle = (inside + outside) / 2
    half = Z_95 * sqrt(least_variance)
    low, high = min(inside[0], difference - half), max(inside[1], difference + half)
    return Estimate(difference, max(-1.0, float(low)), min(1.0, float(high)))


def _flip(differences: Floats, observed: Floats) -> Floats:
    """Return the share of sign flips whose total is as far from 0 as observed.

    differences: pairs x clusters, of sums. observed: distance of the total from 0, of each pair.
    """
    sizes = np.abs(differences)
    sizes[sizes < _ROUNDING] = 0
    largest, smallest = sizes.sum(axis=1), np.min(sizes, axis=1, initial=np.inf, where=sizes > 0)
    # Two of all flips have every sign alike; where that is what was observed, half of them count.
    one_flip = 0.5 ** np.count_nonzero(sizes, axis=1)
    p = np.where(observed > largest * (1 - _ROUNDING), one_flip, 2 * one_flip)
    p[observed <= _ROUNDING] = 1.0
    between = (observed > _ROUNDING) & (observed < largest - 2 * smallest * (1 - _ROUNDING))
    # The saddlepoint approximation of P(total > observed), half of P(total = observed) with it. The cumulant
    # generating function of a total of signs is the sum of log cosh(s * size).
    sizes = sizes[between]
    observed = observed[between]
    # Its derivative is concave, so Newton's steps from the left never pass the root.
    point = observed / np.einsum("ij,ij->i", sizes, sizes)
    for _ in range(_STEPS):
        slopes, curvature = _derivatives(sizes, point)
        step = (observed - slopes) / curvature
        point += step
        if (step <= _TOLERANCE * point).all():
            break
    scaled = sizes * point[:, np.newaxis]
    # log cosh, without overflow.
    cumulants = (scaled + np.log1p(np.exp(-2 * scaled)) - np.log(2)).sum(axis=1)
    deviate = np.sqrt(np.maximum(0.0, 2 * (point * observed - cumulants)))
    is_far = deviate > _SMALL_DEVIATE
    # Totals of whole numbers, as of single runs, lie 2 apart; others are taken as lying close together.
    is_whole = (sizes == np.rint(sizes)).all(axis=1)
    other = np.where(is_whole, np.tanh(point), point) * np.sqrt(_derivatives(sizes, point)[1])
    tail = scipy.special.ndtr(-deviate)
    density = np.exp(-(deviate[is_far] ** 2) / 2) / np.sqrt(2 * np.pi)
    tail[is_far] += density * (1 / other[is_far] - 1 / deviate[is_far])
    p[between] = np.clip(2 * tail, one_flip[between], 1.0)
    return np.asarray(p, dtype=np.float64)


def _derivatives(sizes: Floats, point: Floats) -> tuple[Floats, Floats]:
    """Return the first and second derivative of each pair's cumulant generating function at its point."""
    tangents = np.tanh(sizes * point[:, np.newaxis])
    slopes = np.einsum("ij,ij->i", sizes, tangents)
    return slopes, np.einsum("ij,ij,ij->i", sizes, sizes, 1 - tangents * tangents)
