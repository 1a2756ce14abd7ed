"""The digest of figures that a receipt states, from a score that was computed here."""

from wardboard.scoring.benchmark import Benchmark, Metric, Unit
from wardboard.scoring.receipts.canonical import digest_of, figures_of
from wardboard.scoring.runs import PooledCard

_DECIMALS, _DECIMALS_OF_COSTS = 3, 4


def digest_of_figures(benchmark: Benchmark, card: PooledCard, *, runs: int) -> str:
    """Return the SHA-256 of the figures that are public at every feedback level, as canonical JSON."""
    metrics = {metric.key: _as_public(metric, card.metrics.get(metric.key)) for metric in benchmark.metrics}
    public = {metric.key: metrics[metric.key] for metric in benchmark.metrics if metric.public}
    return digest_of(
        figures_of(right=card.overall.right, total=card.overall.total, runs=runs, metrics=public)
    )


def _as_public(metric: Metric, value: float | None) -> float | None:
    """Return a figure with as many decimals as the service shows."""
    if value is None:
        return None
    return round(value, _DECIMALS_OF_COSTS if metric.unit is Unit.USD else _DECIMALS)
