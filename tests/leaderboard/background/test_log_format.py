"""Django, gunicorn and Celery write lines of one format, with the time in UTC."""

import re
import socket
import subprocess
import sys
import time

import pytest

from tests.support.paths import ROOT
from tests.support.processes import environment, wait_for

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR|CRITICAL) [\w.]+: .")


@pytest.mark.parametrize(
    ("arguments", "last_words"),
    [
        (("gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"), "Listening at"),
        (("celery", "-A", "leaderboard", "worker", "--pool", "solo"), "Cannot connect to redis"),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_each_process_writes_lines_of_one_format(closed_port, tmp_path, arguments, last_words):
    log = tmp_path / "log"
    broker = f"redis://127.0.0.1:{closed_port}/0" if "celery" in arguments else ""
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=environment(BIND=f"127.0.0.1:{closed_port}", BROKER_URL=broker, TZ="Asia/Tokyo"),
            stdout=subprocess.DEVNULL,
            stderr=file,
        )
    try:
        wait_for(lambda: last_words in log.read_text())
    finally:
        process.terminate()
        process.wait(timeout=60)
    # Other lines continue one: a banner, or a trace.
    lines = [line for line in log.read_text().splitlines() if re.match(r"\[?\d{4}-", line)]
    assert any(last_words in line for line in lines)
    assert [line for line in lines if not LINE.match(line)] == []
    hour = int(lines[-1][11:13])
    assert hour in {time.gmtime().tm_hour, time.gmtime(time.time() - 600).tm_hour}


@pytest.mark.django_db(transaction=True)
def test_gunicorn_writes_what_the_log_level_says(closed_port, tmp_path):
    log = tmp_path / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"],
            cwd=ROOT,
            env=environment(BIND=f"127.0.0.1:{closed_port}", LOG_LEVEL="ERROR", WEB_WORKERS="1"),
            stdout=subprocess.DEVNULL,
            stderr=file,
        )
    try:
        wait_for(lambda: answers(closed_port))
    finally:
        process.terminate()
        process.wait(timeout=60)
    assert " INFO " not in log.read_text()


def answers(port: int) -> bool:
    """Return whether a process accepts connections at `port`."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
