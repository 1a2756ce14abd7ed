"""What GitHub Actions shows of a job: annotations on lines of the file, and a summary.

Sources: docs.github.com, "Workflow commands for GitHub Actions" and "Adding a job summary".
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import click

from wardboard.ci.report import JobReport
from wardboard.errors import WrongUse
from wardboard.exit_codes import MEANINGS, ExitCode
from wardboard.places import place_of
from wardboard.terminal import harmless

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
# GitHub shows ten errors and ten warnings of a step.
_MOST_ANNOTATIONS = 10
_MOST_ROWS = 20
_MARKS = {True: "✅", False: "❌", None: "➖"}


def print_annotations(report: JobReport) -> None:
    """Print workflow commands to standard error, so that standard output has only the requested text."""
    for line in annotations(report):
        click.echo(line, err=True)


def annotations(report: JobReport) -> Iterator[str]:
    """Yield a command for each problem and warning, up to ten of each, and for each gate that failed."""
    for level, listed in (("error", report.problems), ("warning", report.warnings)):
        for problem in listed[:_MOST_ANNOTATIONS]:
            yield _command(level, problem, report.file_of(problem))
    failed = [gate for gate in report.gates if gate.passed is False]
    for gate in failed:
        yield f"::error title={_property(gate.name)}::{_data(gate.message)}"
    if report.code != ExitCode.OK and not failed and not report.problems:
        yield f"::error title={_property(report.title)}::{_data(report.message)}"


def _command(level: str, problem: Mapping[str, Any], file: str) -> str:
    places = {"file": file, "line": problem.get("line"), "col": problem.get("column")}
    places |= {"title": problem["code"]}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value)
    return f"::{level} {properties}::{_data(' '.join((problem['message'], problem['hint'])))}"


def _data(text: str) -> str:
    # Escape commands in the text too: the runner prints it again, without the command before it.
    return harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def add_summary(report: JobReport) -> None:
    """Append the report to the file that GITHUB_STEP_SUMMARY names, if it names one. Raises WrongUse."""
    path = os.environ.get(SUMMARY_VARIABLE)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(as_markdown(report))
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {error.strerror}") from None


def as_markdown(report: JobReport) -> str:
    """Return the report as Markdown."""
    mark = _MARKS[report.code == ExitCode.OK]
    lines = [f"### {mark} {_text(report.title)}", ""]
    if report.code != ExitCode.OK:
        lines += [_text(report.message or MEANINGS[report.code]), ""]
    if report.facts:
        lines += ["| | |", "| --- | --- |"]
        lines += [f"| {_text(label)} | {_text(value)} |" for label, value in report.facts.items()] + [""]
    lines += [f"- {_MARKS[gate.passed]} `{gate.name}`: {_text(gate.message)}" for gate in report.gates]
    if report.gates:
        lines.append("")
    for noun, listed, total in (
        ("problem", report.problems, report.problems_total),
        ("warning", report.warnings, report.warnings_total),
    ):
        if listed:
            lines += ["", f"| {noun} | place | what to do |", "| --- | --- | --- |"]
            lines += [_row(report, problem) for problem in listed[:_MOST_ROWS]]
            if total > _MOST_ROWS:
                lines.append(f"| … | {total - _MOST_ROWS:,} more | |")
            lines.append("")
    if report.link:
        lines += [f"[The submission]({report.link})", ""]
    return "\n".join(lines) + "\n"


def _row(report: JobReport, problem: Mapping[str, Any]) -> str:
    place = place_of(problem)
    named = f"{report.file_of(problem)}: {place}" if len(report.files) > 1 else place
    return f"| {_text(problem['message'])} | {_text(named)} | {_text(problem['hint'])} |"


def _text(text: str) -> str:
    """Return text as Markdown shows it: what a file or a name holds is no markup."""
    escaped = "".join(f"\\{character}" if character in "\\`*_[]<>|#&" else character for character in text)
    return " ".join(escaped.split())
