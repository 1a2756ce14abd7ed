"""A database and a folder of uploads that do not belong together are not used together."""

import shutil
import uuid

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Board, Draft, Installation
from leaderboard.services.drafts import drafts
from leaderboard.services.drafts.identify import Identified
from leaderboard.services.files import installation, store
from leaderboard.services.files.installation import FileCounts, OtherInstallation
from tests.support.factories import send

pytestmark = pytest.mark.both_databases


def keep_draft(raw: bytes) -> Draft:
    """Keep the file of a visitor."""
    identified = Identified(matches=[], closest=Board())
    return drafts.keep(
        store.store_file([raw]), identified=identified, filename="x.json", owner=None, digest="x"
    )


def test_a_new_pair_gets_one_key_and_keeps_it(db, folder):
    installation.check()
    key = Installation.objects.get().key
    assert (folder / "installation").read_text() == f"{key}\n"
    installation.check()
    assert Installation.objects.get().key == key
    assert [path.name for path in folder.iterdir()] == ["installation"]


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


def test_a_folder_that_lost_its_key_is_taken_on_where_the_database_names_its_files(
    demo, user, good_file, folder
):
    send(user, demo, good_file)
    installation.check()
    assert (folder / "installation").exists()


def test_a_database_whose_files_are_missing_is_refused(demo, user, good_file, folder):
    send(user, demo, good_file)
    shutil.rmtree(folder)
    with pytest.raises(OtherInstallation, match="none of the last 1 files"):
        installation.check()
    assert not (folder / "installation").exists()


def test_an_empty_database_on_a_folder_with_files_is_refused(db, folder):
    store.store_file([b"results of somebody else"])
    with pytest.raises(OtherInstallation, match="files of which the database knows none"):
        installation.check()
    assert not (folder / "installation").exists()


def test_a_folder_that_lost_its_key_is_taken_on_where_a_draft_names_its_file(db, folder):
    keep_draft(b"of a visitor")
    installation.check()
    assert (folder / "installation").exists()


def test_the_files_of_drafts_are_compared_until_they_are_submitted(demo, user, good_file, capsys):
    kept, lost, sent = (keep_draft(raw) for raw in (b"kept", b"lost", b"sent"))
    store.remove(lost.stored_as)
    drafts.finish(sent, send(user, demo, good_file).submission)
    assert installation.compare() == FileCounts(both=2, only_in_database=1, only_in_folder=0)
    drafts.discard([kept, lost])
    assert installation.compare() == FileCounts(both=1, only_in_database=0, only_in_folder=0)


def test_a_key_that_cannot_be_read_is_refused(db, folder):
    folder.mkdir()
    (folder / "installation").write_text("half a k")
    with pytest.raises(OtherInstallation, match="holds no key"):
        installation.check()


def test_pairs_are_compared_and_joined_by_a_command(demo, user, good_file, folder, capsys):
    send(user, demo, good_file)
    left = store.store_file([b"of a request that was interrupted"])
    (folder / "installation").write_text(f"{uuid.uuid4()}\n")
    assert installation.compare() == FileCounts(both=1, only_in_database=0, only_in_folder=1)
    with pytest.raises(CommandError, match="--join"):
        call_command("pair_uploads")
    call_command("pair_uploads", "--join")
    assert "named by the database and in the storage: 1" in capsys.readouterr().out
    installation.check()
    call_command("pair_uploads")
    assert capsys.readouterr().out.endswith("they belong together\n")
    assert store.can_be_scored(left.id), "nothing was moved or removed"
