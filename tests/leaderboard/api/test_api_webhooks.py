"""Webhooks in the API: who lists, adds, tests and removes them, and with which tokens."""

import pytest

from leaderboard.models import Scope, Webhook, WebhookCall
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.teams import members
from leaderboard.services.webhooks.webhooks import add_webhook, secret_of
from tests.support.ci_issuer import make_ci_job

pytestmark = pytest.mark.django_db
WEBHOOKS = "/api/v1/webhooks/"
URL = "https://ci.example.org/hooks/wardboard"


@pytest.fixture
def webhook(user):
    return add_webhook(team=personal_team(user), by=user, url=URL)[0]


def bearer(user, **options):
    _, secret = create_token(user=user, name="CI", days=1, **options)
    return {"HTTP_AUTHORIZATION": f"Bearer {secret}"}


def test_a_webhook_is_added_listed_tested_and_removed(visitor, user):
    token = bearer(user)
    added = visitor.post(WEBHOOKS, {"url": URL}, **token)
    assert added.status_code == 201
    assert added.headers["Cache-Control"] == "no-store"
    webhook = Webhook.objects.get()
    assert added.json()["secret"] == secret_of(webhook)
    (listed,) = visitor.get(WEBHOOKS, **token).json()["webhooks"]
    assert listed == {key: value for key, value in added.json().items() if key != "secret"}
    sent = visitor.post(f"{WEBHOOKS}{webhook.pk}/test/", **token)
    assert (sent.status_code, sent.json()["state"]) == (202, "waiting")
    (call,) = visitor.get(f"{WEBHOOKS}{webhook.pk}/deliveries/", **token).json()["deliveries"]
    assert call == sent.json()
    assert call["id"] == str(WebhookCall.objects.get().pk)
    assert visitor.post(f"{WEBHOOKS}{webhook.pk}/remove/", **token).json() == {"webhooks": []}
    gone = visitor.post(f"{WEBHOOKS}{webhook.pk}/remove/", **token)
    assert (gone.status_code, gone.json()["code"]) == (404, "not-found")


def test_an_invalid_address_is_refused_with_code_pointer_and_fix(visitor, user):
    answer = visitor.post(WEBHOOKS, {"url": "http://ada@ci.example.org/#a"}, **bearer(user))
    assert (answer.status_code, answer.json()["code"]) == (422, "request-invalid")
    problems = answer.json()["problems"]
    assert [(each["code"], each["pointer"]) for each in problems] == [("webhook.invalid", "/url")] * 3
    assert all(each["hint"] for each in problems)


def test_a_team_is_named_by_its_handle_and_only_owners_change_its_webhooks(visitor, user, other_user):
    team = members.create_team(user=other_user, name="Ward Lab", handle="ward-lab")
    team.memberships.create(user=user)
    answer = visitor.post(f"{WEBHOOKS}?team=ward-lab", {"url": URL}, **bearer(user))
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong-state")
    assert visitor.post(f"{WEBHOOKS}?team=ward-lab", {"url": URL}, **bearer(other_user)).status_code == 201
    webhook = Webhook.objects.get()
    assert webhook.team == team
    deliveries = visitor.get(f"{WEBHOOKS}{webhook.pk}/deliveries/", **bearer(user))
    assert deliveries.json() == {"deliveries": []}


def test_the_webhooks_of_others_do_not_exist(visitor, webhook, other_user):
    token = bearer(other_user)
    assert visitor.get(WEBHOOKS, **token).json() == {"webhooks": []}
    for answer in (
        visitor.get(f"{WEBHOOKS}{webhook.pk}/deliveries/", **token),
        visitor.post(f"{WEBHOOKS}{webhook.pk}/test/", **token),
        visitor.post(f"{WEBHOOKS}{webhook.pk}/remove/", **token),
    ):
        assert answer.status_code == 404
    assert visitor.get(WEBHOOKS).status_code == 401


def test_a_token_that_may_not_do_everything_changes_no_webhook(visitor, user, demo, webhook):
    for scope in (Scope.SUBMIT, Scope.READ):
        token = bearer(user, scopes=[scope])
        assert visitor.post(WEBHOOKS, {"url": f"{URL}/2"}, **token).status_code == 403
        assert visitor.post(f"{WEBHOOKS}{webhook.pk}/remove/", **token).status_code == 403
    assert visitor.get(WEBHOOKS, **bearer(user, scopes=[Scope.READ])).status_code == 200
    answer = visitor.post(WEBHOOKS, {"url": f"{URL}/2"}, **bearer(user, board=demo))
    assert answer.status_code == 403
    assert "for the leaderboard" in answer.json()["detail"]
    assert Webhook.objects.count() == 1


def test_a_token_of_a_ci_job_changes_no_webhook(visitor, user):
    token = {"HTTP_AUTHORIZATION": f"Bearer {make_ci_job(user)}"}
    assert visitor.post(WEBHOOKS, {"url": URL}, **token).status_code == 409
    assert not Webhook.objects.exists()
