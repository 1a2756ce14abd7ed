"""Django, gunicorn and workers write lines of one format, with the time in UTC."""

import json
import re
import time
from contextlib import suppress

import pytest
import requests

from tests.support.processes import environment, start, wait_for

pytestmark = [pytest.mark.django_db(transaction=True)]
LINE = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00 (DEBUG|INFO|WARNING|ERROR|CRITICAL) [\w.]+: ."
)


GUNICORN = ("-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi")
# Its database is away.
WORKER = ("manage.py", "worker", "--lanes", "short", "--processes", "1")


def lines_of(log, port: int, arguments, last_words: str, **variables: str) -> list[str]:
    """Return what a process writes to standard error until it stops after its `last_words`."""
    if arguments is WORKER:
        variables |= {"WORKERS": "1", "DATABASE_URL": f"postgres://nobody@127.0.0.1:{port}/none"}
    with log.open("w") as file:
        env = environment(BIND=f"127.0.0.1:{port}", WEB_WORKERS="1", **variables)
        process = start(*arguments, env=env, stderr=file)
    try:
        wait_for(lambda: last_words in log.read_text())
        if arguments is GUNICORN:
            wait_for(lambda: answers(port))
    finally:
        process.terminate()
        process.wait(timeout=60)
    return log.read_text().splitlines()


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "last_words"), [(GUNICORN, "Listening at"), (WORKER, "a job of the lane")]
)
def test_each_process_writes_lines_of_one_format_or_nothing_but_json(
    closed_port, tmp_path, arguments, last_words
):
    written = lines_of(tmp_path / "log", closed_port, arguments, last_words, TZ="Asia/Tokyo")
    # Other lines continue one: a banner, or a trace.
    lines = [line for line in written if re.match(r"\[?\d{4}-", line)]
    assert any(last_words in line for line in lines)
    assert [line for line in lines if not LINE.match(line)] == []
    assert int(lines[-1][11:13]) in {time.gmtime().tm_hour, time.gmtime(time.time() - 600).tm_hour}
    log = tmp_path / "json"
    lines = lines_of(log, closed_port, arguments, last_words, LOG_FORMAT="json")
    entries = [json.loads(line) for line in lines]
    assert any(last_words in entry["message"] for entry in entries)
    assert all(entry.keys() >= {"time", "level", "logger", "message"} for entry in entries)


def test_gunicorn_writes_what_the_log_level_says(log, serve):
    serve(LOG_LEVEL="ERROR", WEB_WORKERS="1")
    serve.process.terminate()
    serve.process.wait(timeout=60)
    assert " INFO " not in log.read_text()


def answers(port: int) -> bool:
    """Return whether a worker of gunicorn responds; one that still starts would miss the signal to stop."""
    with suppress(requests.RequestException):
        return requests.get(f"http://127.0.0.1:{port}/healthz", timeout=60).ok
    return False
