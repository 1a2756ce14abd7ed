"""An event is written in the transaction that it describes: without it, nothing has changed."""

import pytest

from leaderboard.models import ApiToken, AuditEvent, Evaluation, Standing, Status, Submission, System
from leaderboard.services import audit
from leaderboard.services.accounts import create_token, revoke_token
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.submissions import grade, retry
from tests.support.factories import make_scored, send, with_wrong

pytestmark = pytest.mark.both_databases


class CannotRecord(Exception):
    pass


@pytest.fixture
def no_record_of(monkeypatch):
    """Make the recording of one kind of event fail."""

    def fail_at(action):
        real = audit.record

        def record(recorded, **data):
            if recorded == action:
                raise CannotRecord
            real(recorded, **data)

        monkeypatch.setattr(audit, "record", record)

    return fail_at


def test_nothing_is_received_without_its_audit_event(demo, user, good_file, no_record_of):
    no_record_of(AuditEvent.Action.SUBMITTED)
    with pytest.raises(CannotRecord):
        send(user, demo, good_file)
    assert not any(model.objects.exists() for model in (Submission, System))


def test_nothing_is_rejected_without_its_audit_event(demo, user, malformed_file, no_record_of):
    no_record_of(AuditEvent.Action.REJECTED)
    with pytest.raises(CannotRecord):
        send(user, demo, malformed_file)
    assert not Submission.objects.exists()


def test_nothing_is_scored_without_its_audit_event(demo, user, good_file, no_record_of):
    no_record_of(AuditEvent.Action.SCORED)
    assert send(user, demo, good_file).submission.status == Status.FAILED
    assert not Evaluation.objects.exists()


def test_nothing_is_published_without_its_audit_event(demo, user, team, good_file, no_record_of):
    submission = make_scored(user, demo, good_file)
    no_record_of(AuditEvent.Action.PUBLISHED)
    with pytest.raises(CannotRecord):
        publish(submission_id=submission.pk, team=team, by=user)
    submission.refresh_from_db()
    assert submission.published_at is None
    assert not Standing.objects.exists()


def test_nothing_is_withdrawn_without_its_audit_event(demo, user, team, good_file, no_record_of):
    submission = make_scored(user, demo, good_file)
    publish(submission_id=submission.pk, team=team, by=user)
    no_record_of(AuditEvent.Action.WITHDRAWN)
    with pytest.raises(CannotRecord):
        withdraw(submission_id=submission.pk, team=team, by=user)
    assert Standing.objects.get().evaluation == submission.evaluation


def test_no_system_changes_without_its_audit_event(demo, user, good_file, no_record_of):
    send(user, demo, good_file)
    no_record_of(AuditEvent.Action.SYSTEM_CHANGED)
    with pytest.raises(CannotRecord):
        send(user, demo, with_wrong(good_file, 1), organisation="Elsewhere")
    assert System.objects.get().organisation == "Example hospital"
    assert Submission.objects.count() == 1


def test_nothing_is_retried_without_its_audit_event(demo, user, good_file, no_record_of, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(grade, "grade", lambda *_, **__: 1 / 0)
        submission = send(user, demo, good_file).submission
    no_record_of(AuditEvent.Action.RETRIED)
    with pytest.raises(CannotRecord):
        retry.retry(submission_id=submission.pk, by=user)
    submission.refresh_from_db()
    assert submission.status == Status.FAILED


def test_no_token_is_created_or_revoked_without_its_audit_event(user, no_record_of):
    token, _ = create_token(user=user, name="ci", days=None)
    no_record_of(AuditEvent.Action.TOKEN_REVOKED)
    with pytest.raises(CannotRecord):
        revoke_token(user=user, token_key=token.token_key)
    assert ApiToken.objects.count() == 1
    no_record_of(AuditEvent.Action.TOKEN_CREATED)
    with pytest.raises(CannotRecord):
        create_token(user=user, name="another", days=None)
    assert ApiToken.objects.count() == 1


def test_no_audit_event_holds_a_verdict_or_a_reference(demo, user, team, good_file):
    submission = make_scored(user, demo, good_file)
    publish(submission_id=submission.pk, team=team, by=user)
    known = {"sha256", "revision", "digest"}
    assert {key for event in AuditEvent.objects.all() for key in event.data} == known
