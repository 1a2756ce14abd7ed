"""Start programs in Python that have loaded their libraries already, which takes most of the start of others.

They are forked from a process that has loaded libraries and nothing of ours (programs/forks.py): each program
reads its settings, and loads the service, for itself. For tests of what a program does once it runs; an
interpreter of its own is for tests of what it imports, and of commands as users write them.
"""

import atexit
import contextlib
import ctypes
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import IO, Any, Self

from tests.support.paths import ROOT

_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
_lock = threading.Lock()


class Forked:
    """A forked program, with what tests use of `subprocess.Popen`."""

    def __init__(
        self,
        *arguments: str,
        env: Mapping[str, str],
        stdin: int = subprocess.DEVNULL,
        stdout: IO | int = subprocess.DEVNULL,
        stderr: IO | None = None,
        start_new_session: bool = False,
        text: bool = True,
    ) -> None:
        self.args = arguments
        self.returncode: int | None = None
        self.stdin: IO | None = None
        self.stdout: IO | None = None
        with contextlib.ExitStack() as theirs:
            if stdin == subprocess.PIPE:
                read, write = os.pipe()
                self.stdin, stdin = os.fdopen(write, "w"), theirs.enter_context(os.fdopen(read))
            if stdout == subprocess.PIPE:
                read, write = os.pipe()
                self.stdout, stdout = os.fdopen(read), theirs.enter_context(os.fdopen(write, "w"))
            nothing = theirs.enter_context(open(os.devnull, "r+b"))
            streams = [nothing if stream == subprocess.DEVNULL else stream for stream in (stdin, stdout)]
            message = {"arguments": arguments, "environ": dict(env), "new_session": start_new_session}
            descriptors = [stream.fileno() for stream in streams]
            self.pid = _fork(json.dumps(message).encode(), [*descriptors, stderr.fileno() if stderr else 2])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for its end, which has come where it ends with its input."""
        for stream in filter(None, (self.stdin, self.stdout)):
            stream.close()
        self.wait()

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        if self.returncode is None:
            self._note(*os.waitpid(self.pid, os.WNOHANG))
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code; fail after `timeout` seconds."""
        if self.returncode is None and timeout is not None:
            descriptor = os.pidfd_open(self.pid)
            try:
                if not select.select([descriptor], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(self.args, timeout)
            finally:
                os.close(descriptor)
        if self.returncode is None:
            self._note(*os.waitpid(self.pid, 0))
        return self.returncode

    def kill(self) -> None:
        """End it at once, if it runs."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end, if it runs."""
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def _note(self, pid: int, status: int) -> None:
        if pid:
            self.returncode = os.waitstatus_to_exitcode(status)


def start(*arguments: str, **options: Any) -> Forked | subprocess.Popen:
    """Start a program in the folder of the project.

    arguments: as those of Python: a path and more, "-m" and a module and more, or "-c" and a text
    options: as those of `subprocess.Popen`
    """
    if sys.platform == "linux":
        return Forked(*arguments, **options)
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, **options)


def run(*arguments: str, env: Mapping[str, str], timeout: float) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; return its exit code and what it wrote."""
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        program = start(*arguments, env=env, stdout=stdout, stderr=stderr)
        try:
            code = program.wait(timeout)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
            raise
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, code, stdout.read(), stderr.read())


def _fork(message: bytes, files: list[int]) -> int:
    """Start a program as a child of this process; return its process id."""
    with _lock:
        requests = _library_process()
        # The new process is a grandchild of that process; its parent ends, and this one adopts it.
        _adopt_orphans(True)
        try:
            socket.send_fds(requests, [message], files)
            pid, ended = requests.recv(64), requests.recv(64)
        finally:
            _adopt_orphans(False)
    if ended != b"0":
        raise RuntimeError(f"the process did not fork: {pid!r} {ended!r}")
    return int(pid)


def _adopt_orphans(enabled: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_ADOPT_ORPHANS, int(enabled), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


@functools.cache
def _library_process() -> socket.socket:
    """Start the process from which the others are forked; return the socket on which it is asked to."""
    requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.programs.forks", str(theirs.fileno())],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )

    @atexit.register
    def end() -> None:
        requests.close()
        process.wait()

    return requests
