"""`wardboard validate`: check files without an account or reference answers."""

from contextlib import ExitStack
from typing import Any

import click

from wardboard.ci.gates import Gate, judge_warnings
from wardboard.ci.logs import judge_log
from wardboard.commands.options.files import file_options, with_benchmark
from wardboard.commands.options.reports import flag
from wardboard.commands.reports import print_report, report_on
from wardboard.errors import NotReached
from wardboard.files.checking import check_files
from wardboard.files.reading import benchmark_clis
from wardboard.scoring import registry
from wardboard.scoring.benchmark_cli import FAULT, Failure
from wardboard.scoring.declared import Declared

_HELP = """Check files; no account and no reference answers are needed.

The service that WARDBOARD_URL names is asked for the declaration of a leaderboard that is not known here."""
_STRICT = "end with 4 if there is any warning, such as a missing task"
_SOURCES = [option for cli in benchmark_clis().values() for option in cli.validate_options]


@click.command(
    help=_HELP,
    params=[
        *file_options(_SOURCES),
        flag(["--strict"], help=_STRICT),
        click.Option(["--commit"], metavar="SHA", help="that ran, where it is not that of the CI job"),
        click.Option(["--model", "models"], multiple=True, metavar="NAME", help="that ran; repeat it"),
    ],
)
def validate(**arguments: Any) -> int:
    names = arguments["files"]
    try:
        resolved = with_benchmark(arguments, _SOURCES)
    except (NotReached, Failure) as error:
        if error.code != FAULT:
            raise
        message = f"Nothing was checked: {error}."
        unknown = Gate(name="not checked", passed=None, message=message, is_notice=True)
        report = report_on(f"{', '.join(names)} for {arguments['benchmark']}", {}, names, [unknown])
        return print_report(report, as_json=arguments["as_json"])
    with ExitStack() as stack:
        checked = check_files(resolved, stack)
    # Of several files, those that --select names are read.
    names = checked.names if len(names) > 1 and checked.names else names
    document = checked.as_document()
    gates, strict = list[Gate](), arguments["strict"]
    if checked.reading:
        commits = [("commit", arguments["commit"])] if arguments["commit"] else []
        stated = [*(("models", model) for model in arguments["models"]), *commits]
        gates += judge_log(document, stated, strict=strict)
        gates += [judge_warnings(document)] if strict else []
        if isinstance(registry.BENCHMARKS.get(resolved["benchmark"]), Declared):
            message = "Only the service knows the ids of the tasks, and checks them once the file is sent."
            gates.append(Gate(name="ids not checked", passed=None, message=message, is_notice=True))
    report = report_on(checked.summary(names), document, names, gates)
    return print_report(report, as_json=arguments["as_json"])
