"""Every row of an SQLite database arrives in PostgreSQL as it was, or none does."""

import json
import threading
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection

from leaderboard.models import AuditEvent, BoardEvent, RunningProcess, Submission
from leaderboard.services.processes import heartbeat, pulse
from tests.support.factories import make_published, send
from tests.support.processes import managed, overriding, wait_for

pytestmark = [
    pytest.mark.skipif(connection.vendor != "sqlite", reason="the move begins on SQLite"),
    pytest.mark.django_db(transaction=True),
]

ROWS = """
import json
from leaderboard.services.accounts import personal_team
from leaderboard.models import AuditEvent, BoardEvent, Submission, User
rows = [list(model.objects.order_by("pk").values()) for model in (BoardEvent, AuditEvent, Submission)]
user = User.objects.create_user("new@example.org")
personal_team(user)
print(json.dumps([rows, user.pk], default=str, sort_keys=True))
"""


@pytest.fixture
def manage(postgres):
    """Return a function that runs manage.py on the empty database."""
    with managed(DATABASE_URL=postgres, **overriding(LEASE_SECONDS=1)) as run:
        yield run


@contextmanager
def unmovable_row():
    """Give a submission a name that SQLite can hold and PostgreSQL cannot."""
    submission = Submission.objects.order_by("pk").first()
    Submission.objects.filter(pk=submission.pk).update(filename="a\0b.json")
    yield
    Submission.objects.filter(pk=submission.pk).update(filename=submission.filename)


def test_each_row_is_moved_or_none_and_new_rows_get_new_keys(
    postgres, manage, demo, user, good_file, malformed_file
):
    path = connection.settings_dict["NAME"]
    make_published(user, demo, good_file, system="Agent 甲")
    send(user, demo, malformed_file, system="Malformed")
    rows = [list(model.objects.order_by("pk").values()) for model in (BoardEvent, AuditEvent, Submission)]
    refused = manage("move_database", path)
    assert "The PostgreSQL database has no tables yet. Run `manage.py migrate`" in refused.stderr
    assert manage("migrate", "-v", "0").returncode == 0
    refused = manage("move_database", __file__)
    assert f"{__file__} is not a SQLite database." in refused.stderr
    with unmovable_row():
        refused = manage("move_database", path)
    assert refused.returncode == 1
    assert "leaderboard_submission cannot be moved; no row was." in refused.stderr
    with psycopg.connect(postgres) as server:
        assert server.execute("SELECT count(*) FROM leaderboard_user").fetchone() == (0,)
    moved = manage("move_database", path)
    assert moved.returncode == 0, moved.stderr
    assert f"{2:>9}  leaderboard_submission\n" in moved.stdout
    after, key = json.loads(manage("shell", "-v", "0", "-c", ROWS).stdout)
    assert after == json.loads(json.dumps(rows, default=str))
    assert key > user.pk
    again = manage("move_database", path)
    assert again.returncode == 1
    assert "The PostgreSQL database is not empty" in again.stderr


def test_a_database_that_lacks_tables_is_to_be_migrated(postgres, manage):
    assert manage("migrate", "contenttypes", "-v", "0").returncode == 0
    refused = manage("move_database", connection.settings_dict["NAME"])
    assert "The PostgreSQL database lacks " in refused.stderr
    assert "Run `manage.py migrate`, then move again." in refused.stderr


@pytest.mark.long
def test_nothing_is_moved_while_a_process_works_on_the_old_database(manage, settings):
    settings.LEASE_SECONDS = 1
    assert manage("migrate", "-v", "0").returncode == 0
    until = threading.Event()
    heartbeat.start(lanes=["short"], sweep=lambda: None, notify=lambda: None, until=until)
    wait_for(lambda: RunningProcess.objects.exists() and pulse.number())
    refused = manage("move_database", connection.settings_dict["NAME"])
    until.set()
    assert refused.returncode == 1
    assert "A web server or worker still runs on " in refused.stderr
    for thread in threading.enumerate():
        if thread.name in ("heartbeat", "sweep", "notify"):
            thread.join()
    moved = manage("move_database", connection.settings_dict["NAME"])
    assert moved.returncode == 0, moved.stderr
