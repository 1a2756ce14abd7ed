"""The figures of graded files, of one run or of several of one configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wardboard.files.checking import remark_members
from wardboard.scoring.benchmark import Benchmark, Breakdown, Metric, Reading, Unit
from wardboard.scoring.reading.problems import counted, quote
from wardboard.scoring.receipts.canonical import digest_of, figures_of
from wardboard.scoring.runs import PooledCard, empty_problem
from wardboard.scoring.statistics.rates import decimal, percent, percent_range
from wardboard.scoring.statistics.runs import RunSpread
from wardboard.scoring.verdicts import Rate, Scorecard


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedFiles:
    """Graded files, each a complete run.

    - cards: of the runs, in their order
    - files: name and SHA-256 of the file of each run
    - facts: what the figures are by, such as the version of the scorer
    - unusable: number of tasks without a usable reference
    """

    benchmark: Benchmark
    cards: Sequence[Scorecard]
    pooled: PooledCard
    reading: Reading
    files: Sequence[tuple[str, str]]
    facts: Mapping[str, str]
    unusable: int

    def as_dict(self, *, by_task: bool) -> dict[str, Any]:
        """Return all figures; rates in 0..1, None over no tasks. by_task: whether to include the verdicts."""
        pooled = self.pooled
        return {
            **self.facts,
            "unusable_tasks": self.unusable,
            "runs": len(self.cards),
            "overall": _rate_as_dict(pooled.overall),
            "spread": pooled.spread and asdict(pooled.spread),
            "metrics": {m.key: m.shown(pooled.metrics) for m in self.benchmark.metrics},
            "breakdowns": {
                key: {group: _rate_as_dict(rate) for group, rate in groups.items()}
                for key, groups in pooled.breakdowns.items()
            },
            # Only a benchmark with a judge has these.
            **({"group_metrics": pooled.group_metrics} if pooled.group_metrics else {}),
            **({"suspects": list(pooled.suspects)} if pooled.suspects else {}),
            "per_run": [
                {
                    "file": name,
                    "file_sha256": digest,
                    "right": card.overall.right,
                    "total": card.overall.total,
                    "metrics": {m.key: m.shown(card.metrics) for m in self.benchmark.metrics},
                }
                for (name, digest), card in zip(self.files, self.cards, strict=True)
            ],
            **remark_members("warnings", self.reading.warnings),
            **({"verdicts": self._verdicts()} if by_task else {}),
        }

    def _verdicts(self) -> dict[str, list[dict[str, Any]]]:
        return {
            task_id: [
                {"correct": verdict.correct, "reason": str(verdict.reason)}
                for verdict in (card.verdicts[task_id] for card in self.cards)
            ]
            for task_id in self.cards[0].verdicts
        }

    def as_text(self, *, by_task: bool) -> str:
        """Return the figures as a table; of several runs the mean, the spread and the score of each."""
        runs, spread = len(self.cards), self.pooled.spread
        lines = figure_lines(self.benchmark, self.pooled)
        if spread:
            differing = _spread_lines(spread, runs, has_open=self.pooled.overall.left_open > 0)
            lines = [f"Mean of {runs} runs", "", *lines, "", *differing, "", "Run"]
            for number, ((name, _), card) in enumerate(zip(self.files, self.cards, strict=True), 1):
                rate = card.overall
                count = f"{rate.right} of {rate.total}"
                lines.append(f"  {number:<4}{_rate(rate, self.pooled)}  {count}  {quote(Path(name).name)}")
        if by_task:
            lines += ["", "Task"]
            for task_id, verdicts in self._verdicts().items():
                right = sum(verdict["correct"] is True for verdict in verdicts)
                reasons = ", ".join(dict.fromkeys(verdict["reason"] for verdict in verdicts))
                lines.append(f"  {task_id:<16} {right} of {runs} correct  {reasons}")
        head = [f"{empty_problem(self.reading).message}", ""] if self.reading.is_mostly_empty else []
        return "\n".join([*head, *lines, "", *self._note_lines()])

    def _note_lines(self) -> list[str]:
        lines = []
        if self.unusable:
            tasks = len(self.cards[0].verdicts)
            lines += [f"{self.unusable:,} of {tasks:,} tasks cannot be graded and count as wrong", ""]
        if warnings := self.reading.warnings:
            lines += [f"{counted(warnings.total, 'warning')}; `wardboard validate` lists them", ""]
        digests = {f"sha256 of run {number}": digest for number, (_, digest) in enumerate(self.files, 1)}
        return lines + [
            f"{key.replace('_', ' ')}\n  {value}" for key, value in {**digests, **self.facts}.items()
        ]


def _spread_lines(spread: RunSpread, runs: int, *, has_open: bool) -> list[str]:
    note = "  undecided answers count as not correct" if has_open else ""
    lines = [f"{'Run-to-run standard deviation':<46} {percent(spread.deviation):>7}{note}"]
    # pass^1 is the mean.
    for k, value in enumerate(spread.passes[1:], 2):
        words = "every run" if k == runs else f"each of {k} randomly chosen runs"
        lines.append(f"{f'Correct in {words} (pass^{k})':<46} {percent(value):>7}{note}")
    lines.append(f"{'Tasks correct in some runs and not in others':<46} {percent(spread.flips):>7}")
    return lines


def figure_lines(benchmark: Benchmark, card: PooledCard) -> list[str]:
    """Return the figures and the table of each breakdown."""
    lines = [f"{m.label:<46} {_figure(m, m.shown(card.metrics))}" for m in benchmark.metrics]
    for breakdown in benchmark.breakdowns:
        lines += ["", *_group_lines(benchmark, breakdown, card)]
    return lines


def _group_lines(benchmark: Benchmark, breakdown: Breakdown, card: PooledCard) -> list[str]:
    """Return the table of one breakdown: the rate of each group, and other figures if any."""
    columns = [metric for metric in benchmark.metrics if metric.key in breakdown.metrics]
    heads = "".join(f"{metric.short:>9}" for metric in columns)
    lines = [f"{breakdown.label:<{46 + len(_rate(card.overall, card))}}{heads}".rstrip()]
    rates, figures = card.breakdowns[breakdown.key], card.group_metrics.get(breakdown.key, {})
    for key, label in breakdown.groups.items():
        # A missing group has no tasks.
        if (rate := rates.get(key)) is None:
            continue
        # A key is only shown if the task files use it as a name.
        name = f"{key}: {label}" if key.startswith("task") else label
        count = f"{rate.right:>5} of {rate.total}"
        width = 28 if columns else 44
        more = "".join(f"  {_figure(metric, figures[key].get(metric.key))}" for metric in columns)
        lines.append(f"  {name:<{width}} {_rate(rate, card)}  {count:<13}{more}".rstrip())
    return lines


def _figure(metric: Metric, value: float | None) -> str:
    if value is None or metric.unit is Unit.SHARE:
        return f"{percent(value):>7}"
    return f"{decimal(value):>7}" if metric.unit is Unit.COUNT else f"{value:>7.4f} USD"


def _rate_as_dict(rate: Rate) -> dict[str, Any]:
    rates = {"rate": rate.rate, "rate_upper": rate.upper}
    return {"right": rate.right, "total": rate.total, **rates, "interval_95": rate.interval}


def _rate(rate: Rate, pooled: PooledCard) -> str:
    """Return a rate, or its range where answers are left open, as wide as all of `pooled`."""
    return percent_range(rate.rate, rate.upper).rjust(11 if pooled.overall.left_open else 7)


def digest_of_figures(benchmark: Benchmark, card: PooledCard, *, runs: int) -> str:
    """Return the SHA-256 of the figures that are public at every feedback level, as canonical JSON."""
    public = {metric.key: metric.rounded(card.metrics) for metric in benchmark.metrics if metric.public}
    return digest_of(
        figures_of(right=card.overall.right, total=card.overall.total, runs=runs, metrics=public)
    )
