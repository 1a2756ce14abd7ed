"""Rows of a board with figures that a test chooses, without a file behind them."""

from datetime import UTC, datetime

from leaderboard.models import Benchmark, Kind, Standing, System
from scoring.statistics import wilson_interval

SINCE = datetime(2026, 3, 1, tzinfo=UTC)


def put_row(
    benchmark: Benchmark,
    name: str,
    score: float | None = None,
    *,
    kind: str = Kind.REPORTED,
    judge: str = "",
    ends: tuple[float, float] | None = None,
    counts: tuple[int, int] | None = None,
    metrics: dict | None = None,
    breakdowns: dict | None = None,
    group_metrics: dict | None = None,
    **facts,
) -> Standing:
    """A row that nobody rescored. counts: right and total, which give score and interval; else `ends` of the
    interval, 0.05 to each side unless said. facts: of its system."""
    if counts:
        score, ends = counts[0] / counts[1], wilson_interval(*counts)
    elif score is not None and ends is None:
        ends = max(0, score - 0.05), min(1, score + 0.05)
    low, high = ends or (None, None)
    right, total = counts or (None, None)
    return Standing.objects.create(
        benchmark=benchmark,
        system=System.objects.create(name=name, source=f"a paper, {kind}", **facts),
        kind=kind,
        judge=judge,
        right=right,
        total=total,
        score=score,
        low=low,
        high=high,
        metrics=metrics or {},
        breakdowns=breakdowns or {},
        group_metrics=group_metrics or {},
        since=SINCE,
    )
