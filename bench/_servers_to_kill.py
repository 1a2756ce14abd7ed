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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import psycopg
import requests
from _scratch_servers import descendants, free_port

from tests.support.nginx import nginx_before

ROOT = Path(__file__).resolve().parents[1]
SHIFTED_CLOCK = Path(__file__).with_name("_shifted_clock.py")
LANES = ("short", "long", "statistics")
# Of a control group, in the first and in the second version of the kernel's interface.
MEMORY_LIMITS = ("memory.limit_in_bytes", "memory.max")


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


def manage(root: Path, environment: dict[str, str], *command: str) -> str:
    """Run a command of a checkout; return what it prints."""
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=root,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


@contextmanager
def memory_group() -> Iterator[Path | None]:
    """Give a new control group of processes whose memory can be limited; None where that is not allowed."""
    for parent in (Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")):
        group = parent / f"wardboard-faults-{os.getpid()}"
        with suppress(OSError):
            group.mkdir()
            if any((group / name).exists() for name in MEMORY_LIMITS):
                break
            group.rmdir()
    else:
        yield None
        return
    try:
        yield group
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            with suppress(OSError):
                (parent / "cgroup.procs").write_text(pid)
        group.rmdir()


class Postgres:
    """A PostgreSQL server with an empty database, or the standby of another one, `primary`.

    The primary then waits for it with each commit, so that the promoted one has them all.
    parent: the folder in which it has its own.
    """

    def __init__(self, primary: "Postgres | None" = None, parent: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="wardboard-faults-pg-", dir=parent))
        self.port = free_port()
        # PostgreSQL does not run as root.
        self._as_user: list[str] = []
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self._as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        if primary is None:
            self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8")
            self.start()
            return
        self._run("pg_basebackup", "-d", primary.url, "-D", self._data, "-R", "-c", "fast")
        self.start()
        with psycopg.connect(primary.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")

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

    def _run(self, name: str, *arguments: str) -> None:
        command = [*self._as_user, self._program(name), *arguments]
        with open(self.folder / "log", "ab") as log:
            subprocess.run(command, check=True, cwd=self.folder, stdout=log, stderr=log, timeout=120)

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", self._data, "-w", *arguments)

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=200"
        self._control("-o", options, "start")

    def stop(self, mode: str) -> None:
        """Stop it, in mode `fast` or `immediate` (which is like a crash)."""
        self._control("-m", mode, "stop")

    def start_again(self) -> None:
        """Start it where it gave up by itself."""
        if not Path(self._data, "postmaster.pid").exists():
            self.start()

    def restart(self, mode: str) -> None:
        self.stop(mode)
        self.start()

    def promote(self) -> None:
        """Make the primary of this standby."""
        self._control("promote")

    def copy(self, name: str) -> str:
        """Make a copy of the database, as an operator does; return its URL."""
        dump = str(self.folder / f"{name}.dump")
        self._run("pg_dump", "-Fc", f"--file={dump}", self.url)
        self._run("createdb", f"--maintenance-db={self.url}", name)
        url = f"{self.url.rpartition('/')[0]}/{name}"
        self._run("pg_restore", "-d", url, dump)
        return url

    def end(self) -> None:
        if Path(self._data, "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder)


class Service:
    """The processes of the service: gunicorn, and workers for each lane if there are any.

    With workers, as where it is deployed, gunicorn has a pool for pages and one for files, behind nginx.

    log: of all of them.
    clock: a file with the seconds by which the clock of all of them is wrong; None for the right one.
    root: the checkout that they run; a change holds for those that are started afterwards.
    """

    def __init__(
        self, environment: dict[str, str], log: Path, clock: Path | None = None, root: Path = ROOT
    ) -> None:
        self.root = root
        self._environment = {**os.environ, **environment}
        self.log = log
        self._clock = clock
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._proxy = ExitStack()
        has_workers = bool(environment.get("WORKERS"))
        self.worker_names = list(LANES) if has_workers else []
        self._ports = {name: free_port() for name in (("web", "web-files") if has_workers else ("web",))}
        self.port = self._ports["web"]
        if has_workers:
            self._environment["BEHIND_PROXY"] = "1"
            folder = Path(self._proxy.enter_context(tempfile.TemporaryDirectory(prefix="wardboard-nginx-")))
            proxy = nginx_before(self.port, folder, files=self._ports["web-files"])
            self.port = self._proxy.enter_context(proxy)
        self._names = [*self._ports, *self.worker_names]
        for name in self._names:
            self.start(name)
        self.wait_until_up()

    def _command(self, name: str) -> list[str]:
        command = [sys.executable, *([str(SHIFTED_CLOCK), str(self._clock)] if self._clock else ["-m"])]
        if name in self._ports:
            return [*command, "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"]
        return [*command, "django", "worker", "--lanes", name]

    def start(self, name: str) -> None:
        with open(self.log, "ab") as log:
            self._processes[name] = subprocess.Popen(
                self._command(name),
                cwd=self.root,
                env={**self._environment, "BIND": f"127.0.0.1:{self._ports.get(name)}"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def why_not_started(self, name: str, **environment: str) -> str:
        """Try to start one more process with another environment; return its last words, "" if it runs."""
        env = {**self._environment, "BIND": f"127.0.0.1:{free_port()}", **environment}
        try:
            done = subprocess.run(
                self._command(name),
                cwd=ROOT,
                env=env,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ""
        return done.stderr

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def web_names(self) -> list[str]:
        return list(self._ports)

    def pool(self, name: str) -> list[int]:
        """Return the processes that do the work: children of the one that was started."""
        return children(self._processes[name].pid)

    def started(self) -> list[int]:
        """Return the first processes of the servers and workers."""
        return [process.pid for process in self._processes.values() if process.poll() is None]

    def processes(self) -> list[int]:
        """Return all processes, also those that others started."""
        return self.started() + [pid for parent in self.started() for pid in descendants(parent)]

    def manage(self, *command: str) -> None:
        """Run a command of the checkout, in the environment of the service."""
        manage(self.root, self._environment, *command)

    def wait_until_up(self) -> None:
        """Wait until the web servers take requests."""
        for port in self._ports.values():
            wait_until(partial(answers, port), 120)

    def kill(self, name: str) -> None:
        """Kill a server or worker with all its processes."""
        process = self._processes[name]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self, name: str) -> None:
        """Ask a server or worker to end, and wait until it has."""
        self._processes[name].terminate()
        self._processes[name].wait()

    def kill_only_parent(self, name: str) -> None:
        """Kill the process that the others come from, and leave those to themselves."""
        self._processes[name].kill()
        self._processes[name].wait()

    def end(self) -> None:
        for name in self._names:
            self.kill(name)
        self._proxy.close()


class Judge:
    """The stub of a language model, in a process of its own."""

    def __init__(self, latency: float) -> None:
        self._port, self._latency = free_port(), latency
        self.url = f"http://127.0.0.1:{self._port}/v1"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.support.llm_server"]
        command += ["--port", str(self._port), "--latency", str(self._latency)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        # It says when it listens.
        self._process.stdout.readline()

    def count_judged(self) -> int:
        """Return how many verdicts it has given since it was started."""
        judged: int = requests.get(f"http://127.0.0.1:{self._port}/stats", timeout=10).json()["judged"]
        return judged

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
