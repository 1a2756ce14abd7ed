"""Events are chained as they are recorded; the log of a board, its heads and its keys verify."""

import json
import stat
import threading

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.checks import check_at_start
from leaderboard.models import Board, BoardAction, BoardEvent, PastStanding, SigningKey, System
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.record import events, keys
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.chain import read_heads, sign_heads
from leaderboard.services.record.log import PAGE_SIZE, changelog, count_events
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.submissions.rescore import rescore
from tests.support.databases import around_triggers
from tests.support.factories import correct_references, make_demo, make_published, make_user, with_wrong
from tests.support.record import own_keys, verify_log, whole_log
from wardboard.scoring.receipts.entries import NOTHING
from wardboard.scoring.receipts.signatures import NotVerified, read_signed

pytestmark = pytest.mark.both_databases


def signed_head() -> bytes:
    return sign_heads(read_heads())


def entries(board: Board) -> list[dict]:
    rows = BoardEvent.objects.filter(board=board).order_by("number")
    return [json.loads(body) for body in rows.values_list("body", flat=True)]


@pytest.fixture
def story(demo, user, team, good_file):
    """Publish, withdraw, publish again, rescore, rename, disqualify and reinstate; return the submission."""
    submission = make_published(user, demo, good_file)
    withdraw(submission_id=submission.pk, team=team, by=user, reason="a mistake: 原因")
    publish(submission_id=submission.pk, team=team, by=user)
    correct_references(demo)
    rescore(board=demo)
    staff = make_user("staff@example.org", is_staff=True)
    disqualify(submission_id=submission.pk, by=staff, reason="copied")
    reinstate(submission_id=submission.pk, by=staff)
    return submission


def test_every_kind_of_event_is_chained_and_the_log_verifies(story, demo):
    make_demo("another-demo")
    size = BoardEvent.objects.count()
    assert f"The chains of {size} events are whole; 0 texts withheld." in verify_log()
    chained = entries(demo)
    assert [entry["number"] for entry in chained] == list(range(1, len(chained) + 1))
    assert chained[0]["previous"] == NOTHING
    assert {entry["action"] for entry in chained} >= {
        "activated", "published", "withdrawn", "rescored", "disqualified", "reinstated",
    }  # fmt: skip
    *_, last = (entry for entry in chained if entry["rows"])
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


def test_an_event_shows_no_figure_that_a_feedback_level_hides_and_stays_when_that_is_lowered(
    demo, user, good_file
):
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
    before = whole_log()
    staff = make_user("staff@example.org", is_staff=True)
    assert change_settings(board=demo, values={"feedback": "overall"}, by=staff, reason="too much was shown")
    assert verify_log(before)
    assert entries(demo)[-1]["feedback"] == "overall"


def test_the_signed_head_is_the_same_until_the_next_event(demo, user, good_file, settings):
    first = signed_head()
    assert signed_head() == first
    make_published(user, demo, good_file)
    assert signed_head() != first
    assert verify_log(first)
    kind, content, _key = read_signed(first, own_keys())
    event = BoardEvent.objects.get(number=1)
    head = {"number": 1, "digest": event.digest, "at": event.at.isoformat().replace("+00:00", "Z")}
    assert (kind, content["service"], content["boards"]) == ("head", settings.SITE_URL, {demo.slug: head})


def test_a_log_that_was_changed_in_the_database_is_found(story, demo):
    kept = signed_head()
    event = BoardEvent.objects.get(board=demo, number=2)
    changed = event.body.replace('"published"', '"withdrawn"')
    assert changed != event.body
    with around_triggers():
        QuerySet(BoardEvent).filter(pk=event.pk).update(body=changed)
    with pytest.raises(NotVerified) as caught:
        verify_log(kept)
    assert (caught.value.code, caught.value.place) == ("log.event-changed", "/medagentbench-demo/2")


class TestKeys:
    @pytest.fixture(autouse=True)
    def own_file(self, settings, tmp_path, db):
        settings.SIGNING_KEY_FILE = tmp_path / "new" / "signing-key.pem"

    def test_a_service_without_a_key_makes_one_that_only_its_user_can_read(self, settings):
        first = keys.signer().key
        assert keys.signer().key == first
        assert stat.S_IMODE(settings.SIGNING_KEY_FILE.stat().st_mode) == 0o600
        assert b"BEGIN PRIVATE KEY" in settings.SIGNING_KEY_FILE.read_bytes()
        assert [path.name for path in settings.SIGNING_KEY_FILE.parent.iterdir()] == ["signing-key.pem"]

    def test_processes_that_start_at_once_take_one_key(self, settings):
        made = []

        def make() -> None:
            made.append(keys._private_key(settings.SIGNING_KEY_FILE).private_bytes_raw())

        threads = [threading.Thread(target=make) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 8
        assert len(set(made)) == 1

    def test_a_new_key_is_a_warning_and_what_the_old_one_signed_still_verifies(self, settings, demo, caplog):
        first = signed_head()
        settings.SIGNING_KEY_FILE.rename(settings.SIGNING_KEY_FILE.with_name("old.pem"))
        caplog.clear()
        assert signed_head() != first
        assert [(r.levelname, "new key" in r.message) for r in caplog.records] == [("WARNING", True)]
        (old, replaced), (new, until) = keys.published_keys()
        assert (replaced, until) == (new.since, None)
        assert read_signed(first, [old.public_key, new.public_key])[2] == old.public_key

    def test_the_service_does_not_start_with_a_key_that_cannot_sign_or_be_made_and_replaces_none(
        self, settings, tmp_path
    ):
        assert keys.check_signing_key(None) == []
        own = settings.SIGNING_KEY_FILE
        assert not own.exists()
        # Several machines would each make one.
        settings.UPLOADS_S3 = {"bucket_name": "uploads"}
        self.refuses(r"With UPLOADS_S3_BUCKET .* one signing key: set SIGNING_KEY")
        assert not own.exists()
        settings.UPLOADS_S3 = {}
        own.parent.mkdir()
        own.write_text("nothing")
        self.refuses("holds no private key")
        assert own.read_text() == "nothing"
        (tmp_path / "file").write_text("no folder")
        settings.SIGNING_KEY_FILE = tmp_path / "file" / "signing-key.pem"
        with pytest.raises(SystemExit, match=r"SIGNING_KEY_FILE: .* does not exist, and cannot be made"):
            check_at_start()
        assert not SigningKey.objects.exists()

    def refuses(self, reason):
        with pytest.raises(SystemExit, match=reason):
            check_at_start()
        with pytest.raises(keys.SigningKeyInvalid, match=reason):
            keys.signer()


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
    assert [read_heads()[slug]["number"] for slug in ("one", "other")] == [2, 2]


def _record_and_close(board: Board) -> None:
    events.record_settings(board=board, changed=["title"])
    connection.close()


pytestmark = pytest.mark.both_databases


@pytest.fixture
def published(demo, user, good_file):
    """Publish the result file with `wrong` answers made wrong."""

    def publish_(wrong, system="Careful agent"):
        return make_published(user, demo, with_wrong(good_file, wrong), system=system)

    return publish_


def test_the_log_is_newest_first_and_new_references_with_their_rescorings_are_one_line(demo, published):
    for wrong, system in enumerate("ABCDEFG"):
        published(wrong, system)
    correct_references(demo)
    rescore(board=demo)
    published(9, "H")
    newest, activated, *others = changelog(RecordedBoard(demo)).object_list
    event = newest.first.event
    assert (event.action, event.system_name, newest.events) == ("published", "H", ())
    assert (activated.first.event.action, activated.first.reason) == (BoardAction.ACTIVATED, "Rev. 2")
    assert (activated.rescored, activated.events[0].event.number) == (7, activated.first.event.number + 7)
    assert {round(entry.score_before - entry.event.score, 6) for entry in activated.events} == {0.0, 0.02}
    assert [line.first.event.action for line in others] == [*["published"] * 7, "activated"]


def test_a_reader_chooses_results_or_what_organisers_changed_up_to_a_moment(demo, published):
    published(0, "A")
    correct_references(demo)
    rescore(board=demo)
    logs = {choice: changelog(RecordedBoard(demo), choice=choice) for choice in ("results", "organisers")}
    actions = {choice: [line.first.event.action for line in log.object_list] for choice, log in logs.items()}
    assert actions == {"results": ["published"], "organisers": ["activated", "activated"]}
    assert count_events(RecordedBoard(demo)) == {"": 4, "results": 1, "organisers": 3, "details": 0}
    then = RecordedBoard(demo, find_as_of(board=demo, text="2"))
    assert [line.first.event.number for line in changelog(then).object_list] == [2, 1]
    assert count_events(then)["results"] == 1


def test_a_removed_result_is_struck_through_with_the_reason(demo, user, team, published):
    withdrawn, cheat, back = published(0, "A"), published(1, "B"), published(2, "C")
    withdraw(submission_id=withdrawn.pk, team=team, by=user, reason="wrong model")
    boss = make_user("boss@example.org")
    for submission in (cheat, back):
        disqualify(submission_id=submission.pk, by=boss, reason="trained on the tasks")
    reinstate(submission_id=back.pk, by=boss)
    entries = [line.first for line in changelog(RecordedBoard(demo)).object_list]
    then = ["reinstated", "disqualified", "disqualified", "withdrawn", *["published"] * 3, "activated"]
    assert [entry.event.action for entry in entries] == then
    removals = [(entry.removal.action, entry.removal.reason) if entry.removal else None for entry in entries]
    struck = [("disqualified", "trained on the tasks"), ("withdrawn", "wrong model")]
    assert removals == [None, None, None, None, None, *struck, None]
    assert entries[3].reason == "wrong model"


def test_the_log_does_not_load_what_only_the_team_sees(demo, published):
    published(0, "A")
    with CaptureQueriesContext(connection) as queries:
        changelog(RecordedBoard(demo))
    (read,) = (query["sql"] for query in queries if "disqualification_reason" in query["sql"])
    hidden = ("problems", "warnings", "log_facts", "run_files")
    assert [name for name in hidden if f'"{name}"' in read] == []


def add_events(board, actions):
    last = BoardEvent.objects.filter(board=board).count()
    system = System.objects.get_or_create(name="S", source="x")[0]
    BoardEvent.objects.bulk_create(
        BoardEvent(
            board=board,
            number=last + number,
            rows_number=1,
            at=timezone.now(),
            action=action,
            system=system,
            system_name=f"S{number}",
            feedback="overall",
        )
        for number, action in enumerate(actions, 1)
    )


def test_pages_neither_miss_nor_repeat_a_line(demo):
    add_events(demo, (["settings", "rescored", "rescored"] * PAGE_SIZE))
    pages = [changelog(RecordedBoard(demo), page=number) for number in (1, 2, 3, 4)]
    lines = [line for page in pages for line in page.object_list]
    numbers = [entry.event.number for line in lines for entry in line.events or [line.first]]
    assert numbers == list(range(3 * PAGE_SIZE + 1, 0, -1))
    assert {len(line.events) for line in lines} == {0, 2}
    for page, number in (("0", 4), ("99", 4), ("x", 1), (None, 1)):
        assert changelog(RecordedBoard(demo), page=page).number == number
