import time
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import AuditEvent, Evaluation, Status, Submission
from leaderboard.services import broker
from leaderboard.services.broker import Lane
from leaderboard.services.submissions import sweep
from tests.support.brokers import lanes_of, take_messages
from tests.support.factories import send
from tests.support.processes import wait_for

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
ENDLESS_SCORING = "tests.support.programs.endless_scoring_worker"


def worker(queue):
    return (
        "celery",
        "-A",
        "leaderboard",
        "worker",
        "-c",
        "1",
        "-Q",
        ",".join(lanes_of(queue)),
        "--without-mingle",
    )


def status_is(submission, status):
    return lambda: Submission.objects.filter(pk=submission.pk, status=status).exists()


def test_the_message_carries_the_id_and_nothing_else(demo, user, good_file, send_to, broker_url, queue):
    send_to(broker_url, queue)
    submission = send(user, demo, good_file, organisation="Secret Hospital").submission
    assert submission.status == Status.QUEUED
    assert submission.system.organisation == "Secret Hospital"
    [(headers, (args, kwargs, _))] = take_messages(broker_url, queue, at_least=1)
    assert headers["task"] == "leaderboard.tasks.grade_submission"
    assert (args, kwargs) == ([str(submission.pk)], {})
    assert "Secret Hospital" not in repr(headers)


def test_a_worker_scores_what_was_queued(demo, user, good_file, send_to, broker_url, start):
    app = send_to(broker_url)
    submission = send(user, demo, good_file).submission
    assert submission.status == Status.QUEUED
    # By the short name of the queue, as in compose.yaml and the units.
    start(*worker("celery"), BROKER_URL=broker_url)
    wait_for(status_is(submission, Status.SCORED))
    submission.refresh_from_db()
    assert (submission.evaluation.right, submission.attempts) == (47, 1)
    # The same message again is harmless.
    app.send_task("leaderboard.tasks.grade_submission", args=[str(submission.pk)], queue="celery")
    wait_for(lambda: take_messages(broker_url, app.amqp.queues["celery"].name) == [])
    assert Evaluation.objects.count() == 1


def test_another_worker_finishes_the_work_of_a_killed_one(
    demo, user, good_file, send_to, broker_url, queue, start
):
    send_to(broker_url, queue)
    submission = send(user, demo, good_file).submission
    doomed = start(ENDLESS_SCORING, queue, BROKER_URL=broker_url)
    wait_for(status_is(submission, Status.SCORING))
    doomed.kill()
    doomed.wait()
    start(*worker(queue), BROKER_URL=broker_url)
    assert sweep.sweep(takes_all=True) == 1
    wait_for(status_is(submission, Status.SCORED))
    submission.refresh_from_db()
    assert submission.evaluation == Evaluation.objects.get()
    assert submission.attempts == 2
    assert submission.events.filter(action=AuditEvent.Action.SCORED).count() == 1


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
@pytest.mark.parametrize("port", ["closed_port", "silent_port"])
def test_a_broker_that_is_down_costs_the_upload_seconds_and_not_the_file(
    demo, user, good_file, send_to, scheme, port, request, caplog
):
    send_to(f"{scheme}://127.0.0.1:{request.getfixturevalue(port)}/")
    began = time.monotonic()
    submission = send(user, demo, good_file).submission
    assert time.monotonic() - began < 30
    assert submission.status == Status.QUEUED
    assert f"for {submission.pk} to the broker" in caplog.text


def test_the_sweep_sends_again_when_the_broker_is_back(
    demo, user, good_file, send_to, broker_url, queue, closed_port
):
    send_to(f"redis://127.0.0.1:{closed_port}/")
    submission = send(user, demo, good_file).submission
    send_to(broker_url, queue)
    assert broker.count_messages(Lane.SHORT) == 0
    Submission.objects.update(moved_at=timezone.now() - timedelta(seconds=60))
    assert sweep.sweep() == 1
    # Its message is in the queue: the next sweep ignores it, however long that is.
    assert broker.count_messages(Lane.SHORT) == 1
    assert sweep.sweep() == 0
    assert [payload[0] for _, payload in take_messages(broker_url, queue, at_least=1)] == [
        [str(submission.pk)]
    ]
