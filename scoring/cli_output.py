"""What the `wardboard` command prints."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.benchmark import Benchmark, Reading
from scoring.problems import Problem, Remarks, counted, quote
from scoring.verdicts import Rate, Scorecard

_WIDTH = 80
_RED, _YELLOW, _PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[0m"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The remarks on one file. reading: what it holds, None where there are problems."""

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
            "problems": _remarks_as_dict(self.problems),
            "warnings": _remarks_as_dict(self.warnings),
        }

    def as_text(self, *, colour: bool) -> str:
        lines = [_wrap(f"{quote(self.name)}: {self._summary()}")]
        for word, remarks, paint in (
            ("problem", self.problems, _RED),
            ("warning", self.warnings, _YELLOW),
        ):
            shown = f"{paint}{word}{_PLAIN}" if colour else word
            for remark in remarks.listed:
                lines += ["", *_remark_lines(shown, remark)]
            if remarks.total > len(remarks.listed):
                lines += ["", f"... and {counted(remarks.total - len(remarks.listed), f'more {word}')}"]
        return "\n".join(lines)

    def _summary(self) -> str:
        found = [counted(self.problems.total, "problem"), counted(self.warnings.total, "warning")]
        if self.reading is None:
            return f"{found[0]}, {found[1]}; it cannot be scored"
        version = f", version {quote(self.reading.version)}" if self.reading.version else ""
        kind = f"{self.reading.format}{version}, {counted(self.reading.count, 'result')}"
        return f"no problem, {found[1]} ({kind})"


def card_as_dict(
    card: Scorecard, reading: Reading, facts: Mapping[str, str], *, unusable: int, by_task: bool
) -> dict[str, Any]:
    """Return the figures of a scored file; rates in 0..1, None over no tasks. unusable: tasks
    without a usable reference."""
    verdicts = {key: {"correct": v.correct, "reason": str(v.reason)} for key, v in card.verdicts.items()}
    return {
        **facts,
        "unusable_tasks": unusable,
        "overall": _rate_as_dict(card.overall),
        "metrics": dict(card.metrics),
        "breakdowns": {
            key: {group: _rate_as_dict(rate) for group, rate in groups.items()}
            for key, groups in card.breakdowns.items()
        },
        "warnings": _remarks_as_dict(reading.warnings),
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
    """Return the figures of a scored file as a table for people."""
    lines = [f"{metric.label:<46} {_percent(card.metrics[metric.key])}" for metric in benchmark.metrics]
    for breakdown in benchmark.breakdowns:
        lines += ["", breakdown.label]
        for key, label in breakdown.groups.items():
            rate = card.breakdowns[breakdown.key][key]
            name = f"{key}: {label}" if key.lower() != label.lower() else label
            lines.append(f"  {name:<44} {_percent(rate.rate)}  {rate.right:>5} of {rate.total}")
    if by_task:
        lines += ["", "Task"]
        for task_id, verdict in card.verdicts.items():
            lines.append(f"  {task_id:<16} {'right' if verdict.correct else 'wrong'}  {verdict.reason}")
    lines.append("")
    if unusable:
        lines += [f"{unusable:,} of {card.overall.total:,} tasks cannot be graded and count as wrong", ""]
    if reading.warnings:
        lines += [f"{counted(reading.warnings.total, 'warning')}; `wardboard validate` lists them", ""]
    lines += [f"{key.replace('_', ' ')}\n  {value}" for key, value in facts.items()]
    return "\n".join(lines)


def _remark_lines(word: str, remark: Problem) -> list[str]:
    place = f"line {remark.line:,} " if remark.line else ""
    place += remark.pointer or ("" if place else "whole file")
    return [
        f"{word}  {remark.code}  {place.strip()}",
        _wrap(remark.message, "  "),
        _wrap(f"-> {remark.hint}", "  ", "     "),
    ]


def _wrap(text: str, first: str = "", rest: str | None = None) -> str:
    # Quoted input is never broken at its hyphens: it may be meant to be copied.
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _remarks_as_dict(remarks: Remarks) -> dict[str, Any]:
    return {"total": remarks.total, "listed": [remark.as_dict() for remark in remarks.listed]}


def _rate_as_dict(rate: Rate) -> dict[str, Any]:
    return {"right": rate.right, "total": rate.total, "rate": rate.rate, "interval_95": rate.interval}


def _percent(share: float | None) -> str:
    return f"{'-':>7}" if share is None else f"{share:>7.2%}"
