"""The page on which people choose their emails, and the links that switch them off."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from leaderboard.models import BoardOrganiser, EmailKind, Notification, User
from leaderboard.services.delete_account import delete_account
from leaderboard.services.notifications.choices import FOR_TEAMS, make_token, wants
from leaderboard.services.notifications.words import LABELS
from tests.support.factories import PASSWORD, make_hidden, make_user

pytestmark = [pytest.mark.django_db]
EMAILS = reverse("web:emails")


@pytest.fixture
def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def ticked(page) -> set[str]:
    boxes = re.findall(r'<input type="checkbox"[^>]*>', page.content.decode())
    return {re.search(r'name="([^"]+)"', box)[1] for box in boxes if "checked" in box}


def boxes(page) -> set[str]:
    return set(re.findall(r'<input type="checkbox" name="([^"]+)"', page.content.decode()))


def test_a_person_gets_every_email_for_teams_until_it_is_switched_off(user, signed_in):
    page = signed_in.get(EMAILS)
    # Someone alone is not asked about teams of several people.
    assert ticked(page) == boxes(page) == {kind.value for kind in FOR_TEAMS} - {"team"}
    assert signed_in.post(EMAILS, {"decision": "on", "approval": "on"}).status_code == 302
    assert ticked(signed_in.get(EMAILS)) == {"decision", "approval"}
    user.refresh_from_db()
    unwanted = [kind for kind in EmailKind if not wants(user, kind)]
    assert unwanted == ["submission", "announcement", "token"]


def test_an_organiser_sees_the_kind_for_organisers_too_and_staff_have_to_tick_it(user, signed_in):
    BoardOrganiser.objects.create(board=make_hidden(), user=user)
    assert "desk" in ticked(signed_in.get(EMAILS))
    user.is_staff = True
    user.save()
    names = ("change_board", "change_submission", "change_teamapproval")
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    page = signed_in.get(EMAILS)
    assert "desk" in boxes(page) - ticked(page)


def test_the_page_says_where_no_email_is_sent_and_that_an_address_must_be_confirmed(
    user, signed_in, settings
):
    assert "has no mail server" in signed_in.get(EMAILS).content.decode()
    settings.NOTIFIES = True
    assert "Confirm an email address" in signed_in.get(EMAILS).content.decode()
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    assert "Confirm an email address" not in signed_in.get(EMAILS).content.decode()


def test_a_link_asks_first_and_switches_off_without_signing_in(user):
    address = reverse("web:emails-off", args=[make_token(user, EmailKind.DECISION)])
    page = Client().get(address)
    assert str(LABELS[EmailKind.DECISION]) in page.content.decode()
    assert wants(User.objects.get(), "decision")
    assert Client().post(address).status_code == 200
    person = User.objects.get()
    assert not wants(person, "decision")
    assert wants(person, "approval")


def test_a_mail_program_switches_off_by_one_post_without_a_cookie(user):
    client = Client(enforce_csrf_checks=True)
    address = reverse("web:emails-off", args=[make_token(user, EmailKind.DESK)])
    assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    person = User.objects.get()
    assert [wants(person, kind) for kind in ("desk", "decision")] == [False, True]


@pytest.mark.parametrize("change", [lambda token: token[:-1], lambda token: "x" + token, lambda token: "x"])
def test_a_link_that_was_changed_switches_nothing_off(user, change):
    address = reverse("web:emails-off", args=[change(make_token(user, EmailKind.DECISION))])
    assert Client().get(address).status_code == Client().post(address).status_code == 404
    assert wants(User.objects.get(), "decision")


def test_the_language_of_emails_is_that_of_the_last_form(user):
    client = Client()
    client.post("/zh-hant/accounts/login/", {"login": user.email, "password": PASSWORD})
    user.refresh_from_db()
    assert user.language == "zh-hant"
    client.get("/account/emails/")
    user.refresh_from_db()
    assert user.language == "zh-hant"
    client.post("/account/emails/", {"decision": "on"})
    user.refresh_from_db()
    assert user.language == "en"


def test_a_deleted_account_leaves_no_emails_choices_or_language(user):
    user.language, user.email_choices = "zh-hant", {"decision": False}
    user.save()
    token = make_token(user, EmailKind.DECISION)
    Notification.objects.create(user=user, event="audit:1", kind="decision")
    delete_account(user)
    user.refresh_from_db()
    assert (user.language, user.email_choices) == ("", None)
    assert not Notification.objects.exists()
    assert Client().post(reverse("web:emails-off", args=[token])).status_code == 404
    assert make_user("someone@example.org").email_choices is None


@pytest.mark.parametrize("has_mail", [True, False])
def test_an_address_is_to_be_confirmed_only_where_an_email_can_arrive(user, signed_in, settings, has_mail):
    EmailAddress.objects.filter(user=user).update(verified=False)
    settings.NOTIFIES = has_mail
    page = signed_in.get("/accounts/email/").text
    assert ("not confirmed" in page) == ("Send the confirmation again" in page) == has_mail
