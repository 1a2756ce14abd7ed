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


MEANINGS = MappingProxyType(
    {
        ExitCode.OK: "done: valid, sent, sealed, or with --wait scored, and every gate passed",
        ExitCode.FILE_HAS_PROBLEMS: "the file has problems, which are printed with place and fix",
        ExitCode.USAGE: "wrong usage, or a file that cannot be opened",
        ExitCode.FAULT: (
            "no verdict: the service was not reached or is not Wardboard, scoring failed or was cancelled, "
            "reference answers cannot be read, or the command has a fault"
        ),
        ExitCode.GATE_FAILED: (
            "a gate failed: --fail-under, --fail-on-regression, --strict; the result was disqualified; or "
            "the submission is not the one described"
        ),
        ExitCode.NOT_FINISHED: "no score within --timeout; it may come later: see `wardboard wait`",
        ExitCode.REFUSED: (
            "the service refused, or would: token, approval, quota, state, a field, or a pull request from a "
            "fork, whose job has no secret"
        ),
    }
)


def exit_code_lines() -> str:
    """Return the table as lines of text, for the help."""
    return "\n".join(f"  {code.value:>3}  {meaning}" for code, meaning in MEANINGS.items())
