"""Real servers and processes that a bench may kill: PostgreSQL, gunicorn, workers.

Each listens on a free port of the loopback interface, and ends with the bench. Nothing that was running
before is touched.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from _scratch_servers import free_port

ROOT = Path(__file__).resolve().parents[1]
SHIFTED_CLOCK = Path(__file__).with_name("_shifted_clock.py")
LANES = ("short", "long", "statistics")


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for a condition. Raises TimeoutError."""
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError(f"waited {seconds} s for {condition}")
        time.sleep(0.1)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def children(pid: int) -> list[int]:
    with suppress(FileNotFoundError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def kill(pid: int) -> None:
    # It may have ended by itself meanwhile.
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Postgres:
    """A PostgreSQL server with an empty database."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="wardboard-faults-pg-"))
        self.port = free_port()
        # PostgreSQL does not run as root.
        self._as_user: list[str] = []
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self._as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self._run(self._program("initdb"), "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8")
        self.start()

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    @property
    def url(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    @staticmethod
    def _program(name: str) -> str:
        versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        return shutil.which(name) or str(versions[-1])

    def _run(self, *command: str) -> None:
        with open(self.folder / "log", "ab") as log:
            subprocess.run(
                [*self._as_user, *command], check=True, cwd=self.folder, stdout=log, stderr=log, timeout=120
            )

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=200"
        self._run(self._program("pg_ctl"), "-D", self._data, "-w", "-o", options, "start")

    def restart(self, mode: str) -> None:
        """Stop it, in mode `fast` or `immediate` (which is like a crash), and start it."""
        self._run(self._program("pg_ctl"), "-D", self._data, "-w", "-m", mode, "stop")
        self.start()

    def end(self) -> None:
        self._run(self._program("pg_ctl"), "-D", self._data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


class Service:
    """The processes of the service: gunicorn, and workers for each lane if there are any.

    log: of all of them.
    clock: a file with the seconds by which the clock of all of them is wrong; None for the right one.
    """

    def __init__(self, environment: dict[str, str], log: Path, clock: Path | None = None) -> None:
        self.port = free_port()
        self._environment = {**os.environ, **environment, "BIND": f"127.0.0.1:{self.port}"}
        self._log = log
        self._clock = clock
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._names = ["web", *(LANES if environment.get("WORKERS") else ())]
        for name in self._names:
            self.start(name)
        self.wait_until_up()

    def start(self, name: str) -> None:
        command = [sys.executable, *([str(SHIFTED_CLOCK), str(self._clock)] if self._clock else ["-m"])]
        if name == "web":
            command += ["gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"]
        else:
            command += ["django", "worker", "--lanes", name]
        with open(self._log, "ab") as log:
            self._processes[name] = subprocess.Popen(
                command, cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def worker_names(self) -> list[str]:
        return self._names[1:]

    def pool(self, name: str) -> list[int]:
        """Return the processes that do the work: children of the one that was started."""
        return children(self._processes[name].pid)

    def wait_until_up(self) -> None:
        """Wait until the web server takes requests."""
        wait_until(lambda: answers(self.port), 120)

    def kill(self, name: str) -> None:
        """Kill a server or worker with all its processes."""
        process = self._processes[name]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def kill_only_parent(self, name: str) -> None:
        """Kill the process that the others come from, and leave those to themselves."""
        self._processes[name].kill()
        self._processes[name].wait()

    def end(self) -> None:
        for name in self._names:
            self.kill(name)


class Judge:
    """The stub of a language model, in a process of its own."""

    def __init__(self, latency: float) -> None:
        command = [sys.executable, "-m", "tests.support.llm_server", "--latency", str(latency)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        self.url = self._process.stdout.readline().strip()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
