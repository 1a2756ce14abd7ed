"""The service works behind PgBouncer, which gives each transaction another connection of a few."""

import os
import shutil
import socket
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from django.db import connection

from leaderboard.models import RunningProcess, Status, Submission
from leaderboard.services.accounts import create_token
from tests.support import factories
from tests.support.processes import database_url, wait_for

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="this is about PostgreSQL"),
]

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
CONFIG = """
[databases]
* = host={host} port={port} {password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen_port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 2
"""


@pytest.fixture
def pooled_url():
    """Return the URL of the test's database behind a PgBouncer with two connections."""
    if PGBOUNCER is None:
        pytest.skip("no pgbouncer: install Debian's package pgbouncer")
    database = connection.settings_dict
    with socket.create_server(("127.0.0.1", 0)) as free:
        listen_port = free.getsockname()[1]
    # Not within pytest's folders, which PgBouncer may not enter: it does not run as root.
    folder = Path(tempfile.mkdtemp(prefix="wardboard-pgbouncer-"))
    folder.chmod(0o755)
    password = f"password={database['PASSWORD']}" if database["PASSWORD"] else ""
    config = CONFIG.format(
        host=database["HOST"] or "/var/run/postgresql",
        port=database["PORT"] or 5432,
        password=password,
        listen_port=listen_port,
        folder=folder,
    )
    (folder / "config").write_text(config)
    (folder / "users").write_text(f'"{database["USER"]}" ""\n')
    command = [PGBOUNCER, *(["-u", "nobody"] if os.geteuid() == 0 else []), str(folder / "config")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_for(lambda: _listens(listen_port) or process.poll() is not None, seconds=20)
        assert process.poll() is None, (folder / "log").read_text()
        yield database_url(listen_port)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def _listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.long
def test_files_and_exports_work_behind_pgbouncer(demo, user, good_file, pooled_url, serve, log):
    for number in range(3):
        file = factories.with_wrong(good_file, number)
        factories.make_published(user, demo, file, system=f"System {number}")
    _, token = create_token(user=user, name="ci", days=1)
    base = serve(DATABASE_URL=pooled_url, DATABASE_POOLED="1", WEB_WORKERS="1")

    def post(number):
        answer = requests.post(
            f"{base}/api/v1/submissions/",
            headers={"Authorization": f"Bearer {token}"},
            data={"benchmark": demo.slug, "system": "Posted", "publish": "true"},
            files={"file": ("good.json", good_file + b" " * number)},
            timeout=60,
        )
        return answer.json()["status"]

    def export(number):
        answer = requests.get(f"{base}/benchmarks/{demo.slug}/board.csv?q=&n={number}", timeout=60)
        assert answer.status_code == 200
        return all(f"System {known}" in answer.text for known in range(3))

    with ThreadPoolExecutor(12) as pool:
        exports = [pool.submit(export, number) for number in range(24)]
        posts = [pool.submit(post, number) for number in range(1, 4)]
        # A busy server leaves some to its threads.
        statuses = {done.result() for done in posts}
        assert statuses <= {Status.RECEIVED, Status.QUEUED, Status.SCORING, Status.SCORED}
        assert all(done.result() for done in exports)
    wait_for(lambda: "Posted" in requests.get(f"{base}/benchmarks/{demo.slug}/board.csv", timeout=60).text)
    text = log.read_text()
    assert "Traceback" not in text
    assert "cursor" not in text


@pytest.mark.long
def test_a_worker_behind_pgbouncer_asks_for_what_is_queued(
    demo, user, good_file, pooled_url, settings, start, log
):
    settings.WORKERS = True
    start(
        *("manage.py", "worker", "--lanes", "short"),
        **{"DATABASE_URL": pooled_url, "DATABASE_POOLED": "1", "WORKERS": "1"},
    )
    wait_for(lambda: RunningProcess.objects.filter(lanes="short").exists())
    submission = factories.send(user, demo, good_file).submission
    wait_for(lambda: Submission.objects.filter(pk=submission.pk, status=Status.SCORED).exists())
    assert "Traceback" not in log.read_text()
