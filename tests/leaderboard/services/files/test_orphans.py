"""Files that no row names: into quarantine after a day, back when a row names them, gone after a month."""

import os
import time
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from leaderboard.models import Draft, Installation, Status, Submission
from leaderboard.services.files import installation, orphans, store
from tests.support.factories import send
from tests.support.leases import sweep_later

pytestmark = pytest.mark.both_databases

HOUR = 3600
DAY = 24 * HOUR


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.glob("*-*.*"))


def make_old(path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def cut_off(folder, hours: float) -> str:
    """Leave a file as a process does that was killed during an upload, so many hours ago."""
    writer = store.FileWriter()
    writer.write(b"half of")
    writer._file.flush()
    (path,) = folder.glob(f"{writer.id}.*")
    make_old(path, hours * HOUR)
    return path.name


@pytest.fixture
def paired(db, folder):
    installation.check()
    return folder


def test_an_interrupted_upload_goes_to_quarantine_after_a_day_and_not_before(paired, caplog):
    old, fresh = cut_off(paired, 25), cut_off(paired, 23)
    orphans.clear()
    assert names(paired) == [fresh]
    assert names(paired / "quarantine") == [old]
    assert old in caplog.text


def test_a_clock_that_jumps_ahead_and_back_moves_no_upload_that_arrives_and_stops_no_look(
    paired, monkeypatch
):
    sweep_later()
    arriving = cut_off(paired, 0)
    ahead = timezone.now() + timedelta(days=40)
    with monkeypatch.context() as patch:
        patch.setattr(timezone, "now", lambda: ahead)
        sweep_later()
    assert names(paired) == [arriving]
    make_old(paired / orphans.LOOK, -40 * DAY)
    make_old(paired / arriving, 2 * DAY)
    sweep_later()
    assert names(paired) == []


def test_the_files_of_a_submission_and_those_of_others_stay_however_old_they_are(
    paired, demo, user, good_file
):
    send(user, demo, good_file)
    before = names(paired)
    note = paired / "README"
    note.write_text("of the operator")
    for path in (note, *paired.glob("*-*.*")):
        make_old(path, 400 * DAY)
    orphans.clear()
    assert names(paired) == before != []
    assert note.exists()


def test_one_run_moves_and_removes_a_limited_number_of_files_and_the_log_names_each(
    paired, monkeypatch, caplog
):
    monkeypatch.setattr(orphans, "FEW", 3)
    moved = {cut_off(paired, 25) for _ in range(5)}
    orphans.clear()
    assert (len(names(paired)), len(names(paired / "quarantine"))) == (2, 3)
    orphans.clear()
    assert (len(names(paired)), len(names(paired / "quarantine"))) == (0, 5)
    early, *late = sorted((paired / "quarantine").iterdir())
    make_old(early, 29 * DAY)
    for path in late:
        make_old(path, 31 * DAY)
    for left in (2, 1):
        orphans.clear()
        assert len(names(paired / "quarantine")) == left
    assert names(paired / "quarantine") == [early.name]
    assert all(f"{name} was moved to quarantine" in caplog.text for name in moved)
    assert all(f"{path.name} was removed after 30 days" in caplog.text for path in late)


def test_files_that_their_row_needs_no_longer_go_to_quarantine_first(paired, demo, user, good_file):
    submission = send(user, demo, good_file).submission
    rows = Submission.objects.filter(pk=submission.pk)
    kept = names(paired)
    for path in paired.glob("*-*.*"):
        make_old(path, 40 * DAY)
    # As in a copy of the database that knows another end of it.
    long_ago = timezone.now() - timedelta(days=40)
    scored = rows.values("status", "moved_at", "evaluation", "scored_at").get()
    rows.update(status=Status.CANCELLED, moved_at=long_ago, evaluation=None, scored_at=None)
    for _ in range(2):
        orphans.clear()
        assert (names(paired), names(paired / "quarantine")) == ([], kept)
    rows.update(**scored)
    orphans.clear()
    assert (names(paired), names(paired / "quarantine")) == (kept, [])


def test_a_copy_of_the_database_removes_neither_orphans_nor_drafts(paired, settings, caplog):
    # The database is a copy of one that a running service uses with the folder.
    (paired / "owner").write_text(f"{uuid.uuid4()}\n")
    file = store.store_file([b"of a visitor"])
    Draft.objects.create(stored_as=file.id, sha256="", size_bytes=1, filename="x", made_at=timezone.now())
    orphan = cut_off(paired, 25)
    settings.DRAFT_HOURS = 0
    sweep_later()
    assert names(paired) == sorted([orphan, f"{file.id}.original"])
    assert "another copy of this database" in caplog.text


def _other_database() -> None:
    Installation.objects.all().delete()


def _other_folder() -> None:
    (Path(settings.UPLOADS) / "installation").write_text(f"{uuid.uuid4()}\n")


@pytest.mark.parametrize("mix_up", [_other_database, _other_folder])
def test_no_file_is_moved_where_folder_and_database_do_not_match(paired, mix_up, caplog):
    for _ in range(30):
        cut_off(paired, 25)
    before = names(paired)
    mix_up()
    orphans.clear()
    sweep_later()
    assert names(paired) == before
    assert "no file was moved or removed" in caplog.text


def test_files_that_a_restored_database_lost_come_back_when_a_row_names_them(paired, demo, user, good_file):
    submission = send(user, demo, good_file).submission
    lost = names(paired)
    for path in paired.glob("*-*.*"):
        make_old(path, 3 * DAY)
    # As an old backup has it: the key is the same, the row is not there yet.
    Submission.objects.filter(pk=submission.pk).update(stored_as=uuid.uuid4())
    orphans.clear()
    assert names(paired / "quarantine") == lost
    assert not store.can_be_scored(submission.stored_as)
    Submission.objects.filter(pk=submission.pk).update(stored_as=submission.stored_as)
    orphans.clear()
    assert names(paired) == lost
    assert store.can_be_scored(submission.stored_as)
