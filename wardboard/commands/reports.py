"""The report of a command, printed for people, for programs and for the system that runs the job."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from wardboard.ci.gates import Gate
from wardboard.ci.github import show_on_github
from wardboard.ci.report import JobReport, write_document
from wardboard.errors import WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.scoring.benchmark_cli import Failure
from wardboard.scoring.reading.problems import printable
from wardboard.terminal import print_json, show


def print_report(report: JobReport, *, as_json: bool, output: Path | None = None) -> ExitCode:
    """Print the report, keep its submission in `output`, and return its code, whatever cannot be written."""
    steps = [partial(show_on_github, report)]
    if report.message:
        steps.insert(0, partial(show, f"wardboard: {printable(report.message)}", err=True))
    if report.document or not as_json:
        steps.insert(0, partial(print_json, report.document) if as_json else partial(show, report.as_text()))
    if output and report.submission is not None:
        steps.append(partial(write_document, output, report.submission))
    faults = list[Failure | WrongUse]()
    for step in steps:
        try:
            step()
        except (Failure, WrongUse) as error:
            faults.append(error)
    if faults and report.code == ExitCode.OK:
        raise faults[0]
    for fault in faults:
        show(f"wardboard: {fault}", err=True)
    return report.code


def report_on(
    title: str, document: dict[str, Any], names: Sequence[str], gates: Sequence[Gate] = ()
) -> JobReport:
    """Return the report on files that were checked. document: {} where they were not. names: as given."""
    code = ExitCode.OK if document.get("valid", True) else ExitCode.FILE_HAS_PROBLEMS
    if gates:
        document = {**document, "gates": [asdict(gate) for gate in gates]}
    if any(gate.passed is False for gate in gates):
        code = ExitCode.GATE_FAILED
    return JobReport(title=title, code=code, files=names, gates=gates, document=document)
