"""An event is written in the transaction that it describes: without it, nothing has changed."""

from contextlib import contextmanager

import pytest

from leaderboard.models import ApiToken, AuditEvent, Evaluation, Standing, Status, Submission, System
from leaderboard.services import audit
from leaderboard.services.accounts import create_token, revoke_token
from leaderboard.services.publishing.publish import publish, withdraw
from tests.support.factories import make_published, make_scored, send

pytestmark = pytest.mark.both_databases

Action = AuditEvent.Action


class CannotRecord(Exception):
    pass


@contextmanager
def no_record_of(action):
    """Make the recording of one kind of event fail."""
    real = audit.record

    def record(recorded, **data):
        if recorded == action:
            raise CannotRecord
        real(recorded, **data)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(audit, "record", record)
        yield


def test_nothing_is_received_or_rejected_without_its_audit_event(demo, user, good_file, malformed_file):
    for action, raw in ((Action.SUBMITTED, good_file), (Action.REJECTED, malformed_file)):
        with no_record_of(action), pytest.raises(CannotRecord):
            send(user, demo, raw)
        assert not any(model.objects.exists() for model in (Submission, System))


def test_nothing_is_scored_without_its_audit_event(demo, user, good_file):
    with no_record_of(Action.SCORED):
        assert send(user, demo, good_file).submission.status == Status.FAILED
    assert not Evaluation.objects.exists()


def test_nothing_is_published_or_withdrawn_without_its_audit_event(demo, user, team, good_file):
    submission = make_scored(user, demo, good_file)
    with no_record_of(Action.PUBLISHED), pytest.raises(CannotRecord):
        publish(submission_id=submission.pk, team=team, by=user)
    submission.refresh_from_db()
    assert (submission.published_at, Standing.objects.exists()) == (None, False)
    publish(submission_id=submission.pk, team=team, by=user)
    with no_record_of(Action.WITHDRAWN), pytest.raises(CannotRecord):
        withdraw(submission_id=submission.pk, team=team, by=user)
    assert Standing.objects.get().evaluation == submission.evaluation


def test_no_token_is_created_or_revoked_without_its_audit_event(user):
    token, _ = create_token(user=user, name="ci", days=None)
    with no_record_of(Action.TOKEN_REVOKED), pytest.raises(CannotRecord):
        revoke_token(user=user, token_key=token.token_key)
    assert ApiToken.objects.count() == 1
    with no_record_of(Action.TOKEN_CREATED), pytest.raises(CannotRecord):
        create_token(user=user, name="another", days=None)
    assert ApiToken.objects.count() == 1


def test_no_audit_event_holds_a_verdict_or_a_reference(demo, user, good_file):
    make_published(user, demo, good_file)
    known = {"sha256", "revision", "digest"}
    assert {key for event in AuditEvent.objects.all() for key in event.data} == known
