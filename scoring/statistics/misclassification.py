"""Correct a judged rate for the errors of its judge, where these are known from labelled pairs.

A judge that accepts right answers with probability se (sensitivity) and rejects wrong ones with probability
sp (specificity) calls p = prevalence * se + (1 - prevalence) * (1 - sp) of them right. Solved for prevalence:

    (p + sp - 1) / (se + sp - 1)

Source: Rogan, Gladen, American Journal of Epidemiology 107 (1978) 71-76. Interval: Lang, Reiczigel,
Preventive Veterinary Medicine 113 (2014) 13-22, which allows for the sampling of all three rates.

It holds where the judge errs on the system's answers as often as on the labelled ones, and where these are a
random sample. A judge that is kinder to one way of writing breaks it, and nothing in the figures shows that.
"""

from dataclasses import dataclass
from math import sqrt

from wardboard.scoring.statistics.rates import Z_95

# Where se + sp - 1 is smaller, errors of the labels count twice or more, and the estimate says little.
LEAST_YOUDEN = 0.5
# The fewest right answers, and the fewest wrong ones: with fewer, se and sp themselves are uncertain.
FEWEST_LABELS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeErrorCounts:
    """Numbers of labelled pairs by the label and the judge. What a judge leaves open counts as rejected.

    both_right, false_rejects: of the answers that the label calls right
    false_accepts, both_wrong: of those that it calls wrong
    """

    both_right: int
    false_rejects: int
    false_accepts: int
    both_wrong: int

    def __post_init__(self) -> None:
        if min(self.both_right, self.false_rejects, self.false_accepts, self.both_wrong) < 0:
            raise ValueError("numbers of labelled pairs are 0 or more")

    @property
    def right(self) -> int:
        """Labelled pairs that are right."""
        return self.both_right + self.false_rejects

    @property
    def wrong(self) -> int:
        """Labelled pairs that are wrong."""
        return self.false_accepts + self.both_wrong

    @property
    def sensitivity(self) -> float:
        """Share of right answers that the judge accepts, 0..1. Raises ZeroDivisionError for none."""
        return self.both_right / self.right

    @property
    def specificity(self) -> float:
        """Share of wrong answers that the judge rejects, 0..1. Raises ZeroDivisionError for none."""
        return self.both_wrong / self.wrong


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A rate without the judge's errors: the estimate and its 95% interval, all in 0..1."""

    rate: float
    low: float
    high: float


def corrected_rate(
    rate: float, total: float, errors: JudgeErrorCounts, z: float = Z_95
) -> CorrectedRate | None:
    """Return what a judged rate would be without the judge's errors; None where too little is known.

    None with fewer than FEWEST_LABELS right or wrong labelled pairs, and where se + sp - 1 is below
    LEAST_YOUDEN, as observed or as the interval has it (with a label more on either side).

    rate: judged right, 0..1. total: tasks that it is over, more than 0; with clusters of tasks, as many
    independent tasks as would give the same interval (`effective_total`). Raises ValueError for other values.
    """
    if not 0 <= rate <= 1 or total <= 0:
        raise ValueError(f"{rate} of {total} tasks is not a rate")
    if min(errors.right, errors.wrong) < FEWEST_LABELS:
        return None
    youden = errors.sensitivity + errors.specificity - 1
    size, size_right, size_wrong = total + z * z, errors.right + 2, errors.wrong + 2
    p = (rate * total + z * z / 2) / size
    se, sp = (errors.both_right + 1) / size_right, (errors.both_wrong + 1) / size_wrong
    if min(youden, se + sp - 1) < LEAST_YOUDEN:
        return None
    prevalence = (p + sp - 1) / (se + sp - 1)
    of_se, of_sp = se * (1 - se) / size_right, sp * (1 - sp) / size_wrong
    shift = 2 * z * z * (prevalence * of_se - (1 - prevalence) * of_sp)
    variance = p * (1 - p) / size + prevalence**2 * of_se + (1 - prevalence) ** 2 * of_sp
    half = z * sqrt(variance) / (se + sp - 1)
    estimate = _within((rate + errors.specificity - 1) / youden)
    low, high = _within(prevalence + shift - half), _within(prevalence + shift + half)
    # At the ends of the scale the shifted interval may lie beside the estimate.
    return CorrectedRate(estimate, min(low, estimate), max(high, estimate))


def effective_total(rate: float, total: float, interval: tuple[float, float]) -> float:
    """Return how many independent tasks would give an interval of that width; `total` at most.

    rate: 0..1. interval: low and high, 95%. For a rate of 0 or 1, or an interval of no width, it is `total`.
    """
    half = (interval[1] - interval[0]) / 2
    if half <= 0 or not 0 < rate < 1:
        return total
    return min(total, rate * (1 - rate) * (Z_95 / half) ** 2)


def _within(share: float) -> float:
    return min(1.0, max(0.0, share))
