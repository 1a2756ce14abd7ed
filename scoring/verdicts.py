"""Verdicts and the figures calculated from them: plain values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import fsum
from typing import ClassVar

from wardboard.scoring.statistics import wilson_interval


class Unscorable(Exception):
    """A value of the submitted file cannot be scored, which only its submitter can fix."""


def known_mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None if there is none.

    The sum is exact, so the order of `values` does not matter.
    """
    figures = [value for value in values if value is not None]
    return fsum(figures) / len(figures) if figures else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The official verdict on one task. correct: None is undecided, which is not wrong."""

    correct: bool | None
    reason: StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """`right` of `total` answers, 0 <= right <= total.

    runs: of how many runs the answers are; with several, a task counts once a run, in `right` and in `total`.
    left_open: answers that a judge did not decide, which are not among the right ones and may be right
    """

    right: int
    total: int
    runs: int = 1
    left_open: int = 0
    rounded_to: ClassVar[None] = None

    @property
    def rate(self) -> float | None:
        """Share in 0..1, of several runs their mean; None over no tasks (unknown, not 0)."""
        return self.right / self.total if self.total else None

    @property
    def upper(self) -> float | None:
        """The upper end of the rate, in 0..1, where answers are left open; None elsewhere."""
        return (self.right + self.left_open) / self.total if self.left_open else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% Wilson score interval of the rate, in 0..1; None over no tasks.

        It is over the tasks, not over the answers: a further run says nothing about other tasks. With answers
        left open the rate is a range, and the interval goes from the lower limit of its low end to the upper
        limit of its high end.
        """
        if not self.total:
            return None
        low, high = (
            wilson_interval(right / self.runs, self.total / self.runs)
            for right in (self.right, self.right + self.left_open)
        )
        return low[0], high[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredRate(Rate):
    """A rate whose interval allows for clusters of tasks, or was stored.

    low, high: the ends of the interval, in 0..1
    by: keys of the clusters of the benchmark that it allows for; none for independent tasks
    """

    low: float
    high: float
    by: tuple[str, ...]

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval that allows for clusters."""
        return self.low, self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A rate over `total` tasks without its count: `rate` in 0..1, as printed or rounded.

    It is used like a Rate. `right` is never derived, since several counts may round to the same figure.

    upper: as of a Rate. rounded_to: the step to which both ends are rounded, in 0..1; None as printed
    """

    rate: float
    total: int
    upper: float | None = None
    rounded_to: float | None = None
    right: ClassVar[None] = None
    runs: ClassVar[int] = 1

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% Wilson score interval of the printed rate, in 0..1; None over no tasks, and where rounded."""
        is_known = self.total and not self.rounded_to
        return wilson_interval(self.rate * self.total, self.total) if is_known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """The result of scoring one submission.

    - overall: the figure that is ranked
    - metrics: metric key -> figure, for every metric of the benchmark; None if it is over nothing
    - breakdowns: breakdown key -> group key -> rate
    - group_metrics: breakdown key -> group key -> metric key -> figure
    - group_counts: breakdown key -> group key -> metric key -> number of tasks that the figure is a mean over
    - verdicts: task id -> verdict, for every task of the board in its order
    - undecided: reason -> number of undecided verdicts; if there are any, no figure of the card is final
    - suspects: ids of the tasks whose answers the organiser should look at
    - details: figures by task, packed by the benchmark for later statistics; b"" for none
    """

    overall: Rate
    metrics: Mapping[str, float | None]
    breakdowns: Mapping[str, Mapping[str, Rate]]
    verdicts: Mapping[str, Verdict] = field(repr=False)
    group_metrics: Mapping[str, Mapping[str, Mapping[str, float | None]]] = field(default_factory=dict)
    group_counts: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    undecided: Mapping[str, int] = field(default_factory=dict)
    suspects: tuple[str, ...] = field(default=(), repr=False)
    details: bytes = field(default=b"", repr=False)
