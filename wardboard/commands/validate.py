"""`wardboard validate`: check files without an account or reference answers."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import click

from wardboard.ci.gates import Gate, judge_warnings
from wardboard.ci.logs import judge_log
from wardboard.ci.report import JobReport
from wardboard.client.credentials import find_url, known_url
from wardboard.commands.options.files import file_options, refuse_two_sources, with_benchmark
from wardboard.commands.reports import print_report, report_on
from wardboard.errors import NotReached
from wardboard.exit_codes import ExitCode
from wardboard.files.checking import check_files
from wardboard.files.reading import all_opened, benchmark_clis
from wardboard.scoring import registry

_HELP = """Check files; no account and no reference answers are needed.

A leaderboard that is not known here is asked of the service that WARDBOARD_URL names."""
_STRICT = "end with 4 if there is any warning, such as a missing task"
_UNRANKED = "check the files against the unranked lane of the leaderboard, which the service knows"


def make_validate() -> click.Command:
    """Return the command, with the options of every registered benchmark."""
    sources = [option for cli in benchmark_clis().values() for option in cli.validate_options]

    def validate(**arguments: Any) -> int:
        refuse_two_sources(arguments, sources)
        named, is_lane = arguments["benchmark"], arguments["unranked"]
        if is_lane and not named:
            raise click.UsageError("--unranked needs --benchmark: name the leaderboard")
        is_known = not named or named in {*registry.BENCHMARKS, *registry.named_boards()}
        # Without a service, the name of what is not known here is refused below.
        if is_lane or (not is_known and known_url()):
            return _ask_service(find_url(), arguments)
        with ExitStack() as stack:
            checked = check_files(with_benchmark(arguments, sources), stack)
        gates = _gates_of(checked.as_document(), arguments) if checked.reading else []
        report = report_on(checked, arguments["files"], gates)
        return print_report(report, as_json=arguments["as_json"])

    return click.Command(
        "validate",
        callback=validate,
        help=_HELP,
        params=[
            *file_options(sources),
            click.Option(["--strict"], is_flag=True, help=_STRICT),
            click.Option(["--unranked"], is_flag=True, help=_UNRANKED),
            click.Option(["--commit"], metavar="SHA", help="that ran, where it is not that of the CI job"),
        ],
    )


def _gates_of(document: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Gate]:
    stated, strict = [("commit", arguments["commit"])] if arguments["commit"] else [], arguments["strict"]
    warnings = [judge_warnings(document)] if strict else []
    return [*judge_log(document, stated, os.environ, strict=strict), *warnings]


def _ask_service(url: str, arguments: Mapping[str, Any]) -> int:
    """Have a service check the files, and end as a check here does; with 0 where it is not reached."""
    # ruff: noqa: PLC0415
    from wardboard.client.connection import ServiceOptions
    from wardboard.client.service import Client
    from wardboard.client.upload import FilePart
    from wardboard.commands.endings import guarded
    from wardboard.submitting import find_lane, naming_page

    names, title = arguments["files"], f"{', '.join(arguments['files'])} for {arguments['benchmark']}"
    # Without a token: the ID token of a job is good for one exchange, and a check needs none.
    client, benchmark = Client(ServiceOptions(url=url)), arguments["benchmark"]

    def work() -> JobReport:
        document: Mapping[str, Any] = {}
        with naming_page(client), all_opened(names) as files:
            try:
                lane = find_lane(client, benchmark) if arguments["unranked"] else benchmark
                parts = [FilePart(name=name, file=file) for name, file in zip(names, files, strict=True)]
                document = client.validate(lane, parts)
                gates = _gates_of(document, arguments)
            except NotReached as error:
                message = f"Nothing was checked: {error}."
                gates = [Gate(name="not checked", passed=None, message=message, is_notice=True)]
        is_failed = any(gate.passed is False for gate in gates)
        code = ExitCode.GATE_FAILED if is_failed else ExitCode.OK
        return JobReport(title=f"{title}: no error", code=code, files=names, gates=gates, document=document)

    return guarded(work, arguments, title=title, files=names)
