"""`wardboard validate`: check files without an account or reference answers."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import click

from wardboard.ci.gates import Gate, judge_warnings
from wardboard.ci.logs import judge_log
from wardboard.ci.report import JobReport
from wardboard.client.credentials import URL_VARIABLE
from wardboard.client.documents import shown
from wardboard.commands.options.files import file_options, refuse_two_sources, with_benchmark
from wardboard.commands.reports import print_report, report_on
from wardboard.errors import NotReached
from wardboard.files.checking import check_files
from wardboard.files.reading import benchmark_clis
from wardboard.scoring import registry

_HELP = """Check files; no account and no reference answers are needed.

A leaderboard that is not known here is asked of the service that WARDBOARD_URL names."""
_STRICT = "end with 4 if there is any warning, such as a missing task"


def make_validate() -> click.Command:
    """Return the command, with the options of every registered benchmark."""
    sources = [option for cli in benchmark_clis().values() for option in cli.validate_options]

    def validate(**arguments: Any) -> int:
        refuse_two_sources(arguments, sources)
        is_known = arguments["benchmark"] in {None, *registry.BENCHMARKS, *registry.named_boards()}
        if not is_known and (url := os.environ.get(URL_VARIABLE, "").strip()):
            return _ask_service(url, arguments)
        with ExitStack() as stack:
            checked = check_files(with_benchmark(arguments, sources), stack)
        # Of several files, those that --select names are read.
        names = checked.names if len(arguments["files"]) > 1 and checked.names else arguments["files"]
        document = checked.as_document()
        gates = _gates_of(document, arguments) if checked.reading else []
        report = report_on(checked.summary(names), document, names, gates)
        return print_report(report, as_json=arguments["as_json"])

    return click.Command(
        "validate",
        callback=validate,
        help=_HELP,
        params=[
            *file_options(sources),
            click.Option(["--strict"], is_flag=True, help=_STRICT),
            click.Option(["--commit"], metavar="SHA", help="that ran, where it is not that of the CI job"),
            click.Option(["--model", "models"], multiple=True, metavar="NAME", help="that ran; repeat it"),
        ],
    )


def _gates_of(document: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Gate]:
    stated, strict = [("models", model) for model in arguments["models"]], arguments["strict"]
    stated += [("commit", arguments["commit"])] if arguments["commit"] else []
    warnings = [judge_warnings(document)] if strict else []
    return [*judge_log(document, stated, strict=strict), *warnings]


def _ask_service(url: str, arguments: Mapping[str, Any]) -> int:
    """Have a service check the files, and end as a check here does; with 0 where it is not reached."""
    # ruff: noqa: PLC0415
    from wardboard.client.connection import ServiceOptions
    from wardboard.client.service import Client
    from wardboard.commands.endings import guarded
    from wardboard.submitting import parts_opened

    names, benchmark = [*arguments["files"]], arguments["benchmark"]
    title = f"{', '.join(names)} for {benchmark}"

    def work() -> JobReport:
        document = dict[str, Any]()
        # Without a token: the ID token of a job is good for one exchange, and a check needs none.
        client = Client(ServiceOptions(url=url))
        with shown(), parts_opened(names, arguments["select"]) as (parts, select):
            names[:] = [part.name for part in parts]
            try:
                document |= client.validate(benchmark, parts, select=select)
                gates = _gates_of(document, arguments)
            except NotReached as error:
                message = f"Nothing was checked: {error}."
                gates = [Gate(name="not checked", passed=None, message=message, is_notice=True)]
        return report_on(f"{title}: no error" if document else title, document, names, gates)

    return guarded(work, arguments, title=title, files=names)
