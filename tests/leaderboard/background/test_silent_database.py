"""A database that is silent or locked keeps no request waiting for long, the health check neither."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
import requests
from django.db import OperationalError, connection

from leaderboard.database import patience
from leaderboard.models import Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.files import store
from tests.support.processes import ON_POSTGRESQL, database_url, overriding, wait_for
from tests.support.silent_proxy import SilentProxy
from tests.support.wire import send_form

pytestmark = ON_POSTGRESQL

LIMITS = overriding(DATABASE_STATEMENT_SECONDS=2, DATABASE_LOCK_SECONDS=1)


@pytest.fixture
def proxy():
    host, port = connection.settings_dict["HOST"], int(connection.settings_dict["PORT"] or 5432)
    is_socket = not host or host.startswith("/")
    with SilentProxy(
        f"{host or '/var/run/postgresql'}/.s.PGSQL.{port}" if is_socket else (host, port)
    ) as proxy:
        yield proxy


@pytest.fixture
def ask(demo, user, good_file):
    """Return a function that sends files and asks for pages, all at once, and returns the answers."""
    _, token = create_token(user=user, name="ci", days=1)

    def read(address):
        return requests.get(address, timeout=60)

    def ask(base, numbers):
        with ThreadPoolExecutor(12) as pool:
            jobs = [pool.submit(send_form, base, token, good_file + b" " * number) for number in numbers]
            jobs += [pool.submit(read, f"{base}/benchmarks/{demo.slug}/?q={number}") for number in numbers]
            health = []
            while not all(job.done() for job in jobs):
                began = time.monotonic()
                assert read(f"{base}/healthz").json() == {"status": "ok"}
                health.append(time.monotonic() - began)
                time.sleep(0.05)
            # It waits for a thread, none of which waits for longer than the limits.
            assert max(health) < 10
            return [job.result() for job in jobs]

    return ask


def check_refused(answers):
    """Check that pages and files were refused, in a way that a client and a person understand."""
    for answer in answers:
        assert answer.status_code == 503
        assert int(answer.headers["Retry-After"]) > 0
    posts, pages = answers[: len(answers) // 2], answers[len(answers) // 2 :]
    assert {answer.json()["code"] for answer in posts} == {"unavailable"}
    assert all("Our database is not responding" in answer.text for answer in pages)


@pytest.mark.long
def test_a_silent_or_locked_database_refuses_requests_soon(ask, demo, proxy, serve, log):
    base = serve(DATABASE_URL=database_url(proxy.port), WEB_WORKERS="1", WEB_THREADS="4", **LIMITS)
    assert {answer.status_code for answer in ask(base, [1])} == {200, 201}
    proxy.silence()
    began = time.monotonic()
    check_refused(ask(base, range(2, 8)))
    assert time.monotonic() - began < 20
    proxy.speak()
    page = f"{base}/benchmarks/{demo.slug}/?q="
    wait_for(lambda: requests.get(f"{page}{time.monotonic()}", timeout=60).status_code == 200, seconds=20)
    with locked("leaderboard_board"):
        check_refused(ask(base, range(8, 11)))
    assert {answer.status_code for answer in ask(base, [11])} == {200, 201}
    # What was refused left nothing, or a row with its file.
    rows = Submission.objects.all()
    assert rows.count() >= 2
    assert all(store.can_be_scored(row.stored_as) for row in rows)
    text = log.read_text()
    assert "503 at POST /api/v1/submissions/: OperationalError: " in text
    assert "Traceback" not in text
    # The threads for background work, which wait without a limit, report an error in one line.
    errors = [line for line in text.splitlines() if " ERROR " in line]
    assert all("will be tried again" in line for line in errors)


@contextmanager
def locked(table):
    with psycopg.connect(database_url()) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.fixture
def new_connection(settings):
    """Make the next query of this thread use a new connection, and the one after the test another."""
    settings.DATABASE_STATEMENT_SECONDS = settings.DATABASE_LOCK_SECONDS = 1
    connection.close()
    yield
    patience.end_request()
    connection.close()


def test_a_slow_statement_of_a_request_is_ended_in_the_server_too(new_connection):
    patience.begin_request()
    began = time.monotonic()
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(60)")
    assert time.monotonic() - began < 30
    patience.end_request()
    connection.close()
    running = (
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%' AND state = 'active'"
    )

    def has_ended():
        with connection.cursor() as cursor:
            cursor.execute(f"{running} AND datname = current_database()")
            return cursor.fetchone() == (0,)

    wait_for(has_ended, seconds=20)


def test_workers_wait_for_a_lock_as_long_as_requests(new_connection, monkeypatch):
    limited = threading.Event()
    limited.set()
    monkeypatch.setattr(patience, "_limits_locks", limited)
    connection.close()
    with connection.cursor() as cursor:
        for name, value in (("lock_timeout", "1s"), ("statement_timeout", "0")):
            cursor.execute(f"SHOW {name}")
            assert cursor.fetchone() == (value,)
