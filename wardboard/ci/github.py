"""What GitHub Actions shows of a job: annotations on lines of the file, and a summary.

Sources: docs.github.com, "Workflow commands for GitHub Actions" and "Adding a job summary".
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from wardboard.ci.report import JobRemarks, JobReport, diff_of
from wardboard.errors import WrongUse
from wardboard.exit_codes import MEANINGS, ExitCode
from wardboard.places import place_of
from wardboard.scoring.reading.problems import counted
from wardboard.scoring.reading.reports.code_groups import group_by_code, total_in_words
from wardboard.terminal import harmless

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
# GitHub shows ten errors and ten warnings of a step.
_MOST_ANNOTATIONS = 10
_MOST_CODES = 20
_MARKS = {True: "✅", False: "❌", None: "➖"}


def print_annotations(report: JobReport) -> None:
    """Print workflow commands to standard error, so that standard output has only the requested text."""
    for line in annotations(report):
        click.echo(line, err=True)


def annotations(report: JobReport) -> Iterator[str]:
    """Yield a command for each problem and warning, up to ten of each, and gate that failed or doubts."""
    for level, listed in (("error", report.problems), ("warning", report.warnings)):
        for problem in _of_most_kinds(listed):
            yield _command(level, problem, report.file_of(problem))
    failed = [gate for gate in report.gates if gate.passed is False]
    for gate in failed:
        yield f"::error title={_property(gate.name)}::{_data(gate.message)}"
    for gate in report.gates:
        if gate.is_doubt or gate.is_notice:
            level = "warning" if gate.is_doubt else "notice"
            yield f"::{level} title={_property(gate.name)}::{_data(gate.message)}"
    if report.code != ExitCode.OK and not failed and not report.problems:
        yield f"::error title={_property(report.title)}::{_data(report.message)}"


def _of_most_kinds(listed: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return as many as GitHub shows, of as many codes as there are, in their order."""
    seen = Counter[str]()
    ranks = []
    for index, problem in enumerate(listed):
        ranks.append((seen[problem["code"]], index))
        seen[problem["code"]] += 1
    return [listed[index] for index in sorted(index for _, index in sorted(ranks)[:_MOST_ANNOTATIONS])]


def _command(level: str, problem: Mapping[str, Any], file: str) -> str:
    places = {"file": file, "line": problem.get("line"), "col": problem.get("column")}
    places |= {"title": problem["code"]}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value)
    lines = [_with_hint(problem), *diff_of(problem)]
    return f"::{level} {properties}::{_data(chr(10).join(lines))}"


def _with_hint(problem: Mapping[str, Any]) -> str:
    return f"{problem['message'].removesuffix('.')}. {problem['hint']}"


def _data(text: str) -> str:
    # Escape commands in the text too: the runner prints it again, without the command before it.
    return harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def add_summary(report: JobReport) -> None:
    """Append the report to the file that GITHUB_STEP_SUMMARY names, if it names one. Raises WrongUse."""
    if path := os.environ.get(SUMMARY_VARIABLE):
        _write(path, report, mode="a")


def write_comment(path: Path, report: JobReport) -> None:
    """Write the report as Markdown, for a comment on a pull request. Raises WrongUse."""
    _write(path, report, mode="w")


def _write(path: str | Path, report: JobReport, *, mode: str) -> None:
    try:
        with open(path, mode, encoding="utf-8") as file:
            file.write(as_markdown(report))
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {error.strerror}") from None


def as_markdown(report: JobReport) -> str:
    is_open = report.code == ExitCode.OK and report.is_scored is False
    mark = _MARKS[None if is_open else report.code == ExitCode.OK]
    lines = [f"### {mark} {_text(report.title)}", ""]
    if report.code != ExitCode.OK:
        lines += [_text(report.message or MEANINGS[report.code]), ""]
    if report.facts:
        lines += ["| | |", "| --- | --- |"]
        lines += [f"| {_text(label)} | {_text(value)} |" for label, value in report.facts.items()] + [""]
    lines += [f"- {_MARKS[gate.passed]} `{gate.name}`: {_text(gate.message)}" for gate in report.gates]
    if report.gates:
        lines.append("")
    lines += _comparison_lines(report.comparison)
    for remarks in report.remarks:
        lines += _remark_lines(report, remarks)
    if report.link:
        lines += [f"[The submission]({report.link})", ""]
    return "\n".join(lines) + "\n"


def _comparison_lines(comparison: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield a table of the differences from the entry by group of tasks, where they are shown."""
    for breakdown, groups in ((comparison or {}).get("groups") or {}).items():
        yield from (
            f"| {_text(breakdown)} | tasks | right | entry | difference |",
            "| --- | --: | --: | --: | --: |",
        )
        for group, counts in groups.items():
            difference = counts["right"] - counts["right_of_entry"]
            cells = (
                _text(group),
                f"{counts['tasks']:,}",
                f"{counts['right']:,}",
                f"{counts['right_of_entry']:,}",
            )
            yield (
                f"| {' | '.join(cells)} | {difference:+,} |" if difference else f"| {' | '.join(cells)} | 0 |"
            )
        yield ""


def _remark_lines(report: JobReport, remarks: JobRemarks) -> Iterator[str]:
    """Yield errors or warnings by code, the first of each with its place and its fix."""
    groups = group_by_code(remarks.listed, remarks.by_code)
    if groups:
        yield from (f"**{total_in_words(remarks.word, remarks.total, len(groups))}**", "")
    for group in groups[:_MOST_CODES]:
        hint = group.common("hint")
        yield f"- `{group.code}` ({group.total:,})" + (f": {_text(hint)}" if hint else "")
        for problem in group.first:
            place = place_of(problem)
            named = f"{report.file_of(problem)}: {place}" if len(report.files) > 1 else place
            message = problem["message"] if hint else _with_hint(problem)
            yield f"  - {_text(named)}: {_text(message)}"
            if diff := diff_of(problem):
                fence = _fence(diff)
                yield from ("", *(f"    {line}" for line in (f"{fence}diff", *diff, fence)), "")
        if more := group.total - len(group.first):
            yield f"  - … {more:,} more"
    if more := len(groups[_MOST_CODES:]):
        yield f"- … {counted(more, 'more kind')}"
    if groups:
        yield ""


def _fence(lines: Sequence[str]) -> str:
    """Return a fence that no line within it can close."""
    return "`" * max(3, *(len(ticks) + 1 for line in lines for ticks in re.findall("`+", line)), 0)


def _text(text: str) -> str:
    """Return text as Markdown shows it: what a file or a name holds is no markup."""
    escaped = "".join(f"\\{character}" if character in "\\`*_[]<>|#&" else character for character in text)
    return " ".join(escaped.split())
