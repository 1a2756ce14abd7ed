"""The report of a command, printed for people, for programs and for the system that runs the job."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wardboard.ci.gates import Gate
from wardboard.ci.github import show_on_github
from wardboard.ci.report import JobReport, write_document
from wardboard.errors import WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.scoring.reading.problems import printable
from wardboard.terminal import print_json, show


def print_report(report: JobReport, *, as_json: bool, output: Path | None = None) -> ExitCode:
    """Print the report, keep its submission in `output`, and return its code, whatever cannot be written."""
    try:
        if not as_json:
            show(report.as_text())
        elif report.document:
            print_json(report.document)
        if report.message:
            show(f"wardboard: {printable(report.message)}", err=True)
        show_on_github(report)
        if output and report.submission is not None:
            write_document(output, report.submission)
    except WrongUse as error:
        if report.code == ExitCode.OK:
            raise
        show(f"wardboard: {error}", err=True)
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
