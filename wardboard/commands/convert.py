"""`wardboard convert`: write what was read of a file as a plain result file, for people to look at."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from wardboard.commands.options.files import file_options, with_benchmark
from wardboard.commands.reports import print_report, report_on
from wardboard.exit_codes import ExitCode
from wardboard.files.checking import check_files
from wardboard.files.reading import benchmark_clis
from wardboard.scoring.benchmark_cli import PATH, USAGE, Failure
from wardboard.terminal import show

_OUTPUT = "the file to write; of several runs, the folder (default: standard output)"


_SOURCES = [option for cli in benchmark_clis().values() for option in cli.validate_options]


@click.command(
    help="Write the plain result file that was read from a log of any format.",
    params=[
        *(option for option in file_options(_SOURCES) if option.name != "as_json"),
        click.Option(["--output", "-o"], type=PATH, metavar="PATH", help=_OUTPUT),
    ],
)
def convert(**arguments: Any) -> int:
    arguments = with_benchmark(arguments, _SOURCES)
    output: Path | None = arguments["output"]
    with ExitStack() as stack:
        checked = check_files(arguments, stack)
        report = report_on(checked.summary(arguments["files"]), checked.as_document(), arguments["files"])
        benchmark, reading = checked.benchmark, checked.reading
        if benchmark is None or reading is None:
            return print_report(report, as_json=False)
        show(report.as_text(), err=True)
        version = reading.version or checked.expected.version or None
        texts = [benchmark.plain_file(benchmark.records(kept), version=version) for kept in checked.kept]
    if output is None:
        if len(texts) > 1:
            raise Failure(USAGE, f"these are {len(texts)} runs: name a folder for their files with --output")
        click.echo(texts[0], nl=False)
        return ExitCode.OK
    paths = [output]
    try:
        if len(texts) > 1:
            output.mkdir(parents=True, exist_ok=True)
            paths = [output / f"run-{number:02}.json" for number in range(1, len(texts) + 1)]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
            show(f"{path}: written", err=True)
    except OSError as error:
        raise Failure(USAGE, f"cannot write {error.filename}: {error.strerror}") from None
    return ExitCode.OK
