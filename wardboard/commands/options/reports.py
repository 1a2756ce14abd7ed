"""Options of every command that reports on files: the document, JUnit XML, and what GitHub Actions shows."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from wardboard.ci.github import add_summary, print_annotations, write_comment
from wardboard.ci.junit import write_junit
from wardboard.ci.report import JobReport
from wardboard.scoring.reading.problems import quote


class WritableFile(click.Path):
    """A file that a command writes at its end; it fails before it sends anything where it could not."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False, writable=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.exists() and not os.access(path.parent, os.W_OK | os.X_OK):
            self.fail(f"cannot write {path}: its folder does not exist, or is not writable", param, ctx)
        return path


def json_option() -> click.Option:
    """Return `--json`, which prints the document and nothing else."""
    return click.Option(["--json", "as_json"], is_flag=True, help="print the document of the API alone")


def output_option() -> click.Option:
    """Return `--output`, which keeps the submission."""
    return click.Option(
        ["--output", "-o"],
        type=WritableFile(),
        metavar="FILE",
        help="write the submission there as JSON; never an error",
    )


def report_parameters() -> list[click.Parameter]:
    """Return the options of reports."""
    return [
        json_option(),
        click.Option(
            ["--junit"],
            type=WritableFile(),
            metavar="FILE",
            help="write a report there as JUnit XML",
        ),
        click.Option(
            ["--comment"],
            type=WritableFile(),
            metavar="FILE",
            help="write a report there as Markdown, such as for a comment on a pull request",
        ),
        click.Option(
            ["--annotations/--no-annotations"],
            default=None,
            help="annotate lines of the file, as GitHub Actions reads them (default: where it runs)",
        ),
    ]


def refuse_overwriting(arguments: Mapping[str, Any]) -> None:
    """Raise UsageError where a report would replace a result file, or another report.

    The next command would read the report as results, or a CI system would find no tests and pass.
    """
    taken = {_identity(Path(name)): quote(name) for name in arguments.get("files", ()) if name != "-"}
    for option in ("output", "junit", "comment"):
        path = arguments.get(option)
        if not path or (path.exists() and not path.is_file()):
            continue  # A device or a pipe takes several texts.
        if other := taken.get(_identity(path)):
            raise click.UsageError(f"--{option} would write over {other}: give it a file of its own")
        taken[_identity(path)] = f"the file of --{option}"


def _identity(path: Path) -> object:
    """Return what two names of one file have in common, also where it does not exist yet."""
    try:
        status = path.stat()
    except OSError:
        return os.path.normcase(path.absolute().parent.resolve() / path.name)
    return status.st_dev, status.st_ino


def write_reports(report: JobReport, arguments: Mapping[str, Any]) -> None:
    """Write the reports that the options and the CI system ask for. Raises WrongUse."""
    if arguments.get("junit"):
        write_junit(arguments["junit"], report)
    if arguments.get("comment"):
        write_comment(arguments["comment"], report)
    annotations = arguments.get("annotations")
    if os.environ.get("GITHUB_ACTIONS") == "true" if annotations is None else annotations:
        print_annotations(report)
    add_summary(report)
