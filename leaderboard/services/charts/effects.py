"""How much scores differ between models and between harnesses: both random, the sampling of tasks known.

Source of the estimate by restricted maximum likelihood: Patterson & Thompson, Biometrika 58 (1971) 545–554.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot, log, sqrt

import numpy as np
import scipy  # type: ignore[import-untyped]

_MOST_ROWS = 200  # the time grows with their cube
_FEWEST = 3  # harnesses, and models under several of them
_ENDS = log(5e-4), log(1.0)  # of the logarithm of a standard deviation: less is printed as 0.0
_Z = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """Standard deviations of scores in percentage points, and what they were estimated from.

    between_models, between_harnesses: without what follows; None where not distinguishable from 0
    rest: what neither explains, such as which harness suits which model; None like these
    sampling: the root mean square of the standard errors of the scores
    rows, models, harnesses: how many. repeated: how many models are under several harnesses
    """

    between_models: float | None
    between_harnesses: float | None
    rest: float | None
    sampling: float
    rows: int
    models: int
    harnesses: int
    repeated: int

    @property
    def reach(self) -> float:
        """How far from the mean of its model 95% of scores are at most, under harnesses like these."""
        return _Z * hypot(self.between_harnesses or 0.0, self.rest or 0.0, self.sampling)


def estimate_effects(rows: Sequence[tuple[float, float, float, str, str]]) -> Effects | None:
    """Return how much scores differ by model and harness; None from too few of them, or from too many rows.

    rows: of each the score and its 95% interval, in 0..1, the model and the harness
    """
    pairs = {(model, harness) for *_, model, harness in rows}
    models, harnesses = (Counter(each) for each in zip(*pairs, strict=True)) if pairs else ({}, {})
    repeated = sum(number > 1 for number in models.values())
    if min(repeated, len(harnesses)) < _FEWEST or len(rows) > _MOST_ROWS:
        return None
    scores, lows, highs, *names = map(np.array, zip(*rows, strict=True))
    sampling = ((highs - lows) / (2 * _Z)) ** 2
    columns = np.column_stack([np.ones_like(scores), scores])
    equal = [*((each[:, None] == each).astype(float) for each in names), np.eye(len(rows))]

    def deviance(log_sds: np.ndarray) -> float:
        """Return -2 times the logarithm of the restricted likelihood, but for a constant."""
        parts = (variance * each for variance, each in zip(np.exp(2 * log_sds), equal, strict=True))
        factor = scipy.linalg.cholesky(sum(parts, np.diag(sampling)), lower=True)
        whitened = scipy.linalg.solve_triangular(factor, columns, lower=True)
        (ones, cross), (_, squares) = whitened.T @ whitened
        return float(2 * np.log(np.diag(factor)).sum() + np.log(ones) + squares - cross**2 / ones)

    found = scipy.optimize.minimize(deviance, [log(0.1)] * 3, method="L-BFGS-B", bounds=[_ENDS] * 3)
    # At its lower end it is not known to be 0, but the results cannot tell it from 0.
    points = [100 * exp(each) if each > _ENDS[0] else None for each in found.x.tolist()]
    return Effects(
        between_models=points[0],
        between_harnesses=points[1],
        rest=points[2],
        sampling=100 * sqrt(sampling.mean()),
        rows=len(rows),
        models=len(models),
        harnesses=len(harnesses),
        repeated=repeated,
    )
