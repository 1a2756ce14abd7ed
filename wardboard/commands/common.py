"""What `validate` and `grade` share: options, and the form of the output."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from scoring import registry
from scoring.family_cli import USAGE, Failure
from wardboard.files.reading import family_clis


def file_options(sources: Sequence[click.Option]) -> list[click.Parameter]:
    """Return the arguments and options of a command that reads files. sources: only one can be given."""
    text = "result files, plain or gzip; - for standard input; several are runs of one configuration"
    return [
        click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", help=text),
        click.Option(
            ["--benchmark"],
            type=click.Choice(tuple(registry.FAMILIES)),
            help="default: what the other options or the file show",
        ),
        *sources,
        *(option for cli in family_clis().values() for option in cli.shared_options()),
        click.Option(
            ["--format", "form"], type=click.Choice(["text", "json"]), default="text", help="default: text"
        ),
    ]


def refuse_two_sources(arguments: Mapping[str, Any], sources: Sequence[click.Option]) -> None:
    """Raise Failure where more than one of the options `sources` is given."""
    given = [option.opts[0] for option in sources if option.name and arguments[option.name]]
    if len(given) > 1:
        raise Failure(USAGE, f"{given[0]} and {given[1]} cannot be given together")
