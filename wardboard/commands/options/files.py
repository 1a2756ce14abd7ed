"""Options that `validate`, `convert` and `grade` share."""

from collections.abc import Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any

import click

from wardboard.commands.options.reports import json_option
from wardboard.files.reading import benchmark_clis
from wardboard.scoring import registry
from wardboard.scoring.benchmark_cli import USAGE, Failure
from wardboard.scoring.reading.formats.systems import fault_of_selection
from wardboard.scoring.reading.problems import quote


def file_options(sources: Sequence[click.Option]) -> list[click.Parameter]:
    """Return the arguments and options of a command that reads files. sources: only one can be given."""
    text = "result files or a folder; - for standard input; several files are runs of one configuration"
    return [
        files_argument(text),
        click.Option(
            ["--benchmark"],
            metavar="NAME",
            help=f"{' or '.join(registry.BENCHMARKS)}, or a leaderboard such as medagentbench-300 "
            "(default: what the other options or the file show)",
        ),
        *sources,
        select_option(),
        *(option for cli in benchmark_clis().values() for option in cli.shared_options),
        json_option(),
    ]


def select_option() -> click.Option:
    return click.Option(
        ["--select"],
        multiple=True,
        metavar="GLOB",
        callback=_selection,
        help="which system of an archive or a folder, such as 'gpt-4o/**'; repeat it for runs of one system",
    )


def _selection(context: click.Context, parameter: click.Parameter, globs: tuple[str, ...]) -> str:
    """Return the globs as `select` of the API has them; "" for none. Raises BadParameter."""
    if globs and (fault := fault_of_selection("|".join(globs))):
        raise click.BadParameter(fault, context, parameter)
    return "|".join(globs)


def files_argument(text: str = "") -> click.Argument:
    """Return the argument FILE..., of which a pattern stands for the files that match it, by name."""
    return click.Argument(
        ["files"], nargs=-1, required=True, metavar="FILE...", help=text or None, callback=_expanded
    )


def _expanded(context: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of files, of patterns those that match. Raises BadParameter where none does."""
    files: list[str] = []
    for name in names:
        if not set(name) & set("*?") or Path(name).exists():
            files.append(name)
        # A bracket is a bracket: runs/[seed=1]/ is a folder, and never runs/s/.
        elif found := sorted(glob(name.replace("[", "[[]"), recursive=True)):
            files += found
        else:
            raise click.BadParameter(f"no file matches {quote(name)}", context, parameter)
    return tuple(files)


def with_benchmark(arguments: Mapping[str, Any], sources: Sequence[click.Option]) -> dict[str, Any]:
    """Return the arguments with a benchmark as `benchmark`, where they name one of its leaderboards.

    The version of the leaderboard is expected then, unless one of the options `sources` says otherwise.
    Raises Failure for an unknown name.
    """
    named = arguments["benchmark"]
    if named is None or named in registry.BENCHMARKS:
        return dict(arguments)
    boards = registry.named_boards()
    if named not in boards:
        # One name may be that of a benchmark and of its only leaderboard.
        names = ", ".join(dict.fromkeys((*registry.BENCHMARKS, *boards)))
        raise Failure(USAGE, f"--benchmark is {quote(named)}; known here are {names}")
    benchmark, board = boards[named]
    resolved = {**arguments, "benchmark": benchmark.slug}
    is_open = not any(arguments[option.name] for option in sources if option.name)
    if is_open and "version" in arguments and "version" in benchmark.cli().options:
        resolved["version"] = board.version
    return resolved


def refuse_two_sources(arguments: Mapping[str, Any], sources: Sequence[click.Option]) -> None:
    """Raise Failure where more than one of the options `sources` is given."""
    given = [option.opts[0] for option in sources if option.name and arguments[option.name]]
    if len(given) > 1:
        raise Failure(USAGE, f"{given[0]} and {given[1]} cannot be given together")
