"""Workers do what waits in the tables, and nothing is lost with a worker or a lock."""

import os
import signal
from contextlib import suppress
from itertools import product
from pathlib import Path
from time import monotonic

import psycopg
import pytest
from django.core.management import CommandError
from django.db import connection, transaction

from leaderboard.management import workers
from leaderboard.models import RunningProcess, Status, Submission
from tests.support.factories import send
from tests.support.processes import ON_POSTGRESQL, database_url, overriding, wait_for

pytestmark = ON_POSTGRESQL


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
