"""A database and a folder of uploads that do not belong together are not used together."""

import os
import shutil
import time
import uuid

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Installation, StorageToken
from leaderboard.services.files import installation, store
from leaderboard.services.files.installation import OtherInstallation
from tests.support.factories import send

pytestmark = pytest.mark.both_databases


def test_a_new_pair_gets_one_key_and_keeps_it(db, folder):
    installation.check()
    key = Installation.objects.get().key
    assert (folder / "installation").read_text() == f"{key}\n"
    installation.check()
    assert Installation.objects.get().key == key
    assert {path.name for path in folder.iterdir()} == {"installation", "owner"}


@pytest.mark.parametrize("command", ["load_demo", "pair_uploads"])
def test_another_database_on_the_same_folder_is_refused_with_both_keys(db, folder, command):
    installation.check()
    first = Installation.objects.get().key
    Installation.objects.all().delete()
    with pytest.raises((SystemExit, CommandError)) as refused:
        call_command(command)
    message = str(refused.value)
    assert str(first) in message
    assert str(Installation.objects.get().key) in message
    assert "DATABASE_URL" in message


def test_a_pair_that_does_not_belong_together_is_refused(demo, user, good_file, folder):
    store.store_file([b"results of someone else"])
    with pytest.raises(OtherInstallation, match="files of which the database knows none"):
        installation.check()
    send(user, demo, good_file)
    shutil.rmtree(folder)
    with pytest.raises(OtherInstallation, match="none of the last 1 files"):
        installation.check()
    assert not (folder / "installation").exists()
    folder.mkdir()
    (folder / "installation").write_text("half a k")
    with pytest.raises(OtherInstallation, match="holds no key"):
        installation.check()


def test_pairs_are_compared_and_joined_by_a_command(demo, user, good_file, folder, capsys):
    send(user, demo, good_file)
    left = store.store_file([b"of a request that was interrupted"])
    (folder / "installation").write_text(f"{uuid.uuid4()}\n")
    assert installation.compare() == (1, [], 1)
    with pytest.raises(CommandError, match="--join"):
        call_command("pair_uploads")
    call_command("pair_uploads", "--join")
    assert "named by the database and in the storage: 1" in capsys.readouterr().out
    installation.check()
    call_command("pair_uploads")
    assert capsys.readouterr().out.endswith("they belong together\n")
    assert store.can_be_scored(left.id), "nothing was moved or removed"


def test_a_pair_that_lacks_files_is_named_with_them_and_ends_with_an_error(demo, user, good_file, folder):
    lost = send(user, demo, good_file).submission.stored_as
    send(user, demo, good_file.replace(b"S", b"T", 1), system="Another")
    installation.check()
    store.remove(lost)
    with pytest.raises(CommandError, match=f"1 files that the database needs are not .*{lost}"):
        call_command("pair_uploads")


@pytest.fixture
def minutes_later(folder, monkeypatch):
    """Let minutes pass for the token of the storage, in a process that runs for longer."""
    monkeypatch.setattr(installation, "_started", time.monotonic() - 3600)

    def pass_(minutes: float) -> None:
        then = time.time() - minutes * 60
        os.utime(folder / "owner", (then, then))

    return pass_


def remember() -> dict:
    """Return what a copy of the database has of the token."""
    return StorageToken.objects.values("token", "token_before").get()


def go_back_to(copy: dict) -> None:
    StorageToken.objects.update(**copy)


def test_a_copy_of_the_database_is_refused_from_the_next_minute_on(db, folder, minutes_later):
    installation.check()
    copy = remember()
    installation.renew()
    assert remember() == copy, "not before a minute has passed"
    for _ in range(3):
        minutes_later(1.5)
        installation.renew()
        installation.check()
        assert (folder / "owner").read_text().strip() == str(remember()["token"])
    go_back_to(copy)
    for refused in (installation.check, installation.renew):
        with pytest.raises(OtherInstallation, match="another copy of this database"):
            refused()


def test_a_process_that_has_just_started_leaves_the_storage_to_one_that_runs(db, minutes_later, monkeypatch):
    installation.check()
    before = remember()
    monkeypatch.setattr(installation, "_started", time.monotonic())
    minutes_later(2)
    installation.renew()
    assert remember() == before
    minutes_later(4)
    installation.renew()
    assert remember() != before


def test_a_process_that_is_killed_while_it_renews_leaves_a_pair(db, folder, minutes_later, monkeypatch):
    installation.check()
    first = remember()["token"]

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for _ in range(3):
        minutes_later(1.5)
        with monkeypatch.context() as patched:
            patched.setattr("leaderboard.services.files.folder.Folder.replace", killed)
            with pytest.raises(KeyboardInterrupt):
                installation.renew()
        installation.check()
        assert (folder / "owner").read_text().strip() == str(first)
    minutes_later(1.5)
    installation.renew()
    assert (folder / "owner").read_text().strip() == str(remember()["token"]) != str(first)


def test_a_database_that_went_back_to_a_backup_takes_the_storage_from_a_service_that_stopped(
    db, folder, minutes_later
):
    installation.check()
    copy = remember()
    for _ in range(2):
        minutes_later(1.5)
        installation.renew()
    newest = remember()
    go_back_to(copy)
    with pytest.raises(CommandError, match="within the last five minutes"):
        call_command("pair_uploads", "--join")
    minutes_later(6)
    call_command("pair_uploads", "--join")
    installation.check()
    go_back_to(newest)
    with pytest.raises(OtherInstallation):
        installation.check()
