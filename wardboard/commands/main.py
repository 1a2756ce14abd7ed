"""The `wardboard` command."""

import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from wardboard.errors import WardboardError, WrongUse
from wardboard.exit_codes import ExitCode, exit_code_lines
from wardboard.scoring.benchmark_cli import Failure
from wardboard.terminal import drop_output, show
from wardboard.version import __version__

_INTERRUPTED = 130  # as a shell reports a command that Ctrl-C ended


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
    """Print what went wrong; return the exit code."""
    if isinstance(error, click.Abort):
        return _INTERRUPTED
    if isinstance(error, BrokenPipeError | SystemExit):
        # The reader of the output has closed it (`| head`). Click exits with 1 then, which would mean that a
        # file has problems, and Python would complain.
        drop_output()
        return ExitCode.FAULT
    if isinstance(error, Failure | WardboardError):
        show(f"wardboard: {error}", err=True)
        return error.code
    if isinstance(error, click.ClickException):
        # Click reports only wrong usage itself, together with the correct usage.
        usage = io.StringIO()
        error.show(usage)
        show(usage.getvalue().rstrip("\n"), err=True)
        return ExitCode.USAGE
    # The last line of defence: exit code 1 would tell a CI job that the file is at fault.
    show("".join(traceback.format_exception(error)), err=True)
    show("wardboard: this is a fault of the program, not of the file; please report it", err=True)
    return ExitCode.FAULT


def _commands() -> click.Group:
    group = _Commands(
        "wardboard",
        help="Check, grade and submit results of clinical AI agents.",
        epilog=f"\b\nexit codes:\n{exit_code_lines()}",
        no_args_is_help=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    group.params.append(_version_option())
    return group


def _version_option() -> click.Option:
    def show(ctx: click.Context, option: click.Parameter, is_asked: bool) -> None:
        if is_asked and not ctx.resilient_parsing:
            click.echo(f"wardboard {__version__}")
            ctx.exit()

    text = "show the version and exit"
    return click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=show, help=text
    )


def _file_commands(name: str) -> click.Command:
    if name == "grade":
        from wardboard.commands import grade  # noqa: PLC0415

        return grade.make_command()
    if name == "convert":
        from wardboard.commands import convert  # noqa: PLC0415

        return convert.make_command()
    from wardboard.commands import validate  # noqa: PLC0415

    return validate.make_command()


def _verify_command() -> click.Command:
    from wardboard.commands import verify  # noqa: PLC0415

    return verify.command


def _serve_command() -> click.Command:
    def serve(port: int | None, data: Path | None) -> None:
        _require_service()
        if port is not None:
            os.environ["PORT"] = str(port)
        if data is not None:
            os.environ["WARDBOARD_DATA"] = str(data.absolute())
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-m", "leaderboard.serve"])  # noqa: S606 (no shell)

    folder = click.Path(file_okay=False, path_type=Path)
    options: list[click.Parameter] = [
        click.Option(["--port"], type=click.IntRange(1, 65535), help="where it listens on 127.0.0.1 [8000]"),
        click.Option(["--data"], type=folder, help="folder of its database and files [./var]"),
    ]
    text = "Serve leaderboards from this machine, with a demonstration. It needs wardboard-server."
    return click.Command("serve", callback=serve, params=options, help=text)


def _require_service() -> None:
    """Raise WrongUse where `python -m leaderboard.serve` would find no service, or a stranger's package.

    The command imports nothing of the service, which may not be installed.
    """
    # With -m, Python looks into the working folder first.
    for folder in (Path.cwd(), *map(Path, sys.path)):
        package = folder / "leaderboard"
        if all((package / name).is_file() for name in ("serve.py", "secret_key.py")):
            return
        if (package / "__init__.py").is_file() or package.with_suffix(".py").is_file():
            raise WrongUse(
                f"{package} is not the service: pip install wardboard-server into an environment of its own"
            )
    raise WrongUse("the service is not installed: pip install wardboard-server")


def _service_commands(name: str) -> click.Command:
    from wardboard.commands import boards, login, sent_submissions, submit  # noqa: PLC0415

    make: dict[str, Callable[[], click.Command]] = {
        "submit": submit.make_command,
        "status": sent_submissions.make_status,
        "wait": sent_submissions.make_wait,
        "publish": sent_submissions.make_publish,
        "withdraw": sent_submissions.make_withdraw,
        "tasks": sent_submissions.make_tasks,
        "trace": sent_submissions.make_trace,
        "leaderboard": boards.make_leaderboard,
        "quota": boards.make_quota,
        "login": login.make_login,
        "token": login.make_token,
    }
    return make[name]()


# Commands are imported when called: those on files need the benchmarks, those on a service need `requests`.
_OF_FILES = ("validate", "convert", "grade")
_OF_SERVICE = (
    *("submit", "status", "wait", "publish", "withdraw", "tasks", "trace"),
    *("leaderboard", "quota", "login", "token"),
)


_FREE_TEXTS = ("reason",)  # they may be empty


def _refusing_empty(command: click.Command) -> click.Command:
    """Let a command end with 2 for an option or a name that is empty: often a variable that is not set."""
    callback = command.callback

    def checked(**arguments: Any) -> Any:
        _refuse_empty(click.get_current_context())
        return callback(**arguments) if callback else None

    command.callback = checked
    return command


def _refuse_empty(context: click.Context) -> None:
    """Raise UsageError for an empty text on the command line, or in the variable of an option."""
    for option in context.command.params:
        name = option.name or ""
        source = context.get_parameter_source(name)
        # Click takes an empty variable for none.
        if source is not ParameterSource.COMMANDLINE:
            if _has_blank_variable(option):
                raise _empty(str(option.envvar), context)
            continue
        if name in _FREE_TEXTS:
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
    from wardboard.files.reading import benchmark_clis  # noqa: PLC0415

    commands = (command for cli in benchmark_clis().values() for command in cli.commands())
    return {command.name or "": command for command in commands}


class _Commands(click.Group):
    """Our own commands, then those of the benchmarks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_OF_FILES, "verify", *_OF_SERVICE, "serve", *_benchmark_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _OF_FILES:
            return _refusing_empty(_file_commands(cmd_name))
        if cmd_name == "verify":
            return _refusing_empty(_verify_command())
        if cmd_name == "serve":
            return _serve_command()
        if cmd_name in _OF_SERVICE:
            return _refusing_empty(_service_commands(cmd_name))
        return _benchmark_commands().get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # Commands of the service are the same whatever benchmarks are installed here.
        if args[0] not in (*_OF_SERVICE, "serve"):
            _show_plugin_problems()
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


def _show_plugin_problems() -> None:
    from wardboard.scoring import registry  # noqa: PLC0415

    for problem in registry.PLUGIN_PROBLEMS:
        show(f"wardboard: warning: {problem.message} {problem.hint}", err=True)
