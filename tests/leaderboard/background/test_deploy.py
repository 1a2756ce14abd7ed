"""A deploy refuses no connection: systemd holds the socket meanwhile, and the test does here."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import requests

from tests.support.paths import ROOT
from tests.support.processes import environment, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

# An application whose answers name its release.
RELEASE = """
from leaderboard.wsgi import application as service

def application(environ, start_response):
    def start(status, headers, *more):
        return start_response(status, [*headers, ("X-Release", "{name}")], *more)
    return service(environ, start)
"""


class Systemd:
    """Do what systemd does for wardboard.socket and wardboard.service."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/about/"
        self._reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._reports.bind(str(folder / "notify"))
        self._reports.settimeout(60)
        self._groups: list[subprocess.Popen] = []

    def start(self, release: str) -> subprocess.Popen:
        """Start gunicorn with the socket as descriptor 3, and wait until it reports that it is ready."""
        (self._folder / "release.py").write_text(RELEASE.format(name=release))
        given = self._listener.fileno()
        gunicorn = Path(sys.executable).with_name("gunicorn")
        process = subprocess.Popen(
            [
                *("bash", "-c", f'LISTEN_PID=$$ exec "$@" 3<&{given}', "bash"),
                *(gunicorn, "-c", "python:leaderboard.gunicorn", "release"),
            ],
            cwd=ROOT,
            # BIND does not count.
            env=environment(
                LISTEN_FDS="1",
                NOTIFY_SOCKET=str(self._folder / "notify"),
                PYTHONPATH=str(self._folder),
                BIND="127.0.0.1:1",
            ),
            pass_fds=[given],
            start_new_session=True,
        )
        self._groups.append(process)
        assert b"READY=1" in self._reports.recv(4096)
        return process

    def end(self) -> None:
        for process in self._groups:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._listener.close()
        self._reports.close()


@pytest.fixture
def systemd(tmp_path):
    held = Systemd(tmp_path)
    yield held
    held.end()


@contextmanager
def clients(url: str):
    """Let four clients connect all the time; yield the list of releases that answered, and of errors."""
    answers: list[str] = []
    is_over = threading.Event()

    def connect() -> None:
        # The pause leaves the processor to the server that starts.
        while not is_over.wait(0.02):
            try:
                answer = requests.get(url, timeout=60)
                answers.append(answer.headers["X-Release"] if answer.ok else f"status {answer.status_code}")
            except requests.RequestException as error:
                answers.append(repr(error))

    threads = [threading.Thread(target=connect) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        wait_for(lambda: len(answers) > 20)
        yield answers
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


@pytest.mark.long
def test_a_restart_lets_clients_wait_and_refuses_none(systemd):
    server = systemd.start("1")
    with clients(systemd.url) as answers:
        server.terminate()
        assert server.wait(timeout=60) == 0
        systemd.start("2")
        wait_for(lambda: answers.count("2") > 20)
    assert set(answers) == {"1", "2"}, Counter(answers)
