"""The `wardboard` command."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence

import click

from scoring.family_cli import Failure
from wardboard import __version__
from wardboard.exit_codes import ExitCode, exit_code_lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (that of the process by default) and return the exit code."""
    # A terminal or a log that is not UTF-8 shows escapes; it must not end the command.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = _commands().main(argv, prog_name="wardboard", standalone_mode=False)
        sys.stdout.flush()
    except Failure as failure:
        click.echo(f"wardboard: {failure}", err=True)
        return failure.code
    except click.ClickException as error:
        # Click knows wrong usage alone, and shows how it is right.
        error.show()
        return ExitCode.USAGE
    except click.Abort:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has closed it (`| head`). Python would complain on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAULT
    except Exception:
        # The last line of defence: exit code 1 would tell a CI job that the file is at fault.
        traceback.print_exc()
        click.echo("wardboard: this is a fault of the program, not of the file; please report it", err=True)
        return ExitCode.FAULT
    return int(code or ExitCode.OK)


def _commands() -> click.Group:
    group = _Commands(
        "wardboard",
        help="Check, grade and submit results of clinical AI agents.",
        epilog=f"\b\nexit codes:\n{exit_code_lines()}",
        no_args_is_help=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    return click.version_option(__version__, prog_name="wardboard")(group)


def _validate() -> click.Command:
    from wardboard.commands import validate  # noqa: PLC0415

    return validate.make_command()


def _grade() -> click.Command:
    from wardboard.commands import grade  # noqa: PLC0415

    return grade.make_command()


# A command is imported when it is called: each needs other libraries, and a CI job calls one.
_MAKE: dict[str, Callable[[], click.Command]] = {"validate": _validate, "grade": _grade}


def _family_commands() -> dict[str, click.Command]:
    from wardboard.files.reading import family_clis  # noqa: PLC0415

    commands = (command for cli in family_clis().values() for command in cli.commands())
    return {command.name or "": command for command in commands}


class _Commands(click.Group):
    """The commands of ours, then those of the families."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_MAKE, *_family_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _MAKE:
            return _MAKE[cmd_name]()
        return _family_commands().get(cmd_name)
