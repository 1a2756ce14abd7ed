"""Options of every command that reports on files or on a submission."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from wardboard.scoring.reading.problems import quote

flag = partial(click.Option, is_flag=True)


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
    return flag(["--json", "as_json"], help="print the document of the API alone")


def output_option() -> click.Option:
    """Return `--output`, which keeps the submission."""
    return click.Option(
        ["--output", "-o"],
        type=WritableFile(),
        metavar="FILE",
        help="write the submission there as JSON; never an error",
    )


def refuse_overwriting(arguments: Mapping[str, Any]) -> None:
    """Raise UsageError where the submission would replace a file of results."""
    path: Path | None = arguments.get("output")
    for name in arguments.get("files", ()):
        if path and path.is_file() and Path(name).exists() and path.samefile(name):
            raise click.UsageError(f"--output would write over {quote(name)}: give it a file of its own")
