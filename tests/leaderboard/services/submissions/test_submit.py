import hashlib
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from leaderboard.models import AuditEvent, Board, Evaluation, IdempotencyKey, Status, Submission, System
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import KeyReused, NotFound, QuotaSpent, WrongState
from leaderboard.services.files import store
from leaderboard.services.submissions import admit
from leaderboard.services.submissions.cancel import cancel
from tests.support.factories import make_scored, send, with_wrong

pytestmark = pytest.mark.both_databases


def files_of(submission):
    return list(Path(settings.UPLOADS).glob(f"{submission.stored_as}.*"))


def test_a_good_file_is_scored_at_once_and_kept_with_its_provenance(demo, user, good_file):
    result = send(user, demo, good_file, filename="run\x00\ud800 7\n.json" + "x" * 300)
    submission = result.submission
    assert (result.created, submission.status) == (True, Status.SCORED)
    assert (submission.evaluation.right, submission.evaluation.total) == (47, 50)
    assert submission.evaluation.revision == demo.active_revision
    assert submission.sha256 == hashlib.sha256(good_file).hexdigest()
    # Of the name, what can be printed.
    assert (submission.size_bytes, submission.filename) == (len(good_file), ("run 7.json" + "x" * 300)[:255])
    with store.open_original(submission.stored_as) as file:
        assert file.read() == good_file
    (original,) = [path for path in files_of(submission) if ".original" in path.name]
    assert original.stat().st_size < len(good_file) / 2, "the bytes are kept compressed"


def test_the_same_bytes_of_a_team_give_the_same_submission(demo, user, other_user, good_file):
    first = send(user, demo, good_file)
    again = send(user, demo, good_file, system="Another name")
    assert (again.created, again.submission.pk) == (False, first.submission.pk)
    assert again.submission.system.name == "Careful agent"
    assert send(other_user, demo, good_file).created
    assert Submission.objects.count() == 2
    assert System.objects.filter(name="Careful agent").count() == 2, "teams may use the same name"


def test_a_rejected_file_sent_again_is_the_same_submission_with_the_report_of_the_present_reader(
    demo, user, malformed_file
):
    first = send(user, demo, malformed_file).submission
    Submission.objects.filter(pk=first.pk).update(problems=[], problem_count=1)
    again = send(user, demo, malformed_file)
    assert (again.created, again.submission.pk) == (False, first.pk)
    assert again.submission.problems == first.problems


def test_the_files_of_a_day_are_limited_for_each_team(demo, user, other_user, good_file):
    Board.objects.update(daily_limit=2)
    demo.refresh_from_db()
    files = [with_wrong(good_file, wrong) for wrong in range(4)]
    for raw in files[:2]:
        send(user, demo, raw)
    with pytest.raises(QuotaSpent) as refused:
        send(user, demo, files[2])
    assert 24 * 3600 - 60 < refused.value.retry_after <= 24 * 3600
    assert Submission.objects.count() == 2
    assert not send(user, demo, files[0]).created, "the same file again costs nothing"
    assert send(other_user, demo, files[2]).created
    Submission.objects.update(received_at=timezone.now() - timedelta(hours=24, seconds=1))
    assert send(user, demo, files[2]).created
    Board.objects.update(daily_limit=0)
    demo.refresh_from_db()
    with pytest.raises(QuotaSpent):
        send(user, demo, files[3])


class TestIdempotencyKeys:
    def test_each_person_has_keys_of_their_own(self, demo, user, other_user, good_file):
        for person, wrong in ((user, 0), (other_user, 1)):
            assert send(person, demo, with_wrong(good_file, wrong), key="k1").created
        assert IdempotencyKey.objects.count() == 2

    @pytest.mark.parametrize(("wrong", "facts"), [(1, {}), (0, {"organisation": "Elsewhere"})])
    def test_a_key_with_another_request_is_refused_and_stores_nothing(
        self, demo, user, good_file, wrong, facts
    ):
        send(user, demo, with_wrong(good_file, 0), key="k1")
        with pytest.raises(KeyReused):
            send(user, demo, with_wrong(good_file, wrong), key="k1", **facts)
        assert Submission.objects.count() == 1


class TestTheSystem:
    def test_facts_not_stated_are_kept_and_empty_ones_are_cleared(self, demo, user, good_file):
        send(user, demo, good_file)
        send(user, demo, with_wrong(good_file, 1), organisation="", models=None, open_weights=None)
        system = System.objects.get()
        assert (system.organisation, system.open_weights) == ("", True)
        assert system.model_names == ["model-a", "model-b"]


def become(submission, status):
    needs = {
        Status.SCORING: {"claim": uuid.uuid4()},
        Status.INCOMPLETE: {"waits_for": "provider-down", "resume_at": timezone.now()},
        Status.FAILED: {"failure": "why"},
        Status.REJECTED: {"failure": "", "problem_count": 1},
    }
    Submission.objects.filter(pk=submission.pk).update(status=status, **needs.get(status, {}))


@pytest.mark.parametrize("status", [Status.RECEIVED, Status.QUEUED, Status.SCORING, Status.INCOMPLETE])
def test_a_pending_submission_can_be_cancelled_with_an_audit_event(queued, user, status):
    become(queued, status)
    cancelled = cancel(submission_id=queued.pk, team=queued.team, by=user)
    assert cancelled.status == Status.CANCELLED
    event = AuditEvent.objects.filter(submission=queued).get(action=AuditEvent.Action.CANCELLED)
    assert (event.actor, event.data) == (user, {"was": status})
    cancel(submission_id=queued.pk, team=queued.team, by=user)
    assert (
        AuditEvent.objects.filter(submission=queued).filter(action=AuditEvent.Action.CANCELLED).count() == 1
    )


def test_a_finished_submission_cannot_be_cancelled(queued, demo, user, good_file):
    scored = make_scored(user, demo, with_wrong(good_file, 1))
    for status, submission in (("failed", queued), ("rejected", queued), ("scored", scored)):
        if submission is queued:
            become(queued, Status(status))
        with pytest.raises(WrongState, match=f"this one is {status}"):
            cancel(submission_id=submission.pk, team=queued.team, by=user)
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.CANCELLED).exists()


def test_the_organiser_can_cancel_and_another_team_gets_not_found(queued, other_user):
    theirs = personal_team(other_user)
    for pk in (queued.pk, uuid.uuid4()):
        with pytest.raises(NotFound, match="You have no such submission"):
            cancel(submission_id=pk, team=theirs, by=other_user)
    assert cancel(submission_id=queued.pk, by=other_user).status == Status.CANCELLED


def test_a_worker_with_a_cancelled_submission_writes_nothing_and_logs_no_error(
    queued, user, score_and, caplog
):
    score_and(lambda: cancel(submission_id=queued.pk, team=queued.team, by=user), queued)
    assert (queued.status, queued.failure) == (Status.CANCELLED, "")
    assert not Evaluation.objects.exists()
    assert not AuditEvent.objects.filter(action=AuditEvent.Action.FAILED).exists()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_a_check_of_a_cancelled_submission_changes_nothing(
    demo, user, good_file, malformed_file, monkeypatch, settings
):
    settings.CHECK_AT_ONCE_BYTES = 1
    real = admit.extract_records

    def slow(**kwargs):
        (row,) = Submission.objects.filter(status=Status.RECEIVED)
        cancel(submission_id=row.pk, team=row.team, by=user)
        return real(**kwargs)

    for raw in (good_file, malformed_file):
        with monkeypatch.context() as lying:
            lying.setattr(admit, "admit", lambda **_: None)
            left = send(user, demo, raw).submission
        with monkeypatch.context() as checking:
            checking.setattr(admit, "extract_records", slow)
            admit.admit(submission_id=left.pk, claim=left.claim)
        left.refresh_from_db()
        assert left.status == Status.CANCELLED


def test_a_cancelled_file_sent_again_is_resumed_counts_once_and_is_not_published(
    queued, demo, user, good_file
):
    demo.daily_limit = 1
    demo.save()
    Submission.objects.filter(pk=queued.pk).update(publish_when_scored=True)
    cancel(submission_id=queued.pk, team=queued.team, by=user)
    with pytest.raises(QuotaSpent):
        send(user, demo, with_wrong(good_file, 1))
    again = send(user, demo, good_file)
    assert (again.created, again.submission.pk) == (False, queued.pk)
    assert (again.submission.status, again.submission.is_published) == (Status.SCORED, False)
