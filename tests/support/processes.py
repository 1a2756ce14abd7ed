"""Run the service in other processes or threads, on the database of the test."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, BinaryIO
from urllib.parse import quote

import pytest
import requests
from django.conf import settings
from django.db import connection, connections

from leaderboard.services.errors import QuotaSpent, StorageSpent
from tests.support.cli import run_program
from tests.support.loopback import free_port
from tests.support.paths import ROOT

# Of a module with processes of its own that is about PostgreSQL alone.
ON_POSTGRESQL = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="this is about PostgreSQL"),
]


def database_url(port: int | None = None) -> str:
    """Return the URL of the database of the running test, for another process.

    port: of a proxy or pooler on 127.0.0.1 in front of it.
    """
    database = connection.settings_dict
    if port is not None:
        database = {**database, "HOST": "127.0.0.1", "PORT": port}
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    credentials = quote(database["USER"], safe="")
    if database["PASSWORD"]:
        credentials += ":" + quote(database["PASSWORD"], safe="")
    # A folder as host means a socket; it takes the place of the host, quoted.
    host = quote(database["HOST"], safe="") + (f":{database['PORT']}" if database["PORT"] else "")
    return f"postgres://{credentials + '@' if credentials else ''}{host}/{database['NAME']}"


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a process of the service on the test's database."""
    return {
        **os.environ,
        "DATABASE_URL": database_url(),
        "WARDBOARD_DATA": str(settings.DATA),
        "SECRET_KEY": settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "tests.support.process_settings",
        **more,
    }


def overriding(**values: object) -> dict[str, str]:
    """Return what `environment` takes for a process with these Django settings."""
    return {"TEST_SETTINGS": json.dumps(values)}


def start(*arguments: str, **options: Any) -> subprocess.Popen:
    """Start a program in Python in the folder of the project; what it reads or prints is nothing by default.

    arguments: as those of Python: a path and more, "-m" and a module and more, or "-c" and a text
    """
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "text": True}
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, **{**streams, **options})


def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program in Python as `run_program` does."""
    return run_program([sys.executable, *arguments], **options)


@contextlib.contextmanager
def served(env: Mapping[str, str]) -> Iterator[int]:
    """Run a gunicorn with the environment `env`; yield its port."""
    port = free_port()
    command = ["-m", "gunicorn", "--workers=1", "--threads=2", f"--bind=127.0.0.1:{port}"]
    # A file: nobody reads a pipe meanwhile, and a server whose log fills it stands still.
    with tempfile.TemporaryFile() as log:
        server = start(*command, "leaderboard.wsgi", env=env, stderr=log)
        try:
            _wait_for(port, server, log)
            yield port
        finally:
            server.terminate()
            server.wait(timeout=120)


@contextlib.contextmanager
def managed(**environ: str) -> Iterator[Callable[..., SimpleNamespace]]:
    """Yield a function that runs manage.py with its arguments, each time in the same process.

    It returns what `subprocess.run` would: `returncode`, `stdout` and `stderr`.
    environ: what that process has other than `environment`.
    """
    with start(
        "-m",
        "tests.support.programs.commands",
        env=environment(**environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def manage(*arguments: object) -> SimpleNamespace:
            process.stdin.write(json.dumps([str(argument) for argument in arguments]) + "\n")
            process.stdin.flush()
            return SimpleNamespace(**json.loads(process.stdout.readline()))

        yield manage


def _wait_for(port: int, server: subprocess.Popen, log: BinaryIO) -> None:
    for _ in range(1200):
        if server.poll() is not None:
            log.seek(0)
            raise RuntimeError(log.read().decode())
        # A port that accepts connections may not have loaded the service yet: the first response is slow.
        with contextlib.suppress(requests.RequestException):
            requests.get(f"http://127.0.0.1:{port}/healthz", timeout=120)
            return
        time.sleep(0.1)
    raise RuntimeError("gunicorn did not begin to listen")


def answers(base: str) -> bool:
    """Return whether a service is there and well."""
    try:
        return requests.get(f"{base}/healthz", timeout=5).status_code == 200
    except requests.RequestException:
        return False


def wait_for(condition, seconds=120):
    """Return the first true value of `condition()`; fail after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    pytest.fail(f"waited {seconds} s in vain")


def run_at_once(*jobs):
    """Run each job in a thread, started together; return their results, or `QuotaSpent` and the like."""
    gate = threading.Barrier(len(jobs))

    def run(job):
        try:
            gate.wait(timeout=60)
            return job()
        except (QuotaSpent, StorageSpent) as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))
