"""Importing reference answers in the browser: every problem at once, a preview, then activate or discard."""

import csv
import errno
import gzip
import io
import json
import tempfile
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import AuditEvent, Board, BoardOrganiser, ReferenceRevision
from leaderboard.services import turns
from leaderboard.services.judging.references import references_of
from leaderboard.services.publishing import import_references
from leaderboard.services.publishing import stage_references as staging
from leaderboard.services.publishing.import_references import activate_revision
from tests.support.factories import make_fhir_demo, make_published
from tests.support.pages.desk import words
from tests.support.scoring.fhir_submissions import table
from wardboard.scoring.fhir_agentbench.demo import QUESTIONS
from wardboard.scoring.medagentbench.demo import RECORDING, TASKS

IMPORT = "/organise/boards/hidden/references/import/"
REVISION = "/organise/boards/hidden/references/2/"


def tasks_with(**changes) -> bytes:
    """Return the task file with the `sol` of tasks changed: task id -> value."""
    tasks = json.loads(TASKS.read_bytes())
    for task in tasks:
        if task["id"] in changes:
            task["sol"] = changes[task["id"]]
    return json.dumps(tasks).encode()


def send(client, tasks, recording=None, **choices):
    recording = RECORDING.read_bytes() if recording is None else recording
    files = {
        "tasks": SimpleUploadedFile("tasks.json", tasks),
        "fhir_recording": SimpleUploadedFile("fhir.ndjson.gz", recording),
    }
    return client.post(IMPORT, {**files, **choices})


def send_questions(client, raw, **choices):
    return client.post(
        "/organise/boards/words/references/import/",
        {"questions": SimpleUploadedFile("questions.csv", raw), **choices},
    )


def numbers() -> list[int]:
    return sorted(ReferenceRevision.objects.filter(board__slug="hidden").values_list("number", flat=True))


def active() -> int:
    return Board.objects.select_related("active_revision").get(slug="hidden").active_revision.number


def test_uploaded_files_make_a_revision_that_is_previewed_and_activated(
    desk, board, organiser, user, good_file
):
    make_published(user, board, good_file, system="Alpha")
    assert "Import reference answers…" in words(desk.get("/organise/boards/hidden/references/"))
    page = words(desk.get(IMPORT))
    assert "Task file of the benchmark’s authors, JSON" in page
    response = send(desk, tasks_with(task1_1=["a hidden answer"]))
    assert response["Location"] == REVISION
    page = words(desk.get(REVISION))
    assert "Revision 2 is stored. It is not active yet." in page
    assert "1 task with another answer: <code>task1_1</code>" in page
    assert "1 published result was graded for this preview" in page
    assert "a hidden answer" not in page
    assert active() == 1
    revision = ReferenceRevision.objects.get(number=2)
    assert (revision.imported_by, revision.task_count) == (organiser, 50)
    assert "tasks tasks.json sha256" in revision.origin
    event = AuditEvent.objects.get(action=AuditEvent.Action.IMPORTED, actor=organiser)
    assert event.data == {"revision": 2, "digest": revision.digest}
    for value in ("0", "9" * 30, "9" * 5000):
        assert desk.post(REVISION, {"was": value}).status_code == 302
        assert active() == 1
    desk.post(REVISION, {"was": board.active_revision_id})
    assert active() == 2
    assert "can be discarded" not in words(desk.get(REVISION))


def test_every_problem_of_all_files_is_reported_at_once_with_code_place_and_fix(desk):
    tasks = [{"id": "task1_1"}, "x", {"id": "task99_1"}, {"id": "task1_1"}, {"id": "task1_2", "sol": "zebra"}]
    recording = RECORDING.read_bytes()
    plain = gzip.decompress(recording) if recording[:2] == b"\x1f\x8b" else recording
    response = send(desk, json.dumps(tasks).encode(), plain + b"{\n")
    assert response.status_code == 422
    page = words(response)
    assert "5 errors, so nothing was stored" in page
    assert "zebra" not in page
    line = plain.count(b"\n") + 1
    codes = ("task.not-an-object", "/2/id", "/3/id", "task.solution", "/4/sol", "recording.unreadable")
    for text in (*codes, f"line {line}", "fhir.ndjson.gz", "tasks.json"):
        assert text in page.casefold(), text
    assert numbers() == [1]
    assert not AuditEvent.objects.exclude(actor=None).exists()


def questions(**changed) -> bytes:
    """Return the demonstration's questions with other cells in the first row."""
    rows = list(csv.DictReader(io.StringIO(QUESTIONS.read_text())))
    rows[0].update(changed)
    return table(*rows)


def test_no_page_and_no_log_line_quotes_a_reference(desk, organiser, caplog):
    BoardOrganiser.objects.create(board=make_fhir_demo("words", is_demo=False), user=organiser)
    hidden = {"true_answer": "zebra-answer-4711", "true_fhir_ids": "{'Patient': ['zebra-id-4711"}
    page = words(send_questions(desk, questions(question_id="odd", **hidden)))
    odd = "question_id odd is not 24 hexadecimal digits"
    for text in ("question.ids", odd, "questions.csv", "/true_fhir_ids"):
        assert text in page
    assert "zebra" not in page
    # What dumped references of another benchmark hold is not quoted either.
    send_questions(desk, b'{"zebra": "zebra-answer-4711"}')
    assert "zebra" not in caplog.text


def test_the_files_have_no_name_on_the_disk_and_never_reach_the_store(desk, monkeypatch, tmp_path, settings):
    def stored_files() -> list[str]:
        return sorted(path.name for path in Path(settings.UPLOADS).rglob("*"))

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before, seen = stored_files(), []

    def look(**options):
        seen.append([path.name for path in tmp_path.iterdir()])
        return staging_import(**options)

    staging_import = staging.import_references
    monkeypatch.setattr(staging, "import_references", look)
    assert send(desk, gzip.compress(tasks_with(task1_1=["other"]))).status_code == 302
    assert seen == [[]]
    assert list(tmp_path.iterdir()) == []
    assert stored_files() == before


def test_an_import_that_is_killed_leaves_nothing_of_a_revision(desk, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr(import_references.audit, "record", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            send(desk, tasks_with(task1_1=["other"]))
    assert active() == 1
    assert numbers() == [1]
    assert send(desk, tasks_with(task1_1=["other"])).status_code == 302
    assert numbers() == [1, 2]


def test_a_discarded_revision_is_deleted_and_its_number_is_not_used_again(desk, organiser):
    send(desk, tasks_with(task1_1=["other"]))
    revision = ReferenceRevision.objects.get(number=2)
    references_of(revision)
    assert "can be discarded" in words(desk.get(REVISION))
    for _ in range(2):
        assert "Revision 2 is discarded." in words(desk.post(f"{REVISION}discard/", follow=True))
    assert numbers() == [1]
    assert desk.post("/organise/boards/hidden/references/9/discard/").status_code == 404
    event = AuditEvent.objects.get(action=AuditEvent.Action.DISCARDED)
    assert (event.actor, event.data) == (organiser, {"revision": 2, "digest": revision.digest})
    assert desk.get(REVISION).status_code == 404
    send(desk, tasks_with(task1_1=["another"]))
    assert numbers() == [1, 3]


def test_a_revision_that_was_active_once_is_never_discarded(desk, organiser):
    send(desk, tasks_with(task1_1=["other"]))
    first, second = ReferenceRevision.objects.order_by("number")
    activate_revision(revision=second, was=first.pk, by=organiser)
    for number in (1, 2):
        page = words(desk.post(f"/organise/boards/hidden/references/{number}/discard/", follow=True))
        assert "A revision that was active once stays" in page
    assert numbers() == [1, 2]


def test_only_organisers_of_the_board_can_send_more_than_a_form(desk, other_desk, ada, settings):
    settings.REFERENCE_UPLOAD_BYTES = 8 * 1024 * 1024
    large = b" " * (6 * 1024 * 1024)
    for client in (other_desk, ada, Client()):
        assert send(client, large).status_code == 413
    assert send(desk, large).status_code == 422
    response = send(desk, large + large)
    assert response.status_code == 413
    # Below that, a stranger learns nothing about the page, and nothing of the file is kept.
    assert send(other_desk, TASKS.read_bytes()).status_code == 404
    settings.STAFF_SECOND_FACTOR = True
    assert send(desk, large).status_code == 413
    assert send(desk, TASKS.read_bytes())["Location"] == "/accounts/2fa/"
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = desk.cookies
    assert send(strict, TASKS.read_bytes()).status_code == 403
    assert numbers() == [1]


def test_an_import_that_finds_no_turn_or_no_room_is_refused_in_words_and_stores_nothing(desk, monkeypatch):
    class FullDisk(io.BytesIO):
        def write(self, *_):
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(turns.reading, "take", Mock(side_effect=turns.TooBusy))
        busy = send(desk, TASKS.read_bytes())
    assert (busy.status_code, busy.has_header("Retry-After")) == (503, True)
    assert "Several files are being checked right now" in words(busy)
    monkeypatch.setattr("leaderboard.http.uploads.TemporaryFile", FullDisk)
    full = send(desk, TASKS.read_bytes())
    assert full.status_code == 507
    assert "Our disk has no room for the file at the moment." in words(full)
    assert numbers() == [1]
