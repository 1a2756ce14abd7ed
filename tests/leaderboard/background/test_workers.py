"""Workers do what the engine gives them, and nothing is lost with a worker, a job or a lock."""

import json
import os
import signal
from contextlib import suppress
from datetime import timedelta
from itertools import product
from pathlib import Path
from time import monotonic

import psycopg
import pytest
from django.db import connection, transaction
from django.utils import timezone
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from procrastinate import utils

from leaderboard.models import AuditEvent, Evaluation, RunningProcess, Status, Submission
from leaderboard.monitoring import ids
from leaderboard.services import engine as jobs
from leaderboard.services.engine import Lane
from leaderboard.services.submissions import lanes, sweep
from tests.support.factories import make_user, send
from tests.support.loopback import Loopback, ScriptedReply
from tests.support.processes import database_url, overriding, wait_for

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="this is about PostgreSQL"),
]


def rows(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def queued_jobs():
    return rows("SELECT queue_name, task_name, args::text FROM procrastinate_jobs ORDER BY id")


def children(pid):
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def status_is(submission, status):
    return lambda: Submission.objects.filter(pk=submission.pk, status=status).exists()


def test_a_job_says_whose_turn_it_is_and_which_request_gave_it_once_that_is_committed(
    demo, user, good_file, engine
):
    with transaction.atomic():
        send(user, demo, good_file)
        assert len(queued_jobs()) == 1
        transaction.set_rollback(True)
    assert (queued_jobs(), Submission.objects.count()) == ([], 0)
    with ids.bound(request_id="0123456789abcdef"):
        submission = send(user, demo, good_file, organisation="Secret Hospital").submission
    assert submission.status == Status.QUEUED
    [(lane, task, arguments)] = queued_jobs()
    assert (lane, task) == ("short", "turn")
    assert json.loads(arguments) == {
        "team_id": submission.team_id,
        "is_long": False,
        "request_id": "0123456789abcdef",
    }


def test_a_worker_scores_what_was_queued(demo, user, good_file, worker):
    submission = send(user, demo, good_file).submission
    worker()
    wait_for(status_is(submission, Status.SCORED))
    submission.refresh_from_db()
    assert (submission.evaluation.right, submission.work.attempts) == (47, 1)
    # A second turn finds nothing to do.
    jobs.give_turn(submission.team_id, is_long=False)
    wait_for(lambda: not queued_jobs())
    assert Evaluation.objects.count() == 1


def test_a_run_of_a_task_is_a_span_with_the_lane_and_the_request_that_queued_it(
    demo, user, good_file, worker
):
    with Loopback(ScriptedReply()) as collector:
        with ids.bound(request_id="0123456789abcdef"):
            send(user, demo, good_file)
        worker(OTEL_EXPORTER_OTLP_ENDPOINT=collector.origin, OTEL_BSP_SCHEDULE_DELAY="100")
        [span] = wait_for(lambda: [span for span in spans_in(collector.bodies) if span.name == "turn"])
        within = wait_for(
            lambda: [other for other in spans_in(collector.bodies) if other.parent_span_id == span.span_id]
        )
    attributes = {attribute.key: attribute.value.string_value for attribute in span.attributes}
    assert attributes == {
        "messaging.destination.name": "short",
        "wardboard.request_id": "0123456789abcdef",
    }
    assert {other.name.split()[0] for other in within} >= {"SELECT", "UPDATE"}


def spans_in(bodies):
    """Return the spans of requests to a collector."""
    return [
        span
        for body in bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_another_worker_finishes_the_work_of_a_killed_one(demo, user, good_file, worker, start):
    submission = send(user, demo, good_file).submission
    doomed = start("tests.support.programs.endless_scoring_worker", WORKERS="1")
    wait_for(status_is(submission, Status.SCORING))
    os.killpg(doomed.pid, signal.SIGKILL)
    doomed.wait()
    worker()
    assert sweep.sweep(takes_all=True) == 1
    wait_for(status_is(submission, Status.SCORED))
    submission.refresh_from_db()
    assert submission.evaluation == Evaluation.objects.get()
    assert submission.work.attempts == 2
    assert (
        AuditEvent.objects.filter(submission=submission).filter(action=AuditEvent.Action.SCORED).count() == 1
    )


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


def test_no_process_outlives_the_one_that_started_it(worker):
    first = worker("--lanes", "short", "--processes", "1")
    [child] = wait_for(lambda: children(first.pid))
    first.kill()
    wait_for(lambda: not os.path.exists(f"/proc/{child}"))


def test_teams_take_turns_and_each_begins_with_its_oldest(demo, user, other_user, good_file, engine, order):
    third = make_user("third@example.org")
    first = [send(user, demo, good_file + b" " * n).submission.pk for n in range(4)]
    second = [send(other_user, demo, good_file + b" " * n).submission.pk for n in range(2)]
    last = [send(third, demo, good_file).submission.pk]
    first_of_all = "DELETE FROM procrastinate_jobs WHERE id = (SELECT min(id) FROM procrastinate_jobs)"
    while taken := rows(f"{first_of_all} RETURNING (args->>'team_id')::int"):
        lanes.take_turn(team_id=taken[0][0], is_long=False)
    assert order == [first[0], second[0], last[0], first[1], second[1], first[2], first[3]]


def test_the_sweep_queues_a_turn_whose_job_was_lost(demo, user, good_file, engine):
    submission = send(user, demo, good_file).submission
    Submission.objects.update(moved_at=timezone.now() - timedelta(seconds=60))
    assert sweep.sweep() == 0, "it waits in the queue"
    rows("DELETE FROM procrastinate_jobs RETURNING id")
    assert sweep.sweep() == 1
    assert jobs.teams_with_turn(Lane.SHORT) == {submission.team_id}
    assert sweep.sweep() == 0


def test_jobs_of_a_worker_without_signs_of_life_are_queued_again_once_and_at_once(engine, monkeypatch):
    jobs.defer_statistics(1)
    jobs.defer_statistics(2)
    rows("INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 hour') RETURNING id")
    dead = "(SELECT id FROM procrastinate_workers)"
    rows(f"UPDATE procrastinate_jobs SET status = 'doing', worker_id = {dead} RETURNING id")
    # The same work was queued since by someone else.
    jobs.defer_statistics(2)
    # The clock of this machine is ahead of that of the database.
    ahead = timezone.now() + timedelta(hours=2)
    monkeypatch.setattr(utils, "utcnow", lambda: ahead)
    jobs.take_up_dead()
    assert rows("SELECT status, queueing_lock FROM procrastinate_jobs ORDER BY 2") == [
        ("todo", "statistics.1"),
        ("todo", "statistics.2"),
    ]
    fetch = "SELECT queueing_lock FROM procrastinate_fetch_job_v2(ARRAY['statistics'], NULL)"
    assert {lock for _ in "12" for (lock,) in rows(fetch)} == {"statistics.1", "statistics.2"}


def test_a_turn_that_waits_begins_after_the_commit_of_a_file_that_relies_on_it(demo, user, good_file, engine):
    send(user, demo, good_file)
    with psycopg.connect(database_url(), autocommit=True) as other, transaction.atomic():
        send(user, demo, good_file + b" ")
        fetch = "SELECT id FROM procrastinate_fetch_job_v2(ARRAY['short'], NULL)"
        assert other.execute(fetch).fetchone() == (None,)
    assert len(queued_jobs()) == 1


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


def test_a_job_that_others_took_meanwhile_is_no_error_of_the_worker(demo, engine, worker, log):
    worker("--lanes", "statistics")
    wait_for(lambda: RunningProcess.objects.filter(lanes="statistics").exists())
    with psycopg.connect(database_url()) as stranger:
        stranger.execute("LOCK TABLE leaderboard_board, leaderboard_boardstate")
        jobs.defer_statistics(demo.pk)
        wait_for(lambda: rows("DELETE FROM procrastinate_jobs WHERE status = 'doing' RETURNING id"))
        stranger.rollback()
    wait_for(lambda: "could not note the end of a job" in log.read_text())
    assert "Job was not found" in log.read_text()
    assert " ERROR " not in log.read_text()


def test_no_worker_starts_without_a_process(worker, log):
    first = worker("--lanes", "short", "--processes", "0")
    assert first.wait(timeout=60) == 1
    assert "--processes 0: each lane needs one at least" in log.read_text()
