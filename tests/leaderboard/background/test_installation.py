"""No process of the service starts with uploads that belong to another database."""

import uuid

import pytest
from django.db import connection

from leaderboard import gunicorn
from leaderboard.services.files import installation
from tests.support import processes
from tests.support.processes import environment

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

GUNICORN = ("-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi")
WORKER = ("manage.py", "worker")


@pytest.mark.parametrize("arguments", [GUNICORN, WORKER])
def test_a_mismatch_of_the_keys_ends_the_start_with_both_keys_and_a_fix(
    settings, tmp_path, closed_port, arguments
):
    settings.UPLOADS = tmp_path / "uploads"
    installation.check()
    other = uuid.uuid4()
    (settings.UPLOADS / "installation").write_text(f"{other}\n")
    process = processes.run(
        *arguments,
        env=environment(
            WARDBOARD_DATA=str(tmp_path),
            BIND=f"127.0.0.1:{closed_port}",
        ),
        timeout=120,
    )
    assert process.returncode == 1
    assert "Wardboard does not start." in process.stderr
    assert str(other) in process.stderr
    assert "pair_uploads" in process.stderr


def test_no_connection_is_left_for_forked_processes_to_share(settings, tmp_path):
    settings.UPLOADS = tmp_path / "uploads"
    connection.ensure_connection()
    gunicorn.on_starting(None)
    assert (settings.UPLOADS / "installation").exists()
    assert connection.connection is None
