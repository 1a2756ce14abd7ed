"""The page on which people choose their emails, and the links that switch them off."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import EmailKind, Notification, User
from leaderboard.services.delete_account import delete_account
from leaderboard.services.notifications.choices import FOR_TEAMS, make_token, wants, watch, watched_boards
from leaderboard.services.notifications.words import LABELS
from tests.support.factories import PASSWORD, make_hidden

pytestmark = [pytest.mark.django_db]
EMAILS = reverse("web:emails")


def boxes(page, sort: str = "") -> set[str]:
    """Return the names of the boxes of a page. sort: what is in the tag of those that are wanted"""
    tags = re.findall(r'<input type="checkbox"[^>]*>', page.text)
    return {re.search(r'name="([^"]+)"', tag)[1] for tag in tags if sort in tag}


def off(user, kind: EmailKind) -> str:
    return reverse("web:emails-off", args=[make_token(user, kind)])


def wanted() -> list[str]:
    """Return what the only person still wants of two kinds."""
    return [kind for kind in ("decision", "desk") if wants(User.objects.get(), kind)]


def test_a_person_gets_every_email_for_teams_until_it_is_switched_off(ada, user):
    page = ada.get(EMAILS)
    # Someone alone is not asked about teams of several people.
    assert boxes(page, "checked") == boxes(page) == {kind.value for kind in FOR_TEAMS} - {"team"}
    assert ada.post(EMAILS, {"decision": "on", "approval": "on"}).status_code == 302
    assert boxes(ada.get(EMAILS), "checked") == {"decision", "approval"}
    user.refresh_from_db()
    unwanted = [kind for kind in EmailKind if not wants(user, kind)]
    assert unwanted == ["submission", "announcement", "token"]


def test_a_link_asks_first_and_switches_off_without_signing_in_or_a_cookie(user):
    address, client = off(user, EmailKind.DECISION), Client(enforce_csrf_checks=True)
    assert str(LABELS[EmailKind.DECISION]) in client.get(address).text
    assert wanted() == ["decision", "desk"]
    # As mail programs do.
    assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert wanted() == ["desk"]


def test_a_link_that_was_changed_switches_nothing_off(user):
    token = make_token(user, EmailKind.DECISION)
    for changed in (token[:-1], f"x{token}", "x"):
        address = reverse("web:emails-off", args=[changed])
        assert Client().get(address).status_code == Client().post(address).status_code == 404
    assert wanted() == ["decision", "desk"]


def test_a_board_is_watched_by_a_form_that_its_page_links_to_and_no_longer_by_another(ada, user, settings):
    settings.NOTIFIES = True
    board = make_hidden()
    address = reverse("web:watch", args=[board.slug])
    for client in (ada, Client()):
        assert f'href="{address}"' in client.get(reverse("web:board", args=[board.slug])).text
    assert Client().get(address).headers["Location"].startswith(reverse("account_login"))
    assert board.title in ada.get(address).text
    ada.post(address)
    assert board.title in ada.get(EMAILS).text
    ada.post(address, {"stop": ""})
    assert not watched_boards(user)


def test_the_language_of_emails_is_that_of_the_last_form(user):
    client = Client()
    for send, form, language in (
        ("/zh-hant/accounts/login/", {"login": user.email, "password": PASSWORD}, "zh-hant"),
        (EMAILS, None, "zh-hant"),
        (EMAILS, {"decision": "on"}, "en"),
    ):
        client.post(send, form) if form else client.get(send)
        user.refresh_from_db()
        assert user.language == language


def test_a_deleted_account_leaves_no_emails_choices_or_language(user):
    user.language, user.email_choices = "zh-hant", {"decision": False}
    user.save()
    address = off(user, EmailKind.DECISION)
    Notification.objects.create(user=user, event="audit:1", kind="decision")
    watch(user, make_hidden())
    delete_account(user)
    user.refresh_from_db()
    assert (user.language, user.email_choices) == ("", None)
    assert not Notification.objects.exists()
    assert not watched_boards(user)
    assert Client().post(address).status_code == 404
