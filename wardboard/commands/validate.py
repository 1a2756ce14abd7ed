"""`wardboard validate`: check files without a service, an account or reference answers."""

import tempfile
from contextlib import ExitStack
from typing import Any

import click

from wardboard.commands.common import file_options, refuse_two_sources
from wardboard.exit_codes import ExitCode
from wardboard.files.output import CommandReport, print_report
from wardboard.files.reading import all_opened, family_clis, family_of, read_file, read_files_as_runs

_STRICT = "end with 4 if there is any warning, such as a missing task"


def make_command() -> click.Command:
    """Return the command, with the options of every registered family."""
    sources = [option for cli in family_clis().values() for option in cli.validate_options()]

    def validate(**arguments: Any) -> int:
        refuse_two_sources(arguments, sources)
        report = _check(arguments)
        print_report(report, arguments["form"])
        if report.reading is None:
            return ExitCode.FILE_HAS_PROBLEMS
        return ExitCode.GATE_FAILED if arguments["strict"] and report.warnings else ExitCode.OK

    return click.Command(
        "validate",
        callback=validate,
        help="Check files; no account and no reference answers are needed.",
        params=[*file_options(sources), click.Option(["--strict"], is_flag=True, help=_STRICT)],
    )


def _check(arguments: dict[str, Any]) -> CommandReport:
    names: tuple[str, ...] = arguments["files"]
    with ExitStack() as stack:
        files = stack.enter_context(all_opened(names))
        family, cli = family_of(arguments, files[0])
        expected = cli.expectation(arguments, files[0])
        if expected.note:
            click.echo(f"wardboard: {expected.note}", err=True)
        if len(files) == 1:
            return read_file(family, names[0], files[0], expected)
        kept = [stack.enter_context(tempfile.TemporaryFile()) for _ in names]
        return read_files_as_runs(family, names, files, expected, kept)
