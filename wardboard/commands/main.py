"""The `wardboard` command."""

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from click.core import ParameterSource

from wardboard.errors import WardboardError, WrongUse
from wardboard.exit_codes import ExitCode, exit_code_lines
from wardboard.scoring.benchmark_cli import Failure
from wardboard.terminal import drop_output, show
from wardboard.version import __version__

# ruff: noqa: PLC0415
# Writing ends so on a full disk, a quota, a limit on the size of files, and a disk that cannot be written.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (that of the process by default) and return the exit code."""
    # A terminal or a log that is not UTF-8 shows escapes, and one that is closed takes nothing: neither must
    # end the command.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="backslashreplace")
    try:
        code = _commands().main(argv, prog_name="wardboard", standalone_mode=False)
        sys.stdout.flush()
    except (Exception, SystemExit) as error:
        return _explain(error)
    return int(code or ExitCode.OK)


def _explain(error: BaseException) -> int:
    if isinstance(error, click.Abort):
        # As a shell reports a command that Ctrl-C ended.
        return 130
    if isinstance(error, BrokenPipeError | SystemExit):
        # The reader of the output has closed it (`| head`). Click exits with 1 then, which would mean that a
        # file has problems, and Python would complain.
        drop_output()
        return ExitCode.FAULT
    if isinstance(error, Failure | WardboardError):
        return _end(f"wardboard: {error}", error.code)
    if isinstance(error, click.ClickException):
        # Click reports only wrong usage itself, together with the correct usage.
        usage = io.StringIO()
        error.show(usage)
        return _end(usage.getvalue().rstrip("\n"), ExitCode.USAGE, error.format_message())
    if isinstance(error, OSError) and (error.errno in _NO_ROOM or "temporary directory" in str(error)):
        why = f"cannot write a temporary file: {error.strerror}. Make room, or set TMPDIR to another folder"
        return _end(f"wardboard: {why}", ExitCode.USAGE)
    # The last line of defence: exit code 1 would tell a CI job that the file is at fault.
    show("".join(traceback.format_exception(error)), err=True)
    fault = "this is a fault of the program, not of the file; please report it"
    return _end(f"wardboard: {fault}", ExitCode.FAULT)


def _end(text: str, code: int, message: str = "") -> int:
    """Print why nothing was done, and the `message` of it where GitHub runs the job; return the exit code."""
    from wardboard.ci.github import show_on_github
    from wardboard.ci.report import JobReport

    show(text, err=True)
    message = message or text.removeprefix("wardboard: ")
    with suppress(WrongUse):
        show_on_github(JobReport(title="wardboard", code=ExitCode(code), message=message))
    return code


def _commands() -> click.Group:
    group = _Commands(
        "wardboard",
        help="Check, grade and submit results of clinical AI agents.",
        epilog=f"\b\nexit codes:\n{exit_code_lines()}",
        no_args_is_help=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    text = {"message": "%(prog)s %(version)s", "help": "show the version and exit"}
    return click.version_option(__version__, prog_name="wardboard", **text)(group)


_OF_FILES = ("validate", "convert", "grade", "verify")
_OF_SERVICE = (
    *("submit", "status", "wait", "publish", "withdraw", "tasks"),
    *("quota", "login", "token", "serve"),
)


def _load(name: str) -> click.Command:
    """Return one of our own commands, whose module is imported now.

    Those on files need the benchmarks, those on a service `requests`.
    """
    # ruff: noqa: PLC0415
    modules: tuple[ModuleType, ...]
    if name in _OF_FILES:
        from wardboard.commands import convert, grade, validate, verify

        modules = (convert, grade, validate, verify)
    else:
        from wardboard.commands import login, quota, sent_submissions, serve, submit

        modules = (login, quota, sent_submissions, serve, submit)
    found = (vars(module).get(name) for module in modules)
    return _refusing_empty(next(command for command in found if isinstance(command, click.Command)))


def _refusing_empty(command: click.Command) -> click.Command:
    """Let a command end with 2 for an option or a name that is empty: often a variable that is not set."""
    command, callback = copy(command), command.callback

    def checked(**arguments: Any) -> Any:
        _refuse_empty(click.get_current_context())
        # A block of YAML or a file of Windows leaves a line end, which no option has.
        stripped = {name: each.strip() if isinstance(each, str) else each for name, each in arguments.items()}
        return callback(**stripped) if callback else None

    command.callback = checked
    return command


def _refuse_empty(context: click.Context) -> None:
    """Raise UsageError for an empty text on the command line, or in the variable of an option."""
    for option in context.command.params:
        name = option.name or ""
        # Click takes an empty variable for none.
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            if _has_blank_variable(option):
                raise _empty(str(option.envvar), context)
            continue
        if name == "reason":  # it may be empty
            continue
        value = context.params.get(name)
        values = value if isinstance(value, tuple) else (value,)
        # An empty path is that of this folder, which some options take.
        is_path = value == Path() and not getattr(option.type, "dir_okay", True)
        if is_path or any(isinstance(each, str) and not each.strip() for each in values):
            raise _empty(option.opts[0], context)


def _has_blank_variable(option: click.Parameter) -> bool:
    name = option.envvar
    is_text = isinstance(name, str) and not getattr(option, "is_flag", False)
    return is_text and not os.environ.get(str(name), "set").strip()


def _empty(name: str, context: click.Context) -> click.UsageError:
    text = f"{name} is empty, as of a variable that is not set: give a value or leave it out."
    return click.UsageError(text, context)


def _benchmark_commands() -> dict[str, click.Command]:
    from wardboard.files.reading import benchmark_clis

    commands = (command for cli in benchmark_clis().values() for command in cli.commands)
    return {command.name or "": command for command in commands}


class _Commands(click.Group):
    """Our own commands, then those of the benchmarks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_OF_FILES, *_OF_SERVICE, *_benchmark_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in (*_OF_FILES, *_OF_SERVICE):
            return _load(cmd_name)
        return _benchmark_commands().get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # Commands of the service are the same whatever benchmarks are installed here.
        if args[0] not in _OF_SERVICE:
            from wardboard.scoring import registry

            for problem in registry.PLUGIN_PROBLEMS:
                show(f"wardboard: warning: {problem.message} {problem.hint}", err=True)
        name, command, words = super().resolve_command(ctx, args)
        if command is not None:
            _refuse_repeats(command, click.Context(command, parent=ctx, info_name=name), words)
        return name, command, words


def _refuse_repeats(command: click.Command, context: click.Context, words: list[str]) -> None:
    """Raise UsageError for an option that is given twice, of which Click takes the last one alone.

    A second `--fail-under`, as of a template, would undo the first one. A repeated flag changes nothing.
    """
    context.resilient_parsing = True  # Click itself reports other faults, a moment later.
    order = command.make_parser(context).parse_args(list(words))[2]
    context.resilient_parsing = False
    for option in dict.fromkeys(order):
        if not isinstance(option, click.Option) or option.multiple or order.count(option) < 2:
            continue
        if not option.is_flag or option.secondary_opts:
            raise click.UsageError(f"{option.opts[0]} is given more than once: give it once.", context)
