"""API tokens of a person: who they are of, what is stored of them, and who ends them."""

import pytest
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.test import APIRequestFactory

from leaderboard.api.authentication import ApiTokenAuthentication
from leaderboard.models import ApiToken, AuditEvent
from leaderboard.services.accounts import create_token, revoke_token
from leaderboard.services.errors import NotFound

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
