"""The output of the `wardboard` command."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wardboard.files.remarks import form_lines, grouped_lines
from wardboard.scoring.benchmark import Benchmark, Breakdown, Metric, Reading, Unit
from wardboard.scoring.facts_of_logs import public_facts
from wardboard.scoring.reading.problems import Remarks, counted, quote
from wardboard.scoring.reading.reports.code_groups import total_in_words
from wardboard.scoring.runs import PooledCard
from wardboard.scoring.verdicts import Rate, Scorecard
from wardboard.terminal import print_json, show

_VERDICT_WORDS = {True: "correct", False: "wrong", None: "undecided"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandReport:
    """The remarks on one file. reading: its content, None if there are problems."""

    name: str
    warnings: Remarks
    problems: Remarks = field(default_factory=Remarks)
    reading: Reading | None = None

    def as_dict(self) -> dict[str, Any]:
        reading = self.reading
        return {
            "valid": reading is not None,
            "format": reading.format if reading else None,
            "version": reading.version if reading else None,
            "results": reading.count if reading else None,
            "from_log": public_facts(reading.log_facts) if reading else None,
            "problems": remarks_as_dict(self.problems),
            "warnings": remarks_as_dict(self.warnings),
            **({"answer_forms": reading.forms.as_dict()} if reading and reading.forms else {}),
        }

    def as_document(self, *, benchmark: str, runs: int, tasks: int) -> dict[str, Any]:
        """Return what `POST /api/v1/validations/` answers, as far as it is known without a service.

        benchmark: its slug; that of the leaderboard is not known. runs: number of files.
        tasks: 0 if not known.
        """
        warnings = {
            "warnings": [remark.as_dict() for remark in self.warnings.listed],
            "warnings_total": self.warnings.total,
            "warnings_by_code": dict(self.warnings.counts),
        }
        if self.reading is not None:
            return {
                "valid": True,
                "benchmark": benchmark,
                "format": self.reading.format,
                "results": self.reading.count,
                "runs": runs,
                "tasks": tasks or None,
                "from_log": public_facts(self.reading.log_facts),
                **warnings,
                "answer_forms": self.reading.forms and self.reading.forms.as_dict(),
            }
        return {
            "type": "/api/problems/file-rejected/",
            "title": "The file cannot be scored",
            "status": 422,
            "detail": f"{counted(self.problems.total, 'problem')} in the file.",
            "code": "file-rejected",
            "hint": "Fix every problem listed.",
            "problems": [remark.as_dict() for remark in self.problems.listed],
            "problems_total": self.problems.total,
            "problems_by_code": dict(self.problems.counts),
            **warnings,
            "valid": False,
        }

    def as_text(self) -> str:
        lines = [f"{quote(self.name)}: {self._summary()}"]
        for word, remarks in (("error", self.problems), ("warning", self.warnings)):
            listed = [remark.as_dict() for remark in remarks.listed]
            lines += grouped_lines(word, listed, remarks.counts)
        if self.reading and self.reading.forms:
            lines += form_lines(self.reading.forms.as_dict())
        return "\n".join(lines)

    def _summary(self) -> str:
        warnings = total_in_words("warning", self.warnings.total, len(self.warnings.counts))
        if self.reading is None:
            errors = total_in_words("error", self.problems.total, len(self.problems.counts))
            return f"{errors}, {warnings}; it cannot be scored"
        version = f", version {quote(self.reading.version)}" if self.reading.version else ""
        content = f"{self.reading.format}{version}, {counted(self.reading.count, 'result')}"
        return f"no error, {warnings} ({content})"


def print_report(report: CommandReport, form: str) -> None:
    """Print `report` in the format `form`, text or json."""
    if form == "json":
        print_json(report.as_dict())
    else:
        show(report.as_text())


def card_as_dict(
    card: Scorecard, reading: Reading, facts: Mapping[str, str], *, unusable: int, by_task: bool
) -> dict[str, Any]:
    """Return the figures of a scored file.

    Rates are in 0..1, None over no tasks. unusable: number of tasks without a usable reference.
    by_task: whether to include the verdicts.
    """
    verdicts = {key: {"correct": v.correct, "reason": str(v.reason)} for key, v in card.verdicts.items()}
    return {
        **facts,
        "unusable_tasks": unusable,
        "overall": rate_as_dict(card.overall),
        "metrics": dict(card.metrics),
        "breakdowns": {
            key: {group: rate_as_dict(rate) for group, rate in groups.items()}
            for key, groups in card.breakdowns.items()
        },
        # Only a benchmark with a judge has these.
        **({"group_metrics": card.group_metrics} if card.group_metrics else {}),
        **({"undecided": dict(card.undecided)} if card.undecided else {}),
        **({"suspects": list(card.suspects)} if card.suspects else {}),
        "warnings": remarks_as_dict(reading.warnings),
        **({"verdicts": verdicts} if by_task else {}),
    }


def card_text(
    benchmark: Benchmark,
    card: Scorecard,
    reading: Reading,
    facts: Mapping[str, str],
    *,
    unusable: int,
    by_task: bool,
) -> str:
    """Return the figures of a scored file as a table."""
    lines = figure_lines(benchmark, card)
    if by_task:
        lines += ["", "Task"]
        for task_id, verdict in card.verdicts.items():
            lines.append(f"  {task_id:<16} {_VERDICT_WORDS[verdict.correct]}  {verdict.reason}")
    lines += ["", *note_lines(reading, facts, unusable=unusable, tasks=card.overall.total)]
    return "\n".join(lines)


def figure_lines(benchmark: Benchmark, card: Scorecard | PooledCard) -> list[str]:
    """Return the figures and the table of each breakdown."""
    lines = [f"{m.label:<46} {_figure(m, card.metrics[m.key])}" for m in benchmark.metrics]
    for breakdown in benchmark.breakdowns:
        lines += ["", *_group_lines(benchmark, breakdown, card)]
    return lines


def note_lines(reading: Reading, facts: Mapping[str, str], *, unusable: int, tasks: int) -> list[str]:
    """Return the notes below the scores. unusable: number of tasks that cannot be graded."""
    lines = []
    if unusable:
        lines += [f"{unusable:,} of {tasks:,} tasks cannot be graded and count as wrong", ""]
    if reading.warnings:
        lines += [f"{counted(reading.warnings.total, 'warning')}; `wardboard validate` lists them", ""]
    return lines + [f"{key.replace('_', ' ')}\n  {value}" for key, value in facts.items()]


def _group_lines(benchmark: Benchmark, breakdown: Breakdown, card: Scorecard | PooledCard) -> list[str]:
    """Return the table of one breakdown: the rate of each group, and other figures if any."""
    columns = [metric for metric in benchmark.metrics if metric.key in breakdown.metrics]
    heads = "".join(f"{metric.short:>9}" for metric in columns)
    lines = [f"{breakdown.label:<53}{heads}".rstrip()]
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
        lines.append(f"  {name:<{width}} {percent(rate.rate)}  {count:<13}{more}".rstrip())
    return lines


def _figure(metric: Metric, value: float | None) -> str:
    if value is None or metric.unit is Unit.SHARE:
        return percent(value)
    return f"{value:>7,.0f}" if metric.unit is Unit.COUNT else f"{value:>7.4f} USD"


def remarks_as_dict(remarks: Remarks) -> dict[str, Any]:
    listed = [remark.as_dict() for remark in remarks.listed]
    return {"total": remarks.total, "by_code": dict(remarks.counts), "listed": listed}


def rate_as_dict(rate: Rate) -> dict[str, Any]:
    return {"right": rate.right, "total": rate.total, "rate": rate.rate, "interval_95": rate.interval}


def percent(share: float | None) -> str:
    return f"{'-':>7}" if share is None else f"{share:>7.1%}"
