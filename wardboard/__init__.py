"""Check, grade and submit results of clinical AI agents, from Python and from the command line.

`submit` does what `wardboard submit` does; `Client` has one method for each resource of the API. Both raise
`WardboardError`, whose `code` is the exit code of the command.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wardboard.ci.gates import GateFailed
    from wardboard.client.connection import ServiceOptions
    from wardboard.client.service import Client
    from wardboard.errors import (
        ForeignAnswer,
        ForkJob,
        NotFinished,
        NotReached,
        RequestRefused,
        SubmissionEnded,
        WardboardError,
        WrongUse,
    )
    from wardboard.exit_codes import ExitCode
    from wardboard.submitting import SubmissionOutcome, submit
    from wardboard.version import __version__

__all__ = [
    "Client",
    "ExitCode",
    "ForeignAnswer",
    "ForkJob",
    "GateFailed",
    "NotFinished",
    "NotReached",
    "RequestRefused",
    "ServiceOptions",
    "SubmissionEnded",
    "SubmissionOutcome",
    "WardboardError",
    "WrongUse",
    "__version__",
    "submit",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use: the command starts here, and `--version` needs no `requests`."""
    # ruff: noqa: PLC0415
    if name == "__version__":
        from wardboard import version

        return version.__version__
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wardboard import errors, exit_codes, submitting
    from wardboard.ci import gates
    from wardboard.client import connection, service

    modules = (submitting, service, connection, gates, errors, exit_codes)
    return next(vars(module)[name] for module in modules if name in vars(module))
