"""Check the files that a command names, as the service does, and keep what scoring needs of them."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, BinaryIO

from wardboard.files.output import CommandReport
from wardboard.files.reading import (
    benchmark_clis,
    benchmark_of,
    read_file,
    read_files_as_runs,
    report_on_all,
    runs_opened,
)
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.runs import add_left_out
from wardboard.terminal import show


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFiles:
    """The report on files, and the document that the API would answer.

    names: of the runs. kept: of each, what scoring needs of it, at its start; none where there are problems
    benchmark: None for an archive that cannot be read
    version: that a file of the leaderboard states; "" for any
    """

    report: CommandReport
    document: Mapping[str, Any]
    names: Sequence[str] = ()
    kept: Sequence[BinaryIO] = ()
    benchmark: Benchmark | None = None
    version: str = ""


def check_files(arguments: Mapping[str, Any], stack: ExitStack) -> CheckedFiles:
    """Check the files of a command. stack: closes what is kept. Raises Failure."""
    try:
        names, files, left_out = stack.enter_context(runs_opened(arguments["files"]))
    except SubmissionInvalid as invalid:
        report = report_on_all(arguments["files"], invalid)
        slug = arguments["benchmark"] or next(iter(benchmark_clis()))
        document = report.as_document(benchmark=slug, runs=len(arguments["files"]), tasks=0)
        return CheckedFiles(report=report, document=document)
    benchmark, cli = benchmark_of(arguments, files[0])
    expected = cli.expectation(arguments, files[0])
    if expected.note:
        show(f"wardboard: {expected.note}", err=True)
    kept: list[BinaryIO] = [stack.enter_context(tempfile.TemporaryFile()) for _ in names]  # noqa: SIM115
    # Rules are the judge of a leaderboard unless its organiser chooses another one.
    has_forms = benchmark.needs_judge
    if len(files) == 1:
        report = read_file(benchmark, names[0], files[0], expected, kept[0], has_forms=has_forms)
        kept[0].seek(0)
    else:
        report = read_files_as_runs(benchmark, names, files, expected, kept, has_forms=has_forms)
    add_left_out(report.warnings, left_out)
    return CheckedFiles(
        report=report,
        document=report.as_document(benchmark=benchmark.slug, runs=len(names), tasks=len(expected.task_ids)),
        names=names,
        kept=kept,
        benchmark=benchmark,
        version=expected.version,
    )
