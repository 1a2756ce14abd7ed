"""A full disk, and a database that is locked or full, refuse a request with 507 or 503, and lose nothing."""

import errno
import os
import sqlite3

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client

from leaderboard.http import outages
from leaderboard.models import Status, Submission
from leaderboard.services.files import folder, store
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import assert_problem
from tests.support.factories import PASSWORD, make_facts
from tests.support.leases import sweep_later

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def stored_names() -> set[str]:
    return {entry.name for entry in store.entries()}


class FullDisk:
    """Let the n-th call fail with which the store writes to the disk, and those after it.

    n: counted from 0; one that is never reached lets all succeed.
    """

    def __init__(self, monkeypatch, n):
        self.left = n
        for name in ("fsync", "replace"):
            monkeypatch.setattr(os, name, self.failing(getattr(os, name)))
        for module in (store, folder):
            monkeypatch.setattr(module, "open", self.open, raising=False)

    def failing(self, call):
        def try_to_call(*args, **kwargs):
            self.left -= 1
            if self.left < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return call(*args, **kwargs)

        return try_to_call

    def open(self, path, mode):
        return (self.failing(open) if "x" in mode else open)(path, mode)


@pytest.mark.parametrize("keeps_originals", [False, True])
def test_a_disk_that_fills_up_at_any_moment_loses_no_file(api, demo, good_file, keeps_originals, monkeypatch):
    demo.keep_originals = keeps_originals
    demo.save(update_fields=["keep_originals"])
    statuses = []
    for n in range(100):
        raw = good_file + b" " * n
        before = stored_names()
        with monkeypatch.context() as patch:
            disk = FullDisk(patch, n)
            response = api.send(raw, make_facts())
        statuses.append(response.status_code)
        row = Submission.objects.filter(size_bytes=len(raw)).first()
        if response.status_code == 507:
            assert_problem(response, 507, "storage-full")
        else:
            assert response.status_code == 201
            assert row.status in (Status.QUEUED, Status.SCORED)
        if row is None:
            assert stored_names() == before
        else:
            # What was taken is scored in the end.
            sweep_later()
            row.refresh_from_db()
            assert row.status == Status.SCORED
        if disk.left >= 0:
            break
    assert 201 not in statuses[:4]
    assert 500 not in statuses
    assert statuses[-1] == 201


@pytest.mark.skipif(connection.vendor != "sqlite", reason="is about SQLite: PostgreSQL has another disk")
def test_a_database_without_room_refuses_what_it_cannot_store(api, demo, user, good_file, caplog):
    before = stored_names()
    with connection.cursor() as cursor:
        # What remains free within the file is not enough for a system, a submission and their events.
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA page_count")
        cursor.execute(f"PRAGMA max_page_count = {cursor.fetchone()[0]}")
    try:
        answers = []
        # What is on free pages goes on; a submission takes up to a page each time.
        while len(answers) < 100 and (not answers or answers[-1].status_code == 201):
            n = len(answers)
            answers.append(api.send(good_file + b" " * n, make_facts(system=f"System {n}")))
        visitor = Client(raise_request_exception=False)
        form = {"login": user.email, "password": PASSWORD}
        pages = [visitor.post("/accounts/login/", form) for _ in range(8)]
        assert visitor.get(f"/benchmarks/{demo.slug}/").status_code == 200
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA max_page_count = 1073741823")
    assert_problem(answers[-1], 507, "storage-full")
    assert {page.status_code for page in pages} <= {302, 507}
    sweep_later()
    assert set(Submission.objects.values_list("status", flat=True)) <= {Status.SCORED}
    files = {store.file_id_of(name) for name in stored_names() - before}
    assert files == set(Submission.objects.values_list("stored_as", flat=True))
    assert "Traceback" not in caplog.text


@pytest.mark.skipif(connection.vendor != "sqlite", reason="test_silent_database.py is about PostgreSQL")
def test_a_locked_database_refuses_a_file_soon_and_completely(api, demo, good_file, caplog):
    before = stored_names()
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 100")
    other.execute("BEGIN IMMEDIATE")
    try:
        problem = assert_problem(api.send(good_file, make_facts()), 503, "unavailable")
        assert api.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/").status_code == 200
    finally:
        other.rollback()
        other.close()
    assert "error_id" not in problem
    assert not Submission.objects.exists()
    assert stored_names() == before
    # That the token was used is not worth a refusal.
    starts = [
        "the use of a token was not noted: OperationalError",
        f"503 at POST {SUBMISSIONS}: OperationalError",
    ]
    lines = [line for line in caplog.messages if "database is locked" in line]
    assert [line.startswith(start) for line, start in zip(lines, starts, strict=True)] == [True, True]
    assert api.send(good_file, make_facts()).status_code == 201


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (psycopg.errors.DiskFull("could not extend file"), "storage-full"),
        (psycopg.errors.LockNotAvailable("canceling statement due to lock timeout"), "unavailable"),
        (psycopg.errors.AdminShutdown("terminating connection"), "unavailable"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "storage-full"),
    ],
)
def test_each_outage_has_its_answer(cause, code):
    error = OperationalError(str(cause)) if isinstance(cause, psycopg.Error) else RuntimeError()
    error.__cause__ = cause
    assert outages.code_of(error) == code
