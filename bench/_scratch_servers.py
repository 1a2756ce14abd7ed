"""Start the servers that a bench needs, on 127.0.0.1, and end them; and measure what processes take."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def postgresql(server: str) -> Iterator[str]:
    """Make a database on a server; yield its URL, and drop it at the end."""
    import psycopg  # noqa: PLC0415 - not needed for SQLite
    from psycopg import sql  # noqa: PLC0415

    name = f"wardboard_load_{os.getpid()}"
    with psycopg.connect(server, autocommit=True, connect_timeout=5) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def free_port() -> int:
    with socket.socket() as unbound:
        unbound.bind(("127.0.0.1", 0))
        return int(unbound.getsockname()[1])


@contextmanager
def workers(count: int) -> Iterator[None]:
    """Run workers as `make worker` does, with `count` processes for each lane."""
    command = [sys.executable, "manage.py", "worker", "--processes", str(count)]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "LOG_LEVEL": "ERROR"})
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def cpu_seconds() -> float:
    """Return the seconds of processor time that the children of this process, and theirs, have taken."""
    return sum(map(_cpu_seconds, descendants(os.getpid())))


def descendants(pid: int) -> list[int]:
    children = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        # A task can end while it is looked at.
        with suppress(FileNotFoundError):
            children += [int(child) for child in (task / "children").read_text().split()]
    return children + [grandchild for child in children for grandchild in descendants(child)]


def _cpu_seconds(pid: int) -> float:
    # The name of the program, in parentheses, may have spaces.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
