"""Log lines about a submission: kept for its organisers, and never at the expense of the work."""

import logging
import threading
from datetime import timedelta

import pytest
from django.db import OperationalError, connection, connections, transaction
from django.utils import timezone

from leaderboard.models import JudgeMode, Status, Submission, SubmissionLogLine
from leaderboard.monitoring import ids, submission_lines
from leaderboard.services import accounts
from leaderboard.services.processes import heartbeat, log_lines
from leaderboard.services.submissions import rescore, retry, sweep
from tests.support.factories import make_fhir_demo, make_scored, send
from tests.support.llm_server import LlmReply, LlmServer

pytestmark = pytest.mark.both_databases

logger = logging.getLogger("leaderboard.tests")


@pytest.fixture(autouse=True)
def none_waiting():
    """Forget the lines that other tests logged."""
    submission_lines.take()


def messages(submission) -> list[str]:
    return [line.message for line in SubmissionLogLine.objects.filter(submission=submission)]


def log_about(submission, *lines, level=logging.WARNING):
    with ids.bound(submission_id=submission.pk):
        for line in lines:
            logger.log(level, line)


def test_a_file_that_is_scored_at_once_logs_nothing_and_so_costs_nothing(demo, user, good_file):
    make_scored(user, demo, good_file)
    assert not submission_lines.is_any_waiting()


@pytest.mark.django_db(transaction=True)
def test_an_outage_of_the_judge_is_told_attempt_by_attempt(user, good_answers, settings):
    board = make_fhir_demo(judge_mode=JudgeMode.LLM)
    judge = {**settings.JUDGE, "model": "stub", "name": "stub", "concurrency": 2}
    with LlmServer(LlmReply(status=503, text="the hidden answer")) as server:
        settings.JUDGE = {**judge, "base_url": server.url}
        submission = send(user, board, good_answers).submission
        assert submission.status == Status.INCOMPLETE
        # It is scored again without a word from the judge.
        Submission.objects.filter(pk=submission.pk).update(resume_at=timezone.now())
        sweep.sweep()
    log_lines.store()
    # Five answers need no judge.
    assert messages(submission) == [
        # In the thread of the calls, where the line carries the id too.
        "The judge's model stub: HTTP 503",
        "the judge cannot go on: provider-down, 55 answers are undecided",
        "scoring is resumed",
        "The judge's model stub: HTTP 503",
        "the judge cannot go on: provider-down, 55 answers are undecided",
    ]


def test_a_fault_is_kept_with_its_class_and_never_with_its_text_or_traceback(
    demo, user, good_file, monkeypatch
):
    def fault(*_, **__):
        raise KeyError("the hidden answer")

    with monkeypatch.context() as patched:
        patched.setattr("leaderboard.services.submissions.grade.grade", fault)
        submission = send(user, demo, good_file).submission
    assert submission.status == Status.FAILED
    retry.retry(submission_id=submission.pk, by=user)
    with ids.bound(submission_id=submission.pk, task_id="a-task", request_id="a-request"):
        try:
            fault()
        except KeyError as error:
            logger.exception("it was %r, by wb_abcdefgh12345678\nand more", error)
    log_lines.store()
    kept = messages(submission)
    assert kept[0] == f"scoring of submission {submission.pk} failed: KeyError"
    assert kept[1].startswith(f"submission {submission.pk} failed: Scoring failed because of an error on our")
    assert kept[2] == "it is tried again, by an organiser"
    assert kept[-1] == "it was KeyError, by wb_[hidden]"
    assert "hidden answer" not in " ".join(kept)
    last = SubmissionLogLine.objects.last()
    assert (last.level, last.task_id, last.request_id) == ("ERROR", "a-task", "a-request")


def test_a_file_that_is_not_rescored_has_a_line_that_says_why(demo, user, good_file, monkeypatch):
    submission = make_scored(user, demo, good_file)
    skipped = rescore.RescoreResult(changed=0, skipped={str(submission.pk): "its file is not in the store"})
    monkeypatch.setattr(rescore, "rescore", lambda **_: skipped)
    rescore.rescore_board(board_id=demo.pk)
    log_lines.store()
    assert messages(submission) == [
        f"{demo.slug}: submission {submission.pk} was not rescored: its file is not in the store"
    ]


def test_lines_about_no_submission_of_other_libraries_and_of_debugging_are_not_kept(demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    logger.warning("about nothing")
    log_about(submission, "details", level=logging.DEBUG)
    with ids.bound(submission_id=submission.pk):
        logging.getLogger("someone.else").warning("by another")
    assert log_lines.store() == 0


def test_the_newest_200_lines_of_a_submission_are_kept(demo, user, good_file):
    submission, other = make_scored(user, demo, good_file), make_scored(user, demo, good_file + b" ")
    log_about(other, "of another")
    for start in (0, 150):
        log_about(submission, *(f"line {number}" for number in range(start, start + 150)))
        log_lines.store()
    assert messages(submission) == [f"line {number}" for number in range(100, 300)]
    assert messages(other) == ["of another"]


def test_lines_expire(demo, user, good_file, settings):
    submission = make_scored(user, demo, good_file)
    log_about(submission, "old", "new")
    log_lines.store()
    old = timezone.now() - timedelta(days=settings.SUBMISSION_LOG_DAYS, minutes=1)
    SubmissionLogLine.objects.filter(message="old").update(at=old)
    accounts.clear_expired()
    assert messages(submission) == ["new"]


def test_lines_wait_while_the_database_is_away_in_bounded_number_and_in_order(
    demo, user, good_file, monkeypatch
):
    submission = make_scored(user, demo, good_file)

    def away(*_, **__):
        log_about(submission, "logged meanwhile")
        raise OperationalError("the server closed the connection")

    log_about(submission, *(f"line {number}" for number in range(1100)))
    with monkeypatch.context() as patched:
        patched.setattr(SubmissionLogLine.objects, "bulk_create", away)
        with pytest.raises(OperationalError):
            log_lines.store()
    waiting = [line.message for line in submission_lines.take()]
    assert len(waiting) == 1000
    assert waiting[-2:] == ["line 1099", "logged meanwhile"]
    assert waiting[0] == "line 101"


def test_long_messages_and_ids_are_cut_and_control_characters_removed(demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    with ids.bound(request_id="r" * 200):
        log_about(submission, "a\0b" + "x" * 1000)
    log_lines.store()
    line = SubmissionLogLine.objects.get(submission=submission)
    assert line.message == "a b" + "x" * 497
    assert line.request_id == "r" * 64


@pytest.mark.django_db(transaction=True)
def test_a_thread_of_the_process_stores_lines_while_it_works_and_at_its_end(
    demo, user, good_file, monkeypatch
):
    monkeypatch.setattr(heartbeat, "STORED_WITHIN", 0.05)
    submission = make_scored(user, demo, good_file)
    stop = threading.Event()
    thread = threading.Thread(target=heartbeat.store_lines, args=(stop,))
    thread.start()
    log_about(submission, "first")
    while submission_lines.is_any_waiting():
        stop.wait(0.01)
    log_about(submission, "last")
    stop.set()
    thread.join()
    assert messages(submission) == ["first", "last"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="this is about PostgreSQL")
def test_storing_lines_waits_for_nobody_who_has_locked_the_submission(demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    log_about(submission, "while it is locked")
    stored = []

    def store():
        stored.append(log_lines.store())
        connections.close_all()

    with transaction.atomic():
        Submission.objects.select_for_update().get(pk=submission.pk)
        thread = threading.Thread(target=store)
        thread.start()
        thread.join(timeout=20)
        assert stored == [1]
    assert messages(submission) == ["while it is locked"]
