"""`wardboard validate`: check files without a service, an account or reference answers."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

import click

from wardboard.ci.gates import judge_warnings
from wardboard.ci.report import JobReport, remarks_of
from wardboard.commands.options.files import file_options, refuse_two_sources, with_benchmark
from wardboard.commands.options.reports import refuse_overwriting, report_parameters, write_reports
from wardboard.exit_codes import ExitCode
from wardboard.files.checking import check_files
from wardboard.files.output import print_report
from wardboard.files.reading import benchmark_clis
from wardboard.terminal import print_json

_STRICT = "end with 4 if there is any warning, such as a missing task"


def make_command() -> click.Command:
    """Return the command, with the options of every registered benchmark."""
    sources = [option for cli in benchmark_clis().values() for option in cli.validate_options()]

    def validate(**arguments: Any) -> int:
        refuse_two_sources(arguments, sources)
        refuse_overwriting(arguments)
        with ExitStack() as stack:
            checked = check_files(with_benchmark(arguments, sources), stack)
        report, document = checked.report, checked.document
        job = _job_report(document, arguments)
        if arguments["as_json"]:
            gates = [asdict(gate) for gate in job.gates]
            print_json({**document, "gates": gates} if gates else document)
        else:
            print_report(report, arguments["form"])
        write_reports(job, arguments)
        return job.code

    return click.Command(
        "validate",
        callback=validate,
        help="Check files; no account and no reference answers are needed.",
        params=[
            *file_options(sources),
            click.Option(["--strict"], is_flag=True, help=_STRICT),
            *report_parameters(),
        ],
    )


def _job_report(document: Mapping[str, Any], arguments: Mapping[str, Any]) -> JobReport:
    gates = [judge_warnings(document)] if arguments["strict"] and document["valid"] else []
    code, message = ExitCode.OK, ""
    if not document["valid"]:
        code, message = ExitCode.FILE_HAS_PROBLEMS, document["detail"]
    elif any(gate.passed is False for gate in gates):
        code, message = ExitCode.GATE_FAILED, gates[0].message
    facts = {"results": f"{document['results']:,}", "format": document["format"]} if document["valid"] else {}
    return JobReport(
        title="Check of " + ", ".join(arguments["files"]),
        code=code,
        message=message,
        facts=facts,
        files=arguments["files"],
        gates=gates,
        **remarks_of(document),
    )
