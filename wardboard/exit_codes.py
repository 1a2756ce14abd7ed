"""The exit codes of `wardboard`: one table for all commands."""

from enum import IntEnum
from types import MappingProxyType

from scoring import family_cli


class ExitCode(IntEnum):
    """The exit codes of every command."""

    OK = family_cli.OK
    FILE_HAS_PROBLEMS = family_cli.INVALID
    USAGE = family_cli.USAGE
    FAULT = family_cli.FAULT
    GATE_FAILED = 4
    INTERRUPTED = 130


MEANINGS = MappingProxyType(
    {
        ExitCode.OK: "the file is fine, or scored",
        ExitCode.FILE_HAS_PROBLEMS: "the file has problems, which are printed with place and fix",
        ExitCode.USAGE: "wrong usage, or a file that cannot be opened",
        ExitCode.FAULT: "problem with the reference answers, or an internal error",
        ExitCode.GATE_FAILED: "with --strict: the file has warnings, such as missing tasks",
        ExitCode.INTERRUPTED: "interrupted with Ctrl-C",
    }
)


def exit_code_lines() -> str:
    """Return the table as lines of text, for the help."""
    return "\n".join(f"  {code.value:>3}  {meaning}" for code, meaning in MEANINGS.items())
