"""API tokens of a person; and each event is written in the transaction that it describes, or nothing is."""

from contextlib import contextmanager

import pytest
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.test import APIRequestFactory

from leaderboard.api.authentication import ApiTokenAuthentication
from leaderboard.models import ApiToken, AuditEvent, Evaluation, Standing, Status, Submission, System
from leaderboard.services import audit
from leaderboard.services.accounts import create_token, revoke_token
from leaderboard.services.errors import NotFound
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


pytestmark = pytest.mark.both_databases


def user_of(text):
    request = APIRequestFactory().get("/", HTTP_AUTHORIZATION=f"Bearer {text}")
    return ApiTokenAuthentication().authenticate(request)[0]


def test_no_column_holds_the_token_itself(user):
    token, text = create_token(user=user, name="ci", days=None)
    assert token.expiry is None
    row = ApiToken.objects.values().get()
    secret = text.removeprefix("wb_")
    assert not any(secret in str(value) for value in row.values())
    # The part that is stored in clear, for the lookup, is short.
    assert len(row["token_key"]) < len(text) / 3


def test_its_owner_alone_revokes_a_token_and_the_audit_log_names_it(user, other_user):
    token, text = create_token(user=user, name="ci", days=None)
    with pytest.raises(NotFound):
        revoke_token(user=other_user, token_key=token.token_key)
    assert user_of(text) == user
    revoke_token(user=user, token_key=token.token_key)
    with pytest.raises(AuthenticationFailed):
        user_of(text)
    events = AuditEvent.objects.order_by("pk")
    assert [event.action for event in events] == ["token.created", "token.revoked"]
    assert all(event.actor == user and event.data["name"] == "ci" for event in events)
    assert not any(text in str(event.data) for event in events)
