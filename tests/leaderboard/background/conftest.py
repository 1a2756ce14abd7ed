"""Real brokers, workers and servers. A test whose broker is absent is skipped with a message."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import uuid

import pytest
import requests
from celery import Celery
from kombu import Connection

from leaderboard.services import broker
from leaderboard.services.broker import LaneQueues
from tests.support import forks
from tests.support.brokers import BROKERS, lanes_of
from tests.support.paths import ROOT
from tests.support.processes import environment, wait_for


@pytest.fixture(autouse=True)
def no_other_files(settings):
    """Remove what earlier tests uploaded: the database does not know it, so no process would start."""
    shutil.rmtree(settings.UPLOADS, ignore_errors=True)


@pytest.fixture(params=["redis", "rabbitmq"])
def broker_url(request):
    url = BROKERS[request.param]
    try:
        with Connection(
            url, connect_timeout=20, transport_options={"socket_connect_timeout": 20}
        ) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except OSError as error:
        pytest.skip(f"no {request.param} at {url}: {error}")
    return url


@pytest.fixture
def queue(broker_url):
    """Return the name of a queue that nothing else uses; delete it and its lanes afterwards."""
    name = f"wardboard-tests-{uuid.uuid4().hex[:8]}"
    yield name
    with Connection(broker_url) as connection:
        for lane in lanes_of(name):
            connection.default_channel.queue_delete(lane)


@pytest.fixture
def send_to(settings, monkeypatch):
    """Make the service send its messages to a broker, and to a queue in place of its own."""

    def point_at(url, queue=None):
        app = Celery("wardboard-tests")
        app.config_from_object("django.conf:settings", namespace="CELERY")
        app.conf.update(broker_url=url)
        app.conf.update(task_default_queue=queue) if queue else app.conf.update(task_queues=LaneQueues())
        settings.BROKER_URL = url
        monkeypatch.setattr(broker, "celery", app)
        broker.breaker.reset()
        return app

    return point_at


@pytest.fixture
def log(tmp_path):
    """Return the file that processes of `start` write their log to."""
    return tmp_path / "log"


@pytest.fixture
def start(log):
    """Start processes of the service on the test's database; kill them in the end."""
    processes = []

    def run(*arguments, **environ):
        with log.open("ab") as file:
            process = forks.start(
                "-m", *arguments, env=environment(**environ), start_new_session=True, stderr=file
            )
        processes.append(process)
        return process

    yield run
    for process in processes:
        # The whole group, because a prefork worker and gunicorn have children.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # the test has ended it
        process.wait()


@pytest.fixture
def serve(start, closed_port):
    """Start gunicorn; return its address once it answers."""

    def run(application="leaderboard.wsgi", config="leaderboard.gunicorn", **environ):
        base = f"http://127.0.0.1:{closed_port}"
        start("gunicorn", "-c", f"python:{config}", application, BIND=f"127.0.0.1:{closed_port}", **environ)

        def answers():
            try:
                return requests.get(f"{base}/healthz", timeout=5).status_code == 200
            except requests.RequestException:
                return False

        wait_for(answers)
        return base

    return run


@pytest.fixture
def llm():
    """Return the URL of an LLM stub, in a process that outlives every worker."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.llm_server", "--latency", "0.5"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process.stdout.readline().strip()
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture
def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return port


@pytest.fixture
def silent_port():
    """Return a port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]
