"""The output of `wardboard grade` for several runs of one configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wardboard.files.output import figure_lines, note_lines, percent, rate_as_dict, remarks_as_dict
from wardboard.scoring.benchmark import Benchmark, Reading
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.runs import PooledCard
from wardboard.scoring.statistics.runs import RunSpread
from wardboard.scoring.verdicts import Scorecard


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedRuns:
    """Several graded runs.

    cards: of the runs, in their order. pooled: their figures together
    files: name and SHA-256 of the file of each run
    unusable: number of tasks without a usable reference
    """

    benchmark: Benchmark
    cards: Sequence[Scorecard]
    pooled: PooledCard
    reading: Reading
    files: Sequence[tuple[str, str]]
    facts: Mapping[str, str]
    unusable: int

    @property
    def _spread(self) -> RunSpread:
        assert self.pooled.spread is not None, "there are two runs or more"
        return self.pooled.spread

    def as_dict(self, *, by_task: bool) -> dict[str, Any]:
        """Return all figures; rates in 0..1. by_task: whether to include the verdicts of each run."""
        pooled = self.pooled
        return {
            **self.facts,
            "unusable_tasks": self.unusable,
            "runs": len(self.cards),
            "overall": rate_as_dict(pooled.overall),
            "spread": asdict(self._spread),
            "metrics": dict(pooled.metrics),
            "breakdowns": {
                key: {group: rate_as_dict(rate) for group, rate in groups.items()}
                for key, groups in pooled.breakdowns.items()
            },
            **({"group_metrics": pooled.group_metrics} if pooled.group_metrics else {}),
            **({"suspects": list(pooled.suspects)} if pooled.suspects else {}),
            "per_run": [
                {
                    "file": name,
                    "file_sha256": digest,
                    "right": card.overall.right,
                    "total": card.overall.total,
                    "metrics": dict(card.metrics),
                }
                for (name, digest), card in zip(self.files, self.cards, strict=True)
            ],
            "warnings": remarks_as_dict(self.reading.warnings),
            **({"verdicts": self._verdicts()} if by_task else {}),
        }

    def _verdicts(self) -> dict[str, Any]:
        return {
            task_id: [
                {"correct": verdict.correct, "reason": str(verdict.reason)}
                for verdict in (card.verdicts[task_id] for card in self.cards)
            ]
            for task_id in self.cards[0].verdicts
        }

    def as_text(self, *, by_task: bool) -> str:
        """Return the mean, the spread and the score of each run as a table."""
        runs, spread = len(self.cards), self._spread
        lines = [f"Mean of {runs} runs", "", *figure_lines(self.benchmark, self.pooled), ""]
        lines.append(f"{'Run-to-run standard deviation':<46} {percent(spread.deviation)}")
        # pass^1 is the mean.
        for k, value in enumerate(spread.passes[1:], 2):
            words = "every run" if k == runs else f"each of {k} randomly chosen runs"
            lines.append(f"{f'Correct in {words} (pass^{k})':<46} {percent(value)}")
        lines.append(f"{'Tasks that some run got right, another wrong':<46} {percent(spread.flips)}")
        lines += ["", "Run"]
        for number, ((name, _), card) in enumerate(zip(self.files, self.cards, strict=True), 1):
            rate = card.overall
            lines.append(
                f"  {number:<4}{percent(rate.rate)}  {rate.right} of {rate.total}  {quote(Path(name).name)}"
            )
        if by_task:
            lines += ["", "Task"]
            for task_id, verdicts in self._verdicts().items():
                right = sum(verdict["correct"] is True for verdict in verdicts)
                reasons = ", ".join(dict.fromkeys(verdict["reason"] for verdict in verdicts))
                lines.append(f"  {task_id:<16} {right} of {runs} correct  {reasons}")
        facts = {f"sha256 of run {number}": digest for number, (_, digest) in enumerate(self.files, 1)}
        tasks = len(self.cards[0].verdicts)
        lines += ["", *note_lines(self.reading, {**facts, **self.facts}, unusable=self.unusable, tasks=tasks)]
        return "\n".join(lines)
