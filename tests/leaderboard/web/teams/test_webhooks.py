"""The page of webhooks: owners add, test and remove them, members see them, others do not."""

import pytest
from django.urls import reverse

from leaderboard.models import AuditEvent, Role, Webhook, WebhookCall
from leaderboard.services.accounts import personal_team
from leaderboard.services.teams import members
from leaderboard.services.webhooks.webhooks import MOST, add_webhook, secret_of, switch_off

pytestmark = pytest.mark.django_db
PAGE = reverse("web:webhooks")
URL = "https://ci.example.org/hooks/wardboard?key=abc"


def act(client, webhook, action):
    return client.post(reverse(f"web:{action}-webhook", args=[webhook.pk]), follow=True)


@pytest.fixture
def webhook(user):
    return add_webhook(team=personal_team(user), by=user, url=URL)[0]


def test_a_person_adds_a_webhook_and_sees_its_secret_once(ada, user):
    page = ada.post(PAGE, {"url": URL}).text
    webhook = Webhook.objects.get()
    assert (webhook.team, webhook.url, webhook.added_by) == (personal_team(user), URL, user)
    secret = secret_of(webhook)
    assert secret.startswith("whsec_")
    assert secret in page
    assert secret not in ada.get(PAGE).text
    # A copy of the database has neither the secret nor, in its log, the address.
    assert secret not in webhook.encrypted_secret
    event = AuditEvent.objects.get(action=AuditEvent.Action.WEBHOOK_ADDED)
    assert event.data == {"team": webhook.team_id, "webhook": str(webhook.pk)}


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "This field is required"),
        ("ci.example.org", "not an address that can be called"),
        ("https://", "not an address that can be called"),
        ("https://[::1", "not an address that can be called"),
        ("https://a.example.org:99999/", "not an address that can be called"),
        ("https://a.example.org/a b", "not an address that can be called"),
        ("https://bücher.example.org/", "not an address that can be called"),
        ("http://ci.example.org/", "over HTTPS only"),
        ("ftp://ci.example.org/", "over HTTPS only"),
        ("https://ada:secret@ci.example.org/", "A user name or password"),
        ("https://ci.example.org/#part", "The part after #"),
        ("https://127.0.0.1/", "This address is not public"),
        ("https://localhost/", "This address is not public"),
        ("https://[::ffff:10.0.0.1]/", "This address is not public"),
        ("https://169.254.169.254/latest/meta-data/", "This address is not public"),
    ],
)
def test_an_address_that_cannot_be_called_is_refused_with_a_fix(ada, settings, url, message):
    settings.WEBHOOKS_TO_LOOPBACK = False
    response = ada.post(PAGE, {"url": url})
    assert response.status_code == 422
    assert message in response.text
    assert not Webhook.objects.exists()


def test_an_address_on_this_machine_is_taken_where_a_setting_allows_it(ada, settings):
    settings.WEBHOOKS_TO_LOOPBACK = True
    assert ada.post(PAGE, {"url": "http://127.0.0.1:8000/"}).status_code == 200
    assert Webhook.objects.count() == 1


def test_the_same_address_twice_and_one_too_many_are_refused(ada, user, webhook):
    assert "has a webhook with this address already" in ada.post(PAGE, {"url": URL}).text
    for number in range(1, MOST):
        add_webhook(team=webhook.team, by=user, url=f"{URL}{number}")
    response = ada.post(PAGE, {"url": "https://other.example.org/"})
    assert response.status_code == 409
    assert f"The team has {MOST} webhooks" in response.text


def test_a_test_is_listed_and_a_second_one_waits_for_it(ada, webhook):
    assert "The test is on its way" in act(ada, webhook, "test").text
    call = WebhookCall.objects.get()
    assert (call.kind, call.payload["type"]) == ("webhook.test", "webhook.test")
    page = ada.get(PAGE).text
    assert "webhook.test" in page
    assert "waiting" in page
    assert "A test of this webhook is on its way" in act(ada, webhook, "test").text
    assert WebhookCall.objects.count() == 1


def test_a_webhook_is_removed_with_its_calls(ada, webhook):
    act(ada, webhook, "test")
    assert "not called any more" in act(ada, webhook, "remove").text
    assert not Webhook.objects.exists()
    assert AuditEvent.objects.filter(action=AuditEvent.Action.WEBHOOK_REMOVED).count() == 1
    assert act(ada, webhook, "remove").status_code == 404


def test_a_webhook_that_is_switched_off_says_why_and_takes_no_test(ada, webhook):
    switch_off(webhook, "gone")
    page = ada.get(PAGE).text
    assert "switched off" in page
    assert "410 Gone" in page
    assert "Send a test to" not in page
    assert "This webhook is switched off" in act(ada, webhook, "test").text


def test_a_member_sees_the_host_alone_and_changes_nothing(ada, user, other_user):
    team = members.create_team(user=other_user, name="Ward Lab", handle="ward-lab")
    team.memberships.create(user=user, role=Role.MEMBER)
    webhook, _ = add_webhook(team=team, by=other_user, url=URL)
    page = ada.get(PAGE).text
    assert "Webhooks of Ward Lab" in page
    assert "ci.example.org" in page
    assert "key=abc" not in page
    for action in ("test", "remove"):
        assert "Only owners of the team" in act(ada, webhook, action).text
    assert Webhook.objects.count() == 1


def test_others_neither_see_nor_change_a_webhook(ada, other_user):
    webhook, _ = add_webhook(team=personal_team(other_user), by=other_user, url=URL)
    assert "ci.example.org/hooks/wardboard?key" not in ada.get(PAGE).text
    assert act(ada, webhook, "remove").status_code == 404
    assert Webhook.objects.count() == 1


def test_a_team_that_ends_takes_its_webhooks_along(user):
    team = members.create_team(user=user, name="Ward Lab", handle="ward-lab")
    add_webhook(team=team, by=user, url=URL)
    assert members.has_set_up_access(team, user.pk)
    members.close(team=team, by=user)
    assert not Webhook.objects.exists()
