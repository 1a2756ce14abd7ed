"""No process of the service starts with uploads that belong to another database."""

import uuid

import pytest
from django.db import connection

from leaderboard import gunicorn
from leaderboard.services.files import installation

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def test_a_mismatch_of_the_keys_ends_the_start_with_both_keys_and_a_fix(settings, tmp_path, refused_start):
    settings.UPLOADS = tmp_path / "uploads"
    installation.check()
    other = uuid.uuid4()
    (settings.UPLOADS / "installation").write_text(f"{other}\n")
    errors = refused_start(WARDBOARD_DATA=str(tmp_path))
    for words in ("Wardboard does not start.", str(other), "pair_uploads"):
        assert words in errors


def test_no_connection_is_left_for_forked_processes_to_share(settings, tmp_path):
    settings.UPLOADS = tmp_path / "uploads"
    connection.ensure_connection()
    gunicorn.on_starting(None)
    assert (settings.UPLOADS / "installation").exists()
    assert connection.connection is None
