"""Verdicts and the figures worked out from them: values, without behaviour of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scoring.statistics import wilson_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The official verdict on one task, and why."""

    correct: bool
    reason: StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """`right` of `total` tasks, 0 <= right <= total."""

    right: int
    total: int

    @property
    def rate(self) -> float | None:
        """Share in 0..1; None over no tasks (a rate over nothing is unknown, not 0)."""
        return self.right / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% Wilson score interval of the rate, in 0..1; None over no tasks."""
        return wilson_interval(self.right, self.total) if self.total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """All that scoring one submission gives.

    overall: the figure that is ranked. metrics: every metric of the benchmark by its key, in 0..1,
    None where it is over nothing. breakdowns: breakdown key -> group key -> rate.
    verdicts: task id -> verdict, every task of the benchmark in its order.
    """

    overall: Rate
    metrics: Mapping[str, float | None]
    breakdowns: Mapping[str, Mapping[str, Rate]]
    verdicts: Mapping[str, Verdict] = field(repr=False)
