"""Start the servers that a bench needs, on 127.0.0.1, and end them; and measure what processes take."""

import os
import signal
import socket
import subprocess
import sys
import time
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


@contextmanager
def redis(url: str) -> Iterator[str]:
    """Yield the URL of an empty Redis: of a server of our own, or of an empty number of the one at `url`."""
    from redis import Redis  # noqa: PLC0415 - not needed for SQLite

    if not url:
        with redis_server() as own:
            yield own
        return
    with Redis.from_url(url) as client:
        if client.dbsize():
            raise SystemExit(f"{url} is in use: name an empty one with --redis")
        try:
            yield url
        finally:
            client.flushdb()


@contextmanager
def redis_server() -> Iterator[str]:
    from redis import Redis, RedisError  # noqa: PLC0415

    port = free_port()
    command = [
        "redis-server",
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--loglevel",
        "warning",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"redis://127.0.0.1:{port}/0"
    try:
        with Redis.from_url(url) as client:
            for _ in range(100):
                with suppress(RedisError):
                    client.ping()
                    break
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.socket() as unbound:
        unbound.bind(("127.0.0.1", 0))
        return int(unbound.getsockname()[1])


@contextmanager
def workers(count: int) -> Iterator[None]:
    """Run workers as `make worker` does, with `count` processes for each lane of submissions."""
    beat = ["--beat", "--schedule", f"{os.environ['WARDBOARD_DATA']}/beat"]
    lanes = (("celery", count, []), ("celery.long", count, []), ("celery.statistics", 1, beat))
    # Workers of another installation on this machine must not answer to these names.
    command = [sys.executable, "-m", "celery", "-A", "leaderboard", "worker"]
    processes = [
        subprocess.Popen(
            [*command, "-n", f"{lane}.{os.getpid()}@%h", "-Q", lane, "-c", str(size), *more],
            cwd=ROOT,
            env={**os.environ, "LOG_LEVEL": "ERROR"},
        )
        for lane, size, more in lanes
    ]
    try:
        yield
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
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
