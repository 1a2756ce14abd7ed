"""Options that `validate`, `convert` and `grade` share."""

import json
from collections.abc import Mapping, Sequence
from glob import glob
from os.path import normpath
from pathlib import Path
from typing import Any

import click

from wardboard.client.credentials import find_url
from wardboard.commands.options.reports import json_option
from wardboard.errors import ForeignAnswer, RequestRefused, WrongUse
from wardboard.files.reading import benchmark_clis
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.benchmark_cli import FAULT, USAGE, Failure
from wardboard.scoring.declared import Declared
from wardboard.scoring.reading.formats.systems import fault_of_selection
from wardboard.scoring.reading.problems import SubmissionInvalid, quote


def file_options(sources: Sequence[click.Option]) -> list[click.Parameter]:
    """Return the arguments and options of a command that reads files. sources: only one can be given."""
    text = "result files or a folder; - for standard input; several files are runs of one configuration"
    return [
        files_argument(text),
        click.Option(
            ["--benchmark"],
            metavar="NAME",
            help=f"{' or '.join(registry.BENCHMARKS)}, or a leaderboard such as medagentbench-300, one of "
            "the service that WARDBOARD_URL names too (default: what the other options or the file show)",
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
    """Return the names of files, of patterns what they match, without those after !. Raises BadParameter."""
    files, left_out = list[str](), set[str]()
    for name in names:
        if name.startswith("!") and not Path(name).exists():
            left_out.update(map(normpath, (name[1:], *_matching(name[1:]))))
        elif not set(name) & set("*?") or Path(name).exists():
            files.append(name)
        elif found := _matching(name):
            files += found
        else:
            raise click.BadParameter(f"no file matches {quote(name)}", context, parameter)
    kept = tuple(name for name in files if normpath(name) not in left_out)
    if not kept:
        raise click.BadParameter("the patterns after ! leave out every file", context, parameter)
    return kept


def _matching(pattern: str) -> list[str]:
    # A bracket is a bracket: runs/[seed=1]/ is a folder, and never runs/s/.
    return sorted(glob(pattern.replace("[", "[[]"), recursive=True))


def with_benchmark(arguments: Mapping[str, Any], sources: Sequence[click.Option]) -> dict[str, Any]:
    """Return the arguments with a benchmark as `benchmark`, where they name one of its leaderboards.

    The version of the leaderboard is expected then, unless one of the options `sources` says otherwise.
    Raises Failure for two of `sources`, and for a name that neither this release nor the service knows.
    """
    given = [option.opts[0] for option in sources if option.name and arguments[option.name]]
    if len(given) > 1:
        raise Failure(USAGE, f"{given[0]} and {given[1]} cannot be given together")
    named = arguments["benchmark"]
    if named is None or named in registry.BENCHMARKS:
        return dict(arguments)
    boards = registry.named_boards()
    benchmark, version = (
        (boards[named][0], boards[named][1].version) if named in boards else _ask_service(named)
    )
    resolved = {**arguments, "benchmark": benchmark.slug}
    if not given and "version" in arguments and "version" in benchmark.cli().options:
        resolved["version"] = version
    return resolved


def _ask_service(named: str) -> tuple[Benchmark, str]:
    """Return the benchmark and the version of a leaderboard that only the service knows.

    A benchmark that a file declares is registered. Raises NotReached, ForeignAnswer, and Failure: with USAGE
    for a name that the service does not know either, with FAULT where this release cannot read its files.
    """
    # Import it here: a command that asks no service starts without it.
    from wardboard.client.connection import ServiceOptions  # noqa: PLC0415
    from wardboard.client.documents import shown  # noqa: PLC0415
    from wardboard.client.service import Client  # noqa: PLC0415

    try:
        client = Client(ServiceOptions(url=find_url(), attempts=2, seconds=10))
        board = client.benchmark(named)
        with shown():
            family, version, is_declared = board["family"], board["version"], board["declaration_url"]
        if (benchmark := registry.find(family)) is None:
            if not is_declared:
                raise Failure(FAULT, f"the benchmark of {quote(named)} is code that is not installed here")
            benchmark = Declared(json.dumps(client.declaration(named)).encode())
            if benchmark.slug != family:
                raise ForeignAnswer(f"the declaration of {quote(named)} is one of {quote(benchmark.slug)}")
            registry.add(benchmark)
        return benchmark, version
    except SubmissionInvalid:
        raise Failure(FAULT, f"a newer release of wardboard can read {quote(named)}") from None
    except (RequestRefused, WrongUse) as error:
        # One name may be that of a benchmark and of its only leaderboard.
        names = ", ".join(dict.fromkeys((*registry.BENCHMARKS, *registry.named_boards())))
        raise Failure(USAGE, f"--benchmark is {quote(named)}; known here are {names}; {error}") from None
