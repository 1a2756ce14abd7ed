"""What a request does itself is bounded by its cost; the rest is passed on, and nothing is lost."""

import queue
import threading
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from leaderboard.models import Status, Submission
from leaderboard.services import background, turns
from leaderboard.services.background import Lane
from leaderboard.services.processes import leases
from leaderboard.services.submissions import admit, grade
from leaderboard.services.turns import Turns
from tests.support.factories import make_fhir_demo, send
from tests.support.leases import sweep_later
from wardboard.scoring.fhir_agentbench import demo as fhir_files

pytestmark = pytest.mark.both_databases


@pytest.fixture
def passed_on(monkeypatch):
    """Act as a process with a thread for each lane; return the list of those that are woken."""
    woken = []
    has_work = {lane: SimpleNamespace(set=partial(woken.append, lane)) for lane in (Lane.SHORT, Lane.LONG)}
    served = threading.Event()
    served.set()
    monkeypatch.setattr(background, "has_work", has_work)
    monkeypatch.setattr(background, "changed_queue", queue.SimpleQueue())
    monkeypatch.setattr(background, "is_served", served)
    return woken


@pytest.fixture
def busy(monkeypatch):
    """Return a context in which every turn of the process is taken."""
    monkeypatch.setattr(background, "PATIENCE", 0.01)

    @contextmanager
    def all_taken():
        mine = Turns(1)
        with monkeypatch.context() as taken, mine.take():
            for each in ("reading", "reading_for_visitors", "scoring"):
                taken.setattr(turns, each, mine)
            yield

    return all_taken


def in_background(woken):
    """Do what was passed on, as the threads of the process do."""
    token = background._is_server.set(True)
    try:
        while woken:
            background._work_on_all(woken.pop(0), threading.Event())
    finally:
        background._is_server.reset(token)


def test_scoring_that_takes_longer_than_estimated_is_passed_on_and_its_reading_kept(
    user, db, settings, monkeypatch, passed_on, django_capture_on_commit_callbacks
):
    started = []
    real = grade.grade

    def slow(*arguments, **options):
        if not background._is_server.get():
            # The time is up as soon as scoring begins.
            monkeypatch.setattr(background, "monotonic", lambda: 10.0**12)
        started.append(background._is_server.get())
        return real(*arguments, **options)

    monkeypatch.setattr(grade, "grade", slow)
    with django_capture_on_commit_callbacks(execute=True):
        submission = send(user, make_fhir_demo(), fhir_files.GOOD.read_bytes()).submission
    assert submission.status == Status.QUEUED
    assert passed_on == [Lane.LONG]
    monkeypatch.setattr(admit, "extract_records", lambda **_: pytest.fail("it was read again"))
    in_background(passed_on)
    submission.refresh_from_db()
    assert (submission.status, started) == (Status.SCORED, [False, True])


@pytest.mark.parametrize("is_killed", [False, True], ids=["by its thread", "by the sweep after a kill"])
def test_a_busy_process_takes_a_submission_which_is_handled_in_the_background(
    demo, user, good_file, busy, passed_on, django_capture_on_commit_callbacks, is_killed
):
    with busy(), django_capture_on_commit_callbacks(execute=True):
        submission = send(user, demo, good_file).submission
    assert submission.status == Status.RECEIVED
    if is_killed:
        passed_on.clear()
        with django_capture_on_commit_callbacks(execute=True):
            sweep_later()
    in_background(passed_on)
    submission.refresh_from_db()
    assert submission.status == Status.SCORED


def test_a_file_that_a_request_scores_is_claimed_when_its_row_is_created(
    demo, user, good_file, passed_on, monkeypatch
):
    created = []
    save = Submission.save

    def note(submission, **options):
        save(submission, **options)
        created.append(Submission.objects.get())

    monkeypatch.setattr(Submission, "save", note)
    submission = send(user, demo, good_file).submission
    (row,) = created
    assert (row.status, row.begun_at) == (Status.SCORING, row.received_at)
    assert row.claim is not None
    assert submission.work.worked_on_by == leases.process_name()
    assert (submission.status, submission.work.attempts, submission.claim) == (Status.SCORED, 1, None)
    assert passed_on == []


def test_a_check_that_finds_the_process_busy_is_refused_with_retry_after(
    demo, visitor, busy, good_file, monkeypatch
):
    monkeypatch.setattr(turns, "PATIENCE_OF_CHECKS", 0.01)
    address = f"/api/v1/validations/raw/?benchmark={demo.slug}"
    with busy():
        answer = visitor.post(address, good_file, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert int(answer["Retry-After"]) > 0
        form = {"benchmark": demo.slug, "file": SimpleUploadedFile("results.json", good_file)}
        page = visitor.post(reverse("web:choose"), form)
        assert page.status_code == 503
        assert int(page["Retry-After"]) > 0
        assert "Several files are being checked right now" in page.content.decode()
    assert visitor.post(address, good_file, content_type="application/json").status_code == 200


def test_checks_and_exports_together_leave_a_thread_for_pages():
    others = threading.BoundedSemaphore(3)
    drawing, reading = Turns(2, 3, others), Turns(1, 2, others)
    taken = [drawing.take(), drawing.take(), reading.take()]
    for more in (drawing, reading):
        with pytest.raises(turns.TooBusy):
            more.take(0)
    for turn in taken:
        turn.end()
    with reading.take(0), pytest.raises(turns.TooBusy):
        reading.take(0)
    assert drawing.take(0)
