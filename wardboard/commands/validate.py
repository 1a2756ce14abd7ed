"""`wardboard validate`: check files without a service, an account or reference answers."""

from contextlib import ExitStack
from typing import Any

import click

from wardboard.ci.gates import judge_warnings
from wardboard.commands.options.files import file_options, refuse_two_sources, with_benchmark
from wardboard.commands.reports import print_report, report_on
from wardboard.files.checking import check_files
from wardboard.files.reading import benchmark_clis

_STRICT = "end with 4 if there is any warning, such as a missing task"


def make_validate() -> click.Command:
    """Return the command, with the options of every registered benchmark."""
    sources = [option for cli in benchmark_clis().values() for option in cli.validate_options]

    def validate(**arguments: Any) -> int:
        refuse_two_sources(arguments, sources)
        with ExitStack() as stack:
            checked = check_files(with_benchmark(arguments, sources), stack)
        gates = [judge_warnings(checked.as_document())] if arguments["strict"] and checked.reading else []
        report = report_on(checked, arguments["files"], gates)
        print_report(report, as_json=arguments["as_json"])
        return report.code

    return click.Command(
        "validate",
        callback=validate,
        help="Check files; no account and no reference answers are needed.",
        params=[*file_options(sources), click.Option(["--strict"], is_flag=True, help=_STRICT)],
    )
