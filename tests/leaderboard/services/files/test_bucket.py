"""Uploads in S3-compatible storage: what holds of a folder holds of a bucket."""

import os
import re
import threading
import time
import uuid
from datetime import timedelta

import pytest
from django.db.models.signals import post_save

from leaderboard.models import Installation, Status, Submission
from leaderboard.services.errors import StorageAway
from leaderboard.services.files import installation, orphans, store
from leaderboard.services.files.bucket import Bucket
from leaderboard.services.files.installation import OtherInstallation
from leaderboard.services.files.storage import storage
from leaderboard.services.submissions import grade
from tests.support import s3
from tests.support.api_client import Api, assert_problem
from tests.support.factories import make_facts, send, send_queued
from tests.support.leases import sweep_later

OF_THE_PAIR = ["installation", "owner"]


@pytest.fixture
def spool(bucket, settings):
    return settings.UPLOADS


@pytest.fixture
def storage_away(bucket, settings):
    """Return a context manager in which the storage does not answer."""
    from leaderboard.services.files import storage as module

    class Away:
        def __init__(self, kind="refused"):
            self._server = s3.away(kind)

        def __enter__(self):
            settings.UPLOADS_S3 = {**bucket.options, **self._server.__enter__()}
            module._bucket.cache_clear()

        def __exit__(self, *error):
            self._server.__exit__(*error)
            settings.UPLOADS_S3 = bucket.options
            module._bucket.cache_clear()

    return Away


def test_a_file_is_scored_and_kept_in_the_bucket_and_nothing_stays_on_this_machine(
    demo, user, good_file, bucket, spool
):
    submission = send(user, demo, good_file).submission
    assert submission.status == Status.SCORED
    file_id = submission.stored_as
    assert bucket.names() == [f"{file_id}.kept", f"{file_id}.original.zst", f"{file_id}.traces"]
    assert submission.kept_bytes == sum(bucket.sizes().values())
    assert list(spool.iterdir()) == []
    with store.open_original(file_id) as file:
        assert file.read() == good_file
    assert store.can_be_scored(file_id)
    assert store.hold_same_records(file_id, file_id)
    assert not store.can_be_scored(uuid.uuid4())
    assert not send(user, demo, good_file).created, "the same bytes are the same submission"
    store.remove(file_id)
    assert bucket.names() == []


def test_an_object_is_complete_before_a_row_names_it(demo, user, good_file, bucket):
    seen = []

    def look(instance, created, **_):
        if created:
            seen.append((instance.stored_as, bucket.sizes()))

    post_save.connect(look, sender=Submission)
    try:
        send(user, demo, good_file)
    finally:
        post_save.disconnect(look, sender=Submission)
    ((file_id, sizes),) = seen
    assert sizes.keys() == {f"{file_id}.kept", f"{file_id}.original.zst", f"{file_id}.traces"}
    assert sizes == bucket.sizes(), "nothing of it came later"


CALLS = {
    "stat": lambda bucket: bucket.stat("known"),
    "open": lambda bucket: bucket.open("known").__enter__(),
    "entries": lambda bucket: list(bucket.entries()),
    "replace": lambda bucket: bucket.replace("known", lambda file: file.write(b"new")),
}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\nLast-Modified: Thu, 26 Nov 2026 10:00:00 GMT\r\n"


# A status says whether a file was stored; headers describe it; a list and a file have a body.
CUTS = {
    ("stat", "open", "entries", "replace"): (b"", b"HTTP/1.1 2", b"HTTP/1.1 100 Continue\r\n"),
    ("stat", "open", "entries"): (HEAD[:40], HEAD[:-30]),
    ("open", "entries"): (HEAD + b"\r\n<?xml",),
}


@pytest.mark.parametrize(
    ("call", "answer"),
    [(call, answer) for calls, answers in CUTS.items() for call in calls for answer in answers],
)
def test_a_storage_whose_answers_are_cut_is_away_and_holds_no_thread(bucket, spool, call, answer):
    raised = []

    def attempt():
        with s3.cutting(answer) as options:
            try:
                CALLS[call](Bucket(spool, **{**bucket.options, **options}))
            except Exception as error:
                raised.append(error)

    # Not in this thread: what a library reads for ever would stop the tests.
    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(30)
    assert [type(error) for error in raised] == [StorageAway]


@pytest.mark.parametrize("kind", ["refused", "silent", *s3.FAULTS])
def test_a_storage_that_is_away_costs_a_503_and_a_line_in_the_log(
    demo, user, good_file, spool, storage_away, caplog, kind
):
    from leaderboard.services.accounts import create_token

    api = Api(create_token(user=user, name="ci", days=1)[1])
    with storage_away(kind):
        caplog.clear()
        began = time.monotonic()
        refused = api.send(good_file, make_facts())
    assert_problem(refused, 503, "unavailable")
    assert time.monotonic() - began < 15
    assert refused["Retry-After"] == "5"
    assert_one_line(caplog, kind)
    assert Submission.objects.count() == 0
    assert list(spool.iterdir()) == []
    assert api.send(good_file, make_facts()).status_code == 201


def assert_one_line(caplog, kind):
    """Assert that the log has one line about the storage, with the cause and without its address."""
    (line,) = [record for record in caplog.records if record.name.startswith("leaderboard")]
    assert (line.levelname, line.exc_info) == ("WARNING", None)
    causes = {"refused": "Connect", "silent": "ReadTimeout"}
    if kind in s3.FAULTS:
        # The answer to a HEAD has no body; a cut answer to an upload looks like an error of the server.
        status = s3.FAULTS[kind].status
        causes[kind] = rf"(?:{kind}|{status}) \({status}\) at|500 \(500\) at PutObject|IncompleteRead"
    assert re.search(causes[kind], line.getMessage())
    for secret in ("127.0.0.1", "wardboard-", "testing"):
        assert secret not in line.getMessage()


@pytest.mark.parametrize("kind", ["refused", "SlowDown"])
def test_scoring_that_the_storage_interrupts_is_no_failure(demo, user, good_file, storage_away, caplog, kind):
    submission = send_queued(user, demo, good_file)
    assert submission.status == Status.QUEUED
    with storage_away(kind):
        caplog.clear()
        grade.score(submission_id=submission.pk)
    assert "was interrupted: StorageAway" in caplog.records.pop().getMessage()
    assert_one_line(caplog, kind)
    submission.refresh_from_db()
    assert (submission.status, submission.work.attempts) == (Status.SCORING, 0)
    sweep_later()
    submission.refresh_from_db()
    assert submission.status == Status.SCORED


def test_a_bucket_and_a_database_carry_one_key(db, bucket):
    installation.check()
    first = Installation.objects.get().key
    assert bucket.names() == OF_THE_PAIR
    storage().create("installation", b"of another process")
    installation.check()
    Installation.objects.all().delete()
    with pytest.raises(OtherInstallation, match=str(first)):
        installation.check()
    with pytest.raises(SystemExit, match="s3://"):
        installation.check_at_start()
    installation.adopt_uploads()
    installation.check()


def test_a_start_waits_for_no_storage_but_ends_where_the_settings_are_wrong(
    db, bucket, settings, storage_away, client, caplog
):
    with storage_away():
        installation.check_at_start()
        assert client.get("/readyz").json()["storage"] == "does not answer"
    assert "the storage of uploads" in caplog.text
    settings.UPLOADS_S3 = {**bucket.options, "bucket_name": "no-such-bucket"}
    from leaderboard.services.files import storage as module

    module._bucket.cache_clear()
    with pytest.raises(SystemExit, match="UPLOADS_S3_BUCKET"):
        installation.check_at_start()


def test_orphans_go_to_quarantine_and_come_back_or_are_removed(
    demo, user, good_file, bucket, monkeypatch, caplog
):
    submission = send(user, demo, good_file).submission
    names = bucket.names()
    installation.check()
    monkeypatch.setattr(orphans, "ORPHANED_AFTER", timedelta(hours=-1))
    for stored_as, kept in (
        (submission.stored_as, names),
        (uuid.uuid4(), [f"quarantine/{name}" for name in names]),
        (submission.stored_as, names),
        (uuid.uuid4(), [f"quarantine/{name}" for name in names]),
    ):
        Submission.objects.update(stored_as=stored_as)
        orphans.clear()
        assert bucket.names() == sorted([*kept, *OF_THE_PAIR])
    monkeypatch.setattr(orphans, "REMOVED_AFTER", timedelta(hours=-1))
    orphans.clear()
    assert bucket.names() == OF_THE_PAIR
    assert "removed after 30 days in quarantine" in caplog.text


def test_what_a_killed_process_left_on_this_machine_is_removed_after_a_day(spool):
    spool.mkdir()
    old, fresh = (spool / f"{uuid.uuid4()}.original" for _ in range(2))
    for path, age in ((old, 25), (fresh, 23)):
        path.write_bytes(b"half of")
        os.utime(path, (time.time() - age * 3600,) * 2)
    store.FileWriter().discard()
    assert list(spool.iterdir()) == [fresh]
