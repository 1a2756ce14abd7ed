"""Workers lose nothing, and a database that is silent, locked or takes no writes holds up no request."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from time import monotonic

import psycopg
import pytest
import requests
from django.core.management import CommandError
from django.core.signals import request_started
from django.db import OperationalError, connection, transaction

from leaderboard.database import base as postgresql
from leaderboard.database import patience
from leaderboard.management import workers
from leaderboard.models import RunningProcess, Status, Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.files import store
from tests.support.factories import send
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


def test_a_request_that_only_reads_waits_shorter_for_a_lock_on_a_kept_connection_too(new_connection):
    for method, limit in (("GET", "500ms"), ("POST", "1s"), ("HEAD", "500ms")):
        request_started.send(None, environ={"REQUEST_METHOD": method})
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == (limit,)


@pytest.fixture
def read_only():
    """Return a function that makes the database of the test read-only, or not, for all who connect anew."""

    def change(is_read_only):
        name = connection.ops.quote_name(connection.settings_dict["NAME"])
        value = "on" if is_read_only else "off"
        with psycopg.connect(database_url(), autocommit=True) as server:
            server.execute("SET default_transaction_read_only = off")
            server.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
            if is_read_only:
                # As a failover does.
                server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                    "AND datname = current_database() AND pid <> %s",
                    [connection.connection.info.backend_pid],
                )

    connection.ensure_connection()
    yield change
    change(False)


def test_a_database_that_becomes_read_only_is_an_outage_until_it_can_be_written_to(
    demo, user, good_file, serve, log, read_only
):
    _, token = create_token(user=user, name="ci", days=1)
    base = serve(**overriding(LEASE_SECONDS=2))

    def readiness():
        return requests.get(f"{base}/readyz", timeout=60).json()

    wait_for(lambda: readiness()["status"] == "ready")
    read_only(True)
    # A connection that the failover ended is noticed first.
    wait_for(lambda: readiness()["database"] == "is read-only")
    assert readiness()["sweep"] == "not possible while the database accepts no writes"
    for _ in range(20):
        answer = send_form(base, token, good_file)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert int(answer.headers["Retry-After"]) > 0
    assert requests.get(f"{base}/benchmarks/{demo.slug}/", timeout=60).status_code == 200
    form = requests.get(f"{base}/accounts/login/", timeout=60)
    assert form.status_code == 200
    read_only(False)
    # The service reconnects by itself.
    answer = wait_for(lambda: (sent := send_form(base, token, good_file)).status_code == 201 and sent)
    assert answer.json()["status"] == "scored"
    wait_for(lambda: readiness()["status"] == "ready")
    assert "Traceback" not in log.read_text()


def test_a_connection_that_refuses_to_write_is_replaced(db, read_only):
    read_only(True)
    stale = postgresql.DatabaseWrapper(connection.settings_dict, "stale")
    with pytest.raises(postgresql.OperationalError, match="read-only"):
        stale.cursor().execute("DELETE FROM leaderboard_sweeptimes")
    stale.close_if_unusable_or_obsolete()
    read_only(False)
    stale.cursor().execute("DELETE FROM leaderboard_sweeptimes")
    stale.close()


def children(pid):
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def status_is(submission, status):
    return lambda: Submission.objects.filter(pk=submission.pk, status=status).exists()


def test_a_killed_process_is_replaced_and_all_end_with_the_first(demo, user, good_file, worker, log):
    first = worker("--lanes", "short", "--processes", "1")
    [child] = wait_for(lambda: children(first.pid))
    os.kill(child, signal.SIGKILL)
    [replacement] = wait_for(lambda: children(first.pid) - {child})
    submission = send(user, demo, good_file).submission
    wait_for(status_is(submission, Status.SCORED))
    first.terminate()
    assert first.wait(timeout=60) == 0
    assert not os.path.exists(f"/proc/{replacement}")


@pytest.mark.long
def test_processes_that_are_asked_to_end_again_and_again_do_so(worker):
    first = worker("--lanes", "short", "--processes", "8")
    wait_for(lambda: RunningProcess.objects.filter(lanes="short").count() == 8)
    asked, until = children(first.pid), monotonic() + 0.4
    while monotonic() < until:
        # Ctrl+C reaches each process itself, and then the first one asks it too.
        for child, number in product(asked, (signal.SIGINT, signal.SIGTERM)):
            with suppress(ProcessLookupError):
                os.kill(child, number)
    first.terminate()
    assert first.wait(timeout=30) == 0


def test_workers_that_could_take_connections_of_the_web_servers_do_not_start(transactional_db):
    workers.check_connections(1)
    with pytest.raises(
        CommandError, match=r"800 connections to PostgreSQL, and max_connections leaves \d+\."
    ):
        workers.check_connections(200)
    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute("CREATE ROLE limited CONNECTION LIMIT 3; SET LOCAL SESSION AUTHORIZATION limited")
        with pytest.raises(CommandError, match=r"CONNECTION LIMIT of the role leaves 3\."):
            workers.check_connections(1)
        transaction.set_rollback(True)


def test_no_process_outlives_the_one_that_started_it(worker):
    first = worker("--lanes", "short", "--processes", "1")
    [child] = wait_for(lambda: children(first.pid))
    first.kill()
    wait_for(lambda: not os.path.exists(f"/proc/{child}"))


@pytest.mark.long
def test_a_row_that_a_stranger_keeps_locked_holds_up_no_other_file(demo, user, other_user, good_file, worker):
    locked = send(user, demo, good_file).submission
    with psycopg.connect(database_url()) as stranger:
        stranger.execute("SELECT 1 FROM leaderboard_submission WHERE id = %s FOR UPDATE", [locked.pk])
        free = [send(user, demo, good_file + b" ").submission, send(other_user, demo, good_file).submission]
        worker(**overriding(DATABASE_LOCK_SECONDS=1))
        for submission in free:
            wait_for(status_is(submission, Status.SCORED))
        stranger.rollback()
    wait_for(status_is(locked, Status.SCORED))
