import uuid

import pytest
from django.utils import timezone

from leaderboard.models import AuditEvent, Evaluation, Status, Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import NotFound, QuotaSpent, WrongState
from leaderboard.services.submissions import admit
from leaderboard.services.submissions.cancel import cancel
from tests.support.factories import make_scored, send, with_wrong

pytestmark = pytest.mark.both_databases


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
