"""Work on the bytes of strangers in child processes, with limits of processor time and memory.

Each piece of work has a process of its own, forked from a server that multiprocessing starts and that has
loaded the readers alone: no thread, request or connection of this process is in it. What takes more than its
limits is killed, and nothing else suffers from it.
"""

import gc
import logging
import multiprocessing
import os
import resource
import signal
import traceback
from collections.abc import Callable, Mapping
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, BinaryIO

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import make_problem
from wardboard.scoring.reading.limits import MIB, size
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import Remarks, SubmissionInvalid

logger = logging.getLogger(__name__)

# What the work may take beside the code. A document of 32 MiB, the largest that is parsed as a whole, takes
# 240 MiB where a single character makes its text four times as large in memory.
MEMORY = 400 * MIB
# Seconds of a processor beyond the time that the work itself keeps to, as it looks at the clock between two
# values; twice as many by the clock, as on a busy machine it does not have a core of its own.
_GRACE = 1
_NOT_KNOWN = 255  # the exit code of a process whose server was killed
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([__name__, *(f"{__package__}.{name}" for name in ("readers", "warm"))])


class ChildFailed(Exception):
    """The work raised an error that it should not, whose traceback is the message, or its process died."""


class Handed:
    """An open file of this process, which the work gets as a file of its own, at its start."""

    def __init__(self, file: BinaryIO, mode: str = "rb") -> None:
        self._file, self._mode = file, mode

    def __reduce__(self) -> tuple[Any, ...]:
        self._file.flush()
        return _take, (DupFd(self._file.fileno()), self._mode)


def _take(descriptor: Any, mode: str) -> Any:
    file = os.fdopen(descriptor.detach(), mode)
    file.seek(0)
    return file


def start() -> None:
    """Start the server that children are forked from, so that no first file waits for it."""
    forkserver.ensure_running()


def run(work: Callable[..., Any], *, seconds: float, is_strange: bool = False, **options: Any) -> Any:
    """Return what `work(**options)` returns in a child process. It and all values have to be picklable.

    seconds: that it may take; work keeps to them by itself where it can. is_strange: whether the sender has
    no account, and so gives way to others; pages come before all files.
    Raises SubmissionInvalid and OSError as the work does, SubmissionInvalid for what takes too much time or
    memory, Busy where somebody else has killed it, and ChildFailed.
    """
    receiver, sender = _context.Pipe(duplex=False)
    process = _context.Process(
        target=_work, args=(sender, seconds, 10 if is_strange else 5, work, options), daemon=True
    )
    with receiver:
        with sender:
            try:
                process.start()
            except (EOFError, ConnectionError) as error:
                raise _interrupted() from error
        try:
            is_done, outcome = receiver.recv() if receiver.poll(seconds + 2 * _GRACE) else (False, None)
        except EOFError:
            # It died; its exit code says of what.
            process.join()
            is_done, outcome = False, None
    is_late = outcome is None and process.is_alive()
    if is_late:
        process.kill()
    process.join()
    code = process.exitcode
    process.close()
    if is_done:
        return outcome
    if is_late or code == -signal.SIGXCPU:
        raise _too_costly(
            phrase(
                "reading the file took longer than {limit} seconds; the rest was not read",
                limit=f"{seconds:,.3g}",
            )
        )
    if isinstance(outcome, MemoryError):
        raise _too_costly(
            phrase(
                "reading the file took more than {limit} of memory; the rest was not read", limit=size(MEMORY)
            )
        )
    if isinstance(outcome, Exception):
        raise outcome
    if code in (-signal.SIGKILL, _NOT_KNOWN):
        raise _interrupted()
    raise ChildFailed(outcome or f"a process that read a file ended with {code}")


def _interrupted() -> Exception:
    """Return the error of work whose process, or server, was killed: by the kernel for memory, say."""
    # Not in the children, of which each would load it anew.
    from django.utils.translation import gettext  # noqa: PLC0415

    from leaderboard.services.errors import Busy  # noqa: PLC0415

    return Busy(gettext("The check of the file was interrupted. Try again in a few seconds."))


def _too_costly(message: Phrase) -> SubmissionInvalid:
    logger.warning("a file was refused: %s", message)
    problems = Remarks()
    problems.add(make_problem(DocumentCode.TOO_SLOW, (), message))
    return SubmissionInvalid(problems)


def _work(
    sender: Connection, seconds: float, niceness: int, work: Callable[..., Any], options: Mapping[str, Any]
) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    # At the second the kernel would kill it without saying why.
    cpu = int(seconds) + _GRACE
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(niceness)
    # A tree of a million values would be walked over and over, and the process ends with the work.
    gc.disable()
    try:
        outcome = (True, work(**options))
    except (SubmissionInvalid, OSError, MemoryError) as error:
        outcome = (False, error)
    except Exception:
        outcome = (False, traceback.format_exc())
    sender.send(outcome)
