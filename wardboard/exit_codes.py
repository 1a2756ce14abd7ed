"""The exit codes of `wardboard`: one table for all commands."""

from enum import IntEnum
from types import MappingProxyType

from wardboard.scoring import benchmark_cli


class ExitCode(IntEnum):
    """The exit codes of every command; docs/ci.md has the same table."""

    OK = benchmark_cli.OK
    FILE_HAS_PROBLEMS = benchmark_cli.INVALID
    USAGE = benchmark_cli.USAGE
    FAULT = benchmark_cli.FAULT
    GATE_FAILED = 4
    NOT_FINISHED = 5
    REFUSED = 6
    NOT_REACHED = 7
    NOT_WARDBOARD = 8
    NOT_SCORED = 9
    FORK = 10
    INTERRUPTED = 130


MEANINGS = MappingProxyType(
    {
        ExitCode.OK: "done: valid, sent, or with --wait scored, and every gate passed",
        ExitCode.FILE_HAS_PROBLEMS: "the file has problems, which are printed with place and fix",
        ExitCode.USAGE: "wrong usage, or a file that cannot be opened",
        ExitCode.FAULT: "problem with the reference answers, or an internal error of the command",
        ExitCode.GATE_FAILED: (
            "a gate failed: --fail-under, --fail-on-regression, --strict; the result was disqualified; or "
            "the submission is not the one described"
        ),
        ExitCode.NOT_FINISHED: "no score within --timeout; scoring goes on: see `wardboard wait`",
        ExitCode.REFUSED: "the service refused, or would: token, approval, quota, state, or a field",
        ExitCode.NOT_REACHED: "the service was not reached, fell silent or was out of order at every attempt",
        ExitCode.NOT_WARDBOARD: "something else answered: a redirect, a sign-in page, or about another file",
        ExitCode.NOT_SCORED: "the submission failed through a fault of the service, or was cancelled",
        ExitCode.FORK: "a pull request from a fork: its job has no secret and no ID token, and sent nothing",
        ExitCode.INTERRUPTED: "interrupted with Ctrl-C",
    }
)


def exit_code_lines() -> str:
    """Return the table as lines of text, for the help."""
    return "\n".join(f"  {code.value:>3}  {meaning}" for code, meaning in MEANINGS.items())
