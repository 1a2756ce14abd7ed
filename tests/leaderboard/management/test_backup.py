"""A backup restores every row and every file, and whatever is damaged or missing is named."""

import json
import shutil
import uuid
from contextlib import contextmanager

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from psycopg import sql

from leaderboard.models import AuditEvent, BoardEvent, Submission
from leaderboard.services.backups.backup import back_up, read_manifest
from leaderboard.services.backups.database import CopyError
from leaderboard.services.backups.restore import restore, verify
from leaderboard.services.files import installation, store
from leaderboard.services.files.installation import OtherInstallation
from tests.support.factories import make_published, send
from tests.support.processes import database_url, managed
from tests.support.s3 import settings_environment

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

PAGES = """
from django.test import Client
for path in {paths!r}:
    response = Client(SERVER_NAME="localhost").get(path)
    assert response.status_code == 200, (path, response.status_code)
    print(response.content.hex())
"""


@pytest.fixture(autouse=True)
def uploads(settings, tmp_path):
    settings.UPLOADS = tmp_path / "before" / "uploads"
    return settings.UPLOADS


@pytest.fixture
def published(demo, user, good_file, noisy_file):
    """A board with a published result, and another that is not."""
    make_published(user, demo, good_file, system="Agent 甲")
    send(user, demo, noisy_file, system="Other agent")
    return demo


@contextmanager
def empty_database(tmp_path):
    """Make a database like that of the test, empty; yield its URL."""
    if connection.vendor == "sqlite":
        # In a folder that is not there yet.
        yield f"sqlite:///{tmp_path / 'after' / 'wardboard.sqlite3'}"
        return
    name = f"test_restored_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(database_url(), autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield database_url().rsplit("/", 1)[0] + f"/{name}"
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


# What the storage has of the database that uses it.
OF_ONE_DATABASE = {"owner"}


def test_a_restored_installation_shows_the_same_and_has_every_file(published, uploads, tmp_path, capsys):
    board = f"/api/v1/benchmarks/{published.slug}"
    paths = [f"{board}/leaderboard/", *(f"/benchmarks/{published.slug}/{rest}" for rest in ("", "changes/"))]
    before = [Client(SERVER_NAME="localhost").get(path).content.hex() for path in paths]
    call_command("backup", str(tmp_path / "backup"))
    assert "and 6 files" in capsys.readouterr().out
    assert not any(path.stat().st_mode & 0o077 for path in (tmp_path / "backup").rglob("*"))
    with (
        empty_database(tmp_path) as url,
        managed(DATABASE_URL=url, WARDBOARD_DATA=str(tmp_path / "after")) as manage,
    ):
        restored = manage("restore", tmp_path / "backup")
        assert restored.returncode == 0, restored.stderr
        assert "equal to the backup of " in restored.stdout
        after = manage("shell", "-v", "0", "-c", PAGES.format(paths=paths))
        assert after.stdout.split() == before, after.stderr
        copies = tmp_path / "after" / "uploads"
        assert not any(path.stat().st_mode & 0o007 for path in (tmp_path / "after").rglob("*"))
        tokens = [(root / "owner").read_bytes() for root in (copies, uploads)]
        assert tokens[0] != tokens[1], "the service on the original keeps its storage to itself"
        before, after = (
            {path.name: path.read_bytes() for path in root.iterdir() if path.name not in OF_ONE_DATABASE}
            for root in (uploads, copies)
        )
        assert before == after
        lost = min(copies.glob("*.kept"))
        lost.unlink()
        verified = manage("restore", "--verify", tmp_path / "backup")
        assert verified.returncode == 1
        assert f"{lost.name}: no file" in verified.stderr


def test_an_installation_moves_from_its_folder_to_a_bucket_and_its_backup_back(
    published, uploads, tmp_path, settings, bucket
):
    files = {path.name: path.read_bytes() for path in uploads.glob("*-*.*")}
    options, settings.UPLOADS_S3, spool, settings.UPLOADS = settings.UPLOADS_S3, {}, settings.UPLOADS, uploads
    manifest = back_up(tmp_path / "backup")
    data = str(tmp_path / "after")
    with (
        empty_database(tmp_path) as url,
        managed(DATABASE_URL=url, WARDBOARD_DATA=data, **settings_environment(bucket, tmp_path)) as manage,
    ):
        restored = manage("restore", tmp_path / "backup")
        assert restored.returncode == 0, restored.stderr
        assert "equal to the backup of " in restored.stdout
    assert set(bucket.names()) - OF_ONE_DATABASE == {*files, "installation"}
    # The database of the test has the same key and the same rows as the one that was restored.
    settings.UPLOADS_S3, settings.UPLOADS = options, spool
    with pytest.raises(OtherInstallation, match="another copy"):
        installation.check()
    installation.adopt_uploads()
    again = back_up(tmp_path / "again")
    assert (again.files, again.missing) == (manifest.files, [])
    copies = (tmp_path / "again" / "uploads").iterdir()
    assert {path.name: path.read_bytes() for path in copies} == files


ROWS = """
import json
from leaderboard.services.accounts import personal_team
from leaderboard.models import AuditEvent, BoardEvent, Submission, User
rows = [list(model.objects.order_by("pk").values()) for model in (BoardEvent, AuditEvent, Submission)]
user = User.objects.create_user("new@example.org")
personal_team(user)
print(json.dumps([rows, user.pk], default=str, sort_keys=True))
"""


@pytest.mark.skipif(connection.vendor != "sqlite", reason="this is about SQLite")
def test_a_backup_of_sqlite_moves_to_postgresql_row_by_row_or_not_at_all(published, user, tmp_path, postgres):
    rows = [list(model.objects.order_by("pk").values()) for model in (BoardEvent, AuditEvent, Submission)]
    back_up(tmp_path / "backup")
    # SQLite can hold this name, and PostgreSQL cannot.
    Submission.objects.filter(system__name="Other agent").update(filename="a\0b.json")
    back_up(tmp_path / "unmovable")
    with managed(DATABASE_URL=postgres, WARDBOARD_DATA=str(tmp_path / "after")) as manage:
        refused = manage("restore", tmp_path / "unmovable")
        assert "leaderboard_submission cannot be moved; no row was." in refused.stderr
        with psycopg.connect(postgres) as server:
            assert server.execute("SELECT count(*) FROM leaderboard_user").fetchone() == (0,)
            server.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        shutil.rmtree(tmp_path / "after")
        restored = manage("restore", tmp_path / "backup")
        assert "equal to the backup of " in restored.stdout, restored.stderr
        after, key = json.loads(manage("shell", "-v", "0", "-c", ROWS).stdout)
    assert after == json.loads(json.dumps(rows, default=str))
    assert key > user.pk, "new rows get new keys"


def test_changed_files_and_rows_without_one_are_named(published, uploads, tmp_path):
    back_up(tmp_path / "backup")
    verify(tmp_path / "backup")
    Submission.objects.filter(system__name="Other agent").update(stored_as=uuid.uuid4())
    with pytest.raises(CopyError, match="no file, though the database needs it"):
        verify(tmp_path / "backup")
    path = min(uploads.glob("*.kept"))
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(CopyError, match=f"{path.name}: its SHA-256 digest is "):
        verify(tmp_path / "backup")


def test_a_file_that_is_already_lost_is_named_by_the_backup(published, tmp_path, capsys):
    lost = Submission.objects.get(system__name="Other agent").stored_as
    store.remove(lost)
    call_command("backup", str(tmp_path / "backup"))
    assert "WARNING: 1 files that the database needs are not in the storage" in capsys.readouterr().err
    assert back_up(tmp_path / "second").missing == [str(lost)]


def test_a_damaged_or_incomplete_backup_is_refused_at_once(published, tmp_path, monkeypatch):
    folder = tmp_path / "backup"
    back_up(folder)
    # Only what the database has stands in the way of this test.
    monkeypatch.setattr("leaderboard.services.backups.restore.require_no_tables", lambda: None)
    with pytest.raises(CopyError, match="has files"):
        restore(folder)
    monkeypatch.setattr("leaderboard.services.backups.restore.store.entries", lambda: iter(()))
    min((folder / "uploads").iterdir()).write_bytes(b"damaged")
    (folder / read_manifest(folder).dump).write_bytes(b"damaged")
    with pytest.raises(CopyError, match=r"The backup is damaged; nothing was restored.*database.*uploads"):
        restore(folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(CopyError, match="not a complete backup"):
        restore(folder)


def test_a_backup_is_its_owners_and_goes_into_no_folder_with_files_and_over_no_database(published, tmp_path):
    back_up(tmp_path / "backup")
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0
    with pytest.raises(CopyError, match="is not empty"):
        back_up(tmp_path / "backup")
    with pytest.raises(CopyError, match="The database is not empty"):
        restore(tmp_path / "backup")
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(CopyError, match=f"No backup can be written there: .*{tmp_path / 'file'}"):
        back_up(tmp_path / "file")
    with pytest.raises(CopyError, match="is not a complete backup"):
        restore(tmp_path / "file")


def test_a_database_that_does_not_answer_is_named_in_a_line(published, tmp_path):
    back_up(tmp_path / "backup")
    path = tmp_path / "backup" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "vendor": "postgresql"}))
    if connection.vendor == "sqlite":
        with pytest.raises(CopyError, match="The backup is of postgresql, and DATABASE_URL names sqlite"):
            restore(tmp_path / "backup")
    data = str(tmp_path / "after")
    with managed(DATABASE_URL="postgres://nobody@127.0.0.1:1/none", WARDBOARD_DATA=data) as manage:
        for command in (("backup", tmp_path / "another"), ("restore", tmp_path / "backup")):
            failed = manage(*command)
            assert failed.returncode == 1
            assert failed.stderr.startswith("CommandError: The database does not answer: ")
