"""What GitHub Actions shows of a job: annotations on lines of the file, and a summary.

Sources: docs.github.com, "Workflow commands for GitHub Actions" and "Adding a job summary".
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import click

from wardboard.ci.report import JobReport, diff_of
from wardboard.errors import WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.scoring.reading.codes import RunsCode
from wardboard.terminal import harmless


def show_on_github(report: JobReport) -> None:
    """Annotate the files and add the report to the summary of the job, where GitHub runs it.

    Annotations go to standard error, so that standard output has only the requested text. Raises WrongUse.
    """
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in annotations(report):
            click.echo(line, err=True)
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(summary(report))
        except OSError as error:
            raise WrongUse(f"cannot write {path}: {error.strerror}") from None


def annotations(report: JobReport) -> Iterator[str]:
    """Yield a command for each problem and warning, up to ten of each, and gate that failed or doubts."""
    problems = report.listed("problems")
    for level, listed in (("error", problems), ("warning", report.listed("warnings"))):
        # GitHub shows ten errors and ten warnings of a step.
        for problem in listed[:10]:
            is_notice = problem["code"] == RunsCode.LEFT_OUT
            yield _command("notice" if is_notice else level, problem, report.file_of(problem))
    failed = [gate for gate in report.gates if gate.passed is False]
    for gate in failed:
        yield f"::error title={_property(gate.name)}::{_data(gate.message)}"
    for gate in report.gates:
        if gate.is_doubt or gate.is_notice:
            level = "warning" if gate.is_doubt else "notice"
            yield f"::{level} title={_property(gate.name)}::{_data(gate.message)}"
    if report.code != ExitCode.OK and not failed and not problems:
        yield f"::error title={_property(report.title)}::{_data(report.message)}"


def _command(level: str, problem: Mapping[str, Any], file: str) -> str:
    places = {"file": file, "line": problem.get("line"), "col": problem.get("column")}
    places |= {"title": problem["code"]}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value)
    lines = [f"{problem['message'].removesuffix('.')}. {problem['hint']}", *diff_of(problem)]
    return f"::{level} {properties}::{_data(chr(10).join(lines))}"


def _data(text: str) -> str:
    # Escape commands in the text too: the runner prints it again, without the command before it.
    return harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(report: JobReport) -> str:
    """Return the report as Markdown: a block of text, in which nothing that a file holds is markup."""
    text = harmless("\n".join(part for part in (report.as_text(), report.message) if part))
    # A fence that no line of the text can close.
    fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+", text)), 0)
    return f"{fence}text\n{text}\n{fence}\n"
