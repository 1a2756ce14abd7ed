"""Files on disk: complete or absent, and never more than the disk has room for."""

import errno
import io
import os
import shutil
from collections import namedtuple

import pytest

from leaderboard.models import Submission
from leaderboard.services import background
from leaderboard.services.errors import BoardClosed, NoRoom
from leaderboard.services.files import arrivals, store
from tests.support.factories import send
from tests.support.leases import sweep_later
from wardboard.scoring.reading.limits import MIB

Usage = namedtuple("Usage", "total used free")


def file_names(folder) -> list[str]:
    return sorted(path.name for path in folder.glob("*-*.*"))


class Full(io.FileIO):
    """A file on a disk that is full once it has five bytes."""

    def write(self, chunk):
        if self.tell() + len(chunk) > 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(chunk)


def test_an_interrupted_upload_leaves_nothing(folder):
    def broken():
        yield b"one "
        raise ConnectionError

    with pytest.raises(ConnectionError):
        store.store_file(broken())
    arrival = store.FileWriter()
    arrival.write(b"one")
    for _ in range(2):
        arrival.discard()
        assert file_names(folder) == []


def test_a_full_disk_raises_no_room_and_leaves_nothing(folder, monkeypatch):
    def fail(number):
        def fsync(_):
            raise OSError(number, "No space left on device")

        return fsync

    # Before the file is synced; another error is not reported as a full disk.
    for number, expected in ((errno.ENOSPC, NoRoom), (errno.EIO, OSError)):
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", fail(number))
            with pytest.raises(expected) as raised:
                store.store_file([b"one"])
        assert type(raised.value) is expected
        assert file_names(folder) == []
    monkeypatch.setattr(arrivals, "open", Full, raising=False)
    with pytest.raises(NoRoom) as refused:
        store.store_file([b"one ", b"two"])
    assert "costs no quota" in refused.value.detail
    assert file_names(folder) == []


def test_a_file_that_would_leave_too_little_room_is_refused_before_writing(folder, settings, monkeypatch):
    settings.UPLOAD_MIN_FREE_BYTES = 1000
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(9000, 7500, 1500))
    assert store.FileWriter(expected=500).finish()
    before = file_names(folder)
    with pytest.raises(NoRoom):
        store.FileWriter(expected=501)
    assert file_names(folder) == before


def test_a_disk_that_fills_during_an_upload_is_noticed(folder, settings, monkeypatch):
    room = [Usage(1, 1, 10**12)] + [Usage(1, 1, 0)] * 9
    monkeypatch.setattr(shutil, "disk_usage", lambda _: room.pop(0))
    with pytest.raises(NoRoom):
        store.store_file([b"x" * MIB] * 64)
    assert len(room) == 8
    assert file_names(folder) == []


def test_an_error_before_the_row_exists_and_a_closed_board_leave_no_file(
    folder, demo, user, good_file, monkeypatch
):
    with monkeypatch.context() as broken:
        broken.setattr(Submission, "save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            send(user, demo, good_file)
    type(demo).objects.update(active_revision=None)
    demo.refresh_from_db()
    with pytest.raises(BoardClosed):
        send(user, demo, good_file)
    assert file_names(folder) == []


def test_an_error_after_the_row_exists_keeps_the_file_for_the_sweep(
    folder, demo, user, good_file, monkeypatch
):
    with monkeypatch.context() as broken:
        broken.setattr(background, "enqueue", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            send(user, demo, good_file)
    assert file_names(folder) != []
    sweep_later()
    assert Submission.objects.get().status == "scored"


@pytest.mark.parametrize("keeps_original", [False, True])
def test_what_a_row_names_is_on_the_disk_before_the_row(
    folder, demo, user, good_file, monkeypatch, keeps_original
):
    demo.keep_originals = keeps_original
    flushed, real_fsync, real_save = [], os.fsync, Submission.save

    def fsync(descriptor):
        real_fsync(descriptor)
        flushed.append(os.fstat(descriptor).st_ino)

    def save(submission, **options):
        needed = [*folder.iterdir(), folder]
        assert len(needed) == (4 if keeps_original else 2)
        assert {path.stat().st_ino for path in needed} <= set(flushed)
        # Names are flushed after they are given.
        assert flushed[-1] == folder.stat().st_ino
        return real_save(submission, **options)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Submission, "save", save)
    assert send(user, demo, good_file).submission.status == "scored"
