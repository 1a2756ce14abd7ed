"""Events are chained as they are recorded, and the log, its checkpoint and its keys verify."""

import base64
import json
import stat
import threading

import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction
from django.db.models import QuerySet

from leaderboard.checks import check_at_start
from leaderboard.models import (
    Board,
    BoardEvent,
    LogEntry,
    PastStanding,
    SigningKey,
)
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.record import events, keys
from leaderboard.services.record.chain import log_lines
from leaderboard.services.record.checkpoint import heads, signed_checkpoint, write_log
from leaderboard.services.submissions.rescore import rescore
from tests.support.databases import around_triggers
from tests.support.factories import (
    correct,
    make_demo,
    make_published,
    make_user,
    other_references,
)
from wardboard.scoring.receipts.entries import NOTHING
from wardboard.scoring.receipts.notes import read_note
from wardboard.scoring.receipts.verify import verify

pytestmark = pytest.mark.both_databases


def whole_log() -> bytes:
    return "".join(write_log(heads())).encode()


def own_keys() -> list:
    return [known.key for known in keys.published_keys()]


def entries(board: Board) -> list[dict]:
    rows = LogEntry.objects.filter(board=board).order_by("number")
    return [json.loads(body) for body in rows.values_list("body", flat=True)]


@pytest.fixture
def story(demo, user, team, good_file):
    """Publish, withdraw, publish again, rescore, rename, disqualify and reinstate; return the submission."""
    submission = make_published(user, demo, good_file)
    withdraw(submission_id=submission.pk, team=team, by=user, reason="a mistake: 原因")
    publish(submission_id=submission.pk, team=team, by=user)
    import_references(board=demo, references=other_references(), origin="other")
    rescore(board=Board.objects.get(pk=demo.pk))
    staff = make_user("staff@example.org", is_staff=True)
    disqualify(submission_id=submission.pk, by=staff, reason="copied")
    reinstate(submission_id=submission.pk, by=staff)
    return submission


def test_every_kind_of_event_is_chained_and_the_log_verifies(story, demo):
    make_demo("another-demo")
    assert LogEntry.objects.count() == BoardEvent.objects.count()
    result = verify(whole_log(), keys=own_keys())
    assert [problem.message for problem in result.problems.listed] == []
    chained = entries(demo)
    assert [entry["number"] for entry in chained] == list(range(1, len(chained) + 1))
    assert chained[0]["previous"] == NOTHING
    assert {entry["action"] for entry in chained} >= {
        "activated", "published", "withdrawn", "rescored", "disqualified", "reinstated",
    }  # fmt: skip


def test_the_rows_of_the_log_are_those_of_the_leaderboard(story, demo):
    *_, last = (entry for entry in entries(demo) if entry["rows"])
    (row,) = last["rows"]
    stored = PastStanding.objects.filter(board=demo).latest("number")
    assert row == {
        "system": stored.system_id,
        "kind": "rescored",
        "judge": "",
        "right": stored.right,
        "total": stored.total,
        "score": round(stored.score, 3),
        "removed": False,
    }


def test_a_correction_of_a_name_leaves_the_chain_whole(demo, user, good_file):
    make_published(user, demo, good_file, system="Ada's agent")
    before = whole_log()
    correct(user, system="Ada's agent", organisation="Elsewhere")
    result = verify(whole_log(), keys=own_keys(), kept=[before])
    assert not result.problems
    assert "Ada's agent" not in "".join(LogEntry.objects.values_list("body", flat=True))


def test_an_event_shows_no_figure_that_a_feedback_level_hides(demo, user, good_file):
    make_published(user, demo, good_file)
    assert any(entry["figures"] and entry["rows"] for entry in entries(demo))
    for entry in entries(demo):
        assert set(entry) == {
            "format", "board", "number", "previous", "at", "action", "system", "system_name", "reason",
            "submission", "figures", "references", "judge", "feedback", "mixes_judges", "rows",
        }  # fmt: skip
        assert set(entry["figures"] or ()) <= {"right", "total", "score"}
        for row in entry["rows"]:
            assert set(row) == {"system", "kind", "judge", "right", "total", "score", "removed"}


def test_events_that_an_earlier_release_wrote_are_chained_before_the_next(demo, user, good_file):
    number = BoardEvent.objects.latest("number").number
    event = BoardEvent.objects.latest("number")
    # As a process of that release does it: an event, the counters, and no entry.
    BoardEvent.objects.create(
        board=demo,
        number=number + 1,
        rows_number=1,
        at=event.at,
        action="settings",
        feedback=demo.feedback,
    )
    demo.state.number = number + 1
    demo.state.save()
    assert heads()[demo.slug].number == number
    assert not verify(whole_log(), keys=own_keys()).problems
    make_published(user, demo, good_file)
    assert [entry["number"] for entry in entries(demo)] == [*range(1, number + 3)]
    assert not verify(whole_log(), keys=own_keys()).problems


def test_a_lowered_feedback_level_leaves_the_log_as_it_was(demo, user, good_file):
    make_published(user, demo, good_file)
    before = whole_log()
    staff = make_user("staff@example.org", is_staff=True)
    assert change_settings(board=demo, values={"feedback": "overall"}, by=staff, reason="too much was shown")
    assert not verify(whole_log(), keys=own_keys(), kept=[before]).problems
    assert entries(demo)[-1]["feedback"] == "overall"


def test_a_checkpoint_is_the_same_until_the_next_event(demo, user, good_file):
    first = signed_checkpoint()
    assert signed_checkpoint() == first
    make_published(user, demo, good_file)
    assert signed_checkpoint() != first
    assert not verify(whole_log(), keys=own_keys(), kept=[first.encode()]).problems
    assert read_note(first).text.startswith(f"{django_settings.SIGNING_NAME}\n1\n")


def test_a_log_that_was_changed_in_the_database_is_found(story, demo):
    kept = signed_checkpoint()
    row = LogEntry.objects.filter(board=demo, number=2).get()
    changed = row.body.replace('"published"', '"withdrawn"')
    assert changed != row.body
    with around_triggers():
        QuerySet(LogEntry).filter(pk=row.pk).update(body=changed)
    result = verify(whole_log(), keys=own_keys(), kept=[kept.encode()])
    first = result.problems.listed[0]
    assert (first.code, first.pointer) == ("log.event-changed", "/medagentbench-demo/2")


def test_the_log_of_one_leaderboard_has_its_events_and_the_checkpoint_of_all(demo):
    other = make_demo("another-demo")
    lines = [json.loads(line) for line in write_log(heads(), [other.pk])]
    assert {line["entry"]["board"] for line in lines[:-1]} == {"another-demo"}
    raw = "".join(write_log(heads(), [other.pk])).encode()
    result = verify(raw, keys=own_keys())
    assert not result.problems
    assert any("1 other leaderboard" in statement for statement in result.statements)


def test_the_text_of_a_change_of_references_is_not_in_the_log(demo):
    # Releases without commitments wrote the plain digest there.
    ((_, _, _, line),) = log_lines([demo.pk])
    assert json.loads(line)["texts"] == {}
    assert demo.active_revision.digest[:12].encode() not in line
    assert json.loads(line)["entry"]["references"]["commitment"] == demo.active_revision.commitment


class TestKeys:
    @pytest.fixture(autouse=True)
    def own_file(self, settings, tmp_path, db):
        settings.SIGNING_KEY, settings.SIGNING_KEY_FILE = "", tmp_path / "new" / "signing-key.pem"

    def test_a_service_without_a_key_makes_one_that_only_its_user_can_read(self, settings):
        first = keys.signer().key
        assert keys.signer().key == first
        assert stat.S_IMODE(settings.SIGNING_KEY_FILE.stat().st_mode) == 0o600
        assert b"BEGIN PRIVATE KEY" in settings.SIGNING_KEY_FILE.read_bytes()
        assert [path.name for path in settings.SIGNING_KEY_FILE.parent.iterdir()] == ["signing-key.pem"]

    def test_processes_that_start_at_once_take_one_key(self, settings):
        made = []
        threads = [
            threading.Thread(target=lambda: made.append(keys._read_or_make(settings.SIGNING_KEY_FILE)))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 8
        assert len(set(made)) == 1

    def test_a_new_key_follows_the_old_one_and_what_that_signed_still_verifies(self, settings, demo):
        note = signed_checkpoint()
        settings.SIGNING_KEY_FILE.rename(settings.SIGNING_KEY_FILE.with_name("old.pem"))
        assert signed_checkpoint() != note
        old, new = keys.published_keys()
        assert (old.until, new.until) == (new.since, None)
        assert read_note(note).verify([old.key, new.key]) == [old.key]

    def test_the_key_of_the_environment_comes_before_the_file(self, settings):
        settings.SIGNING_KEY = base64.b64encode(bytes(range(32))).decode()
        key = keys.signer().key
        # RFC 8032 gives no key of these bytes; the library that derives it is the one that verifies.
        assert key.verifies(b"text", keys.signer().sign(b"text"))
        assert not settings.SIGNING_KEY_FILE.exists()

    @pytest.mark.parametrize("encoded", ["not base64!", base64.b64encode(b"short").decode()])
    def test_a_wrong_key_is_named_and_not_replaced(self, settings, encoded):
        settings.SIGNING_KEY = encoded
        with pytest.raises(keys.SigningKeyInvalid, match="SIGNING_KEY"):
            keys.signer()
        assert not SigningKey.objects.exists()

    def test_the_service_does_not_start_with_a_key_that_cannot_sign(self, settings):
        assert keys.check_signing_key(None) == []
        assert not settings.SIGNING_KEY_FILE.exists()
        settings.SIGNING_KEY = "not base64!"
        with pytest.raises(SystemExit, match="SIGNING_KEY is not base64"):
            check_at_start()
        settings.SIGNING_KEY, settings.SIGNING_NAME = "", "a name"
        with pytest.raises(SystemExit, match="SIGNING_NAME: 'a name' cannot be the name of a key"):
            check_at_start()
        settings.SIGNING_NAME = "a-name"
        settings.SIGNING_KEY_FILE.parent.mkdir()
        settings.SIGNING_KEY_FILE.write_text("nothing")
        with pytest.raises(SystemExit, match="holds no private key"):
            check_at_start()

    def test_the_service_does_not_start_where_its_key_cannot_be_made(self, settings, tmp_path):
        (tmp_path / "file").write_text("no folder")
        settings.SIGNING_KEY_FILE = tmp_path / "file" / "signing-key.pem"
        with pytest.raises(
            SystemExit, match=r"SIGNING_KEY_FILE: .*signing-key\.pem does not exist, and cannot be made"
        ):
            check_at_start()

    def test_with_a_bucket_no_machine_makes_a_key_of_its_own(self, settings):
        settings.UPLOADS_S3 = {"bucket_name": "uploads"}
        with pytest.raises(SystemExit, match=r"With UPLOADS_S3_BUCKET .* one signing key: set SIGNING_KEY"):
            check_at_start()
        with pytest.raises(keys.SigningKeyInvalid, match="one signing key"):
            keys.signer()
        assert not settings.SIGNING_KEY_FILE.exists()
        settings.SIGNING_KEY = base64.b64encode(bytes(range(32))).decode()
        check_at_start()

    def test_a_new_key_is_a_warning_and_one_that_was_replaced_an_error(self, settings, caplog):
        keys.signer()
        assert [(r.levelname, "new key" in r.message) for r in caplog.records] == [("WARNING", True)]
        settings.SIGNING_KEY = base64.b64encode(bytes(range(32))).decode()
        keys.signer()
        caplog.clear()
        settings.SIGNING_KEY = ""
        for _ in range(3):
            keys.signer()
        assert [record.levelname for record in caplog.records] == ["ERROR"]
        assert "another one has replaced" in caplog.text

    def test_a_file_without_a_key_is_not_replaced(self, settings):
        settings.SIGNING_KEY_FILE.parent.mkdir()
        settings.SIGNING_KEY_FILE.write_text("nothing")
        with pytest.raises(keys.SigningKeyInvalid, match="holds no private key"):
            keys.signer()
        assert settings.SIGNING_KEY_FILE.read_text() == "nothing"


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="a second writer is about PostgreSQL")
def test_an_event_on_one_leaderboard_does_not_wait_for_another_leaderboard():
    one, other = make_demo("one"), make_demo("other")
    with transaction.atomic():
        events.record_settings(board=one, changed=["title"])
        # Meanwhile, before the first is committed:
        thread = threading.Thread(target=_record_and_close, args=(other,))
        thread.start()
        thread.join(timeout=20)
        assert not thread.is_alive()
    assert [heads()[slug].number for slug in ("one", "other")] == [2, 2]


def _record_and_close(board: Board) -> None:
    events.record_settings(board=board, changed=["title"])
    connection.close()
