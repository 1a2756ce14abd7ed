"""The email addresses of an account: who may change them, and what the page tells of others."""

import re

import pytest
from allauth.account.models import EmailAddress

from tests.support.factories import PASSWORD

pytestmark = pytest.mark.both_databases

PAGE = "/accounts/email/"


@pytest.fixture(autouse=True)
def no_limit(settings):
    settings.ACCOUNT_RATE_LIMITS = {
        **settings.ACCOUNT_RATE_LIMITS,
        "manage_email": None,
        "confirm_email": None,
    }


@pytest.fixture
def sure(ada):
    """Return a client of Ada's who has just given her password."""
    ada.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return ada


def addresses(user) -> set[tuple[str, bool]]:
    return set(EmailAddress.objects.filter(user=user).values_list("email", "primary"))


@pytest.mark.parametrize("verification", ["optional", "mandatory"])
def test_the_page_does_not_reveal_whether_an_address_has_an_account(sure, other_user, settings, verification):
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    answers = []
    for email in (other_user.email, "nobody@example.org"):
        pages = []
        for action in ("action_add", "action_send", "action_primary", "action_remove"):
            response = sure.post(PAGE, {"email": email, action: ""}, follow=True)
            content = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.text)
            pages.append(content.replace(email, "EMAIL"))
        answers.append(pages)
    assert answers[0] == answers[1]
    assert "Your primary email address must be verified." in answers[0][2]


@pytest.mark.parametrize("action", ["action_add", "action_primary", "action_remove"])
def test_the_password_is_asked_for_before_an_address_changes(ada, user, action):
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    if action != "action_add":
        EmailAddress.objects.create(user=user, email="new@example.org", verified=True)
    before = addresses(user)
    response = ada.post(PAGE, {"email": "new@example.org", action: ""})
    assert response["Location"] == "/accounts/reauthenticate/?next=%2Faccounts%2Femail%2F"
    assert addresses(user) == before
    ada.post("/accounts/reauthenticate/?next=%2Faccounts%2Femail%2F", {"password": "wrong"})
    assert addresses(user) == before
    ada.post(response["Location"], {"password": PASSWORD, "next": PAGE})
    assert addresses(user) != before


def test_an_account_has_ten_addresses_at_most(sure, user):
    for n in range(12):
        sure.post(PAGE, {"email": f"a{n}@example.org", "action_add": ""})
    assert len(addresses(user)) == 10
