"""A broker that does not answer delays one request of a process; installations can share a broker."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import requests

from leaderboard.models import Installation, Status, Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.background import Task
from leaderboard.services.broker import LaneQueues
from tests.support.brokers import take_messages

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

UPLOADS = 6


def test_a_silent_broker_keeps_one_upload_waiting_and_no_reader(demo, user, good_file, serve):
    _, token = create_token(user=user, name="ci", days=1)

    def post(number: int) -> None:
        response = requests.post(
            f"{base}/api/v1/submissions/",
            headers={"Authorization": f"Bearer {token}"},
            data={"benchmark": demo.slug, "system": "Example"},
            files={"file": ("good.json", good_file + b" " * number)},
            timeout=60,
        )
        # A busy server leaves the check of the file to a worker.
        assert response.json()["status"] in ("received", "queued")

    def read() -> float:
        began = time.monotonic()
        assert requests.get(f"{base}/benchmarks/{demo.slug}/?q={began}", timeout=60).status_code == 200
        return time.monotonic() - began

    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor(UPLOADS) as pool:
        broker_url = f"redis://127.0.0.1:{silent.getsockname()[1]}/"
        base = serve(BROKER_URL=broker_url, WEB_WORKERS="1", WEB_THREADS="4")
        read()
        posts = [pool.submit(post, number) for number in range(UPLOADS)]
        reads = []
        while not all(post.done() for post in posts):
            reads.append(read())
        for done in posts:
            done.result()
        # Without a breaker each upload would wait for three seconds, and so hold a thread.
        asked = 0
        silent.settimeout(0)
        with suppress(BlockingIOError):
            while silent.accept():
                asked += 1
    assert asked == 1
    assert sorted(reads)[len(reads) // 2] < 1
    assert Submission.objects.filter(status__in=(Status.RECEIVED, Status.QUEUED)).count() == UPLOADS


def test_two_installations_on_a_broker_do_not_get_each_others_messages(send_to, broker_url):
    ours = list(LaneQueues())
    send_to(broker_url).send_task(Task.STATISTICS, args=["1"], queue="celery.statistics")
    Installation.objects.all().delete()
    theirs = list(LaneQueues())
    app = send_to(broker_url)
    app.send_task(Task.STATISTICS, args=["2"], queue="celery.statistics")
    # What a worker with -Q celery.statistics, and one without -Q, takes messages from.
    app.amqp.queues.select(["celery.statistics"])
    assert list(app.amqp.queues.consume_from) == [theirs[2].name]
    assert not {queue.name for queue in ours} & {queue.name for queue in theirs}
    received = [
        [payload[0] for _, payload in take_messages(broker_url, q.name)] for q in (ours[2], theirs[2])
    ]
    assert received == [[["1"]], [["2"]]]
    with app.connection() as connection:
        for queue in (*ours, *theirs):
            connection.default_channel.queue_delete(queue.name)
