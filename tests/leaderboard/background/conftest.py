"""Real workers and servers."""

import os
import shutil
import signal
import socket
import subprocess
import sys

import pytest

from leaderboard.services.submissions import grade
from tests.support import processes
from tests.support.loopback import free_port
from tests.support.paths import ROOT
from tests.support.processes import answers, environment, wait_for
from tests.support.processes import start as start_program


@pytest.fixture(autouse=True)
def no_other_files(settings):
    """Remove what earlier tests uploaded: the database does not know it, so no process would start."""
    shutil.rmtree(settings.UPLOADS, ignore_errors=True)


@pytest.fixture
def order(monkeypatch):
    """Return the list of submissions in the order in which they are worked on."""
    order = []
    real = grade.score

    def score(*, submission_id):
        is_ours = real(submission_id=submission_id)
        order.append(submission_id)
        return is_ours

    monkeypatch.setattr(grade, "score", score)
    return order


@pytest.fixture
def worker(transactional_db, settings, start):
    """Leave work to workers, and start them."""
    settings.WORKERS = True

    def run(*arguments, **environ):
        # The web servers of a test are small, and other tests use the server too.
        return start("manage.py", "worker", *arguments, WORKERS="1", **{"WEB_WORKERS": "1"} | environ)

    return run


@pytest.fixture
def log(tmp_path):
    """Return the file that processes of `start` write their log to."""
    return tmp_path / "log"


@pytest.fixture
def start(log):
    """Start processes of the service on the test's database; kill them in the end."""
    started = []

    def run(*arguments, **environ):
        with log.open("ab") as file:
            module = [] if arguments[0].endswith(".py") else ["-m"]
            process = start_program(
                *module, *arguments, env=environment(**environ), start_new_session=True, stderr=file
            )
        started.append(process)
        return process

    yield run
    for process in started:
        # The whole group, because workers and gunicorn have children.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # the test has ended it
        process.wait()


@pytest.fixture
def serve(start, closed_port):
    """Start gunicorn; return its address once it answers. `serve.process` is the last one."""

    def run(application="leaderboard.wsgi", config="leaderboard.gunicorn", **environ):
        base = f"http://127.0.0.1:{closed_port}"
        environ = {"BIND": f"127.0.0.1:{closed_port}", **environ}
        run.process = start("gunicorn", "-c", f"python:{config}", application, **environ)
        wait_for(lambda: answers(base))
        return base

    return run


@pytest.fixture(params=["gunicorn", "worker"])
def refused_start(request, closed_port):
    """Return a function that starts a process that must end at once; it returns what that says."""
    command = {
        "gunicorn": ("-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"),
        "worker": ("manage.py", "worker"),
    }[request.param]

    def run(**environ):
        env = environment(BIND=f"127.0.0.1:{closed_port}", **environ)
        process = processes.run(*command, env=env, timeout=120)
        assert process.returncode == 1
        return process.stderr

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
    return free_port()


@pytest.fixture
def silent_port(closed_port):
    """Return a port that accepts connections and never answers; a closed one may be given out again."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        yield next(port for port in (each.getsockname()[1] for each in (one, other)) if port != closed_port)
