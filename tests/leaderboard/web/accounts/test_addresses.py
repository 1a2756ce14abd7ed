"""The email addresses of an account: who may change them, and what the page tells of others."""

import re
from itertools import product

import pytest
from allauth.account.models import EmailAddress

from tests.support.factories import PASSWORD

pytestmark = pytest.mark.both_databases

PAGE = "/accounts/email/"
ACTIONS = ("action_add", "action_primary", "action_send", "action_remove")
HOSTILE = (
    "ada@example.org",
    "grace@example.org",
    "GRACE@example.org",
    "new@example.org",
    "new@example.org\n",
    "a\0b@example.org",
    "",
    f"{'x' * 300}@example.org",
    f"{'x' * 242}@example.org",
    f"a@{'é' * 40}.org",
    "İ@example.org",
    "ſ@example.org",
    "<script>@x.org",
    '"a b"@example.org',
    "a@[127.0.0.1]",
    "a@localhost",
)


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


@pytest.mark.parametrize("confirmed", [None, False, True])
@pytest.mark.parametrize("verification", ["optional", "mandatory"])
def test_no_action_fails_whatever_the_address(sure, user, other_user, settings, verification, confirmed):
    settings.ACCOUNT_EMAIL_VERIFICATION = verification
    if confirmed is not None:
        for person in (user, other_user):
            EmailAddress.objects.create(user=person, email=person.email, primary=True, verified=confirmed)
    # A field sent twice, and who asks for JSON, is read the same way whatever the state of the account.
    is_certain = confirmed and verification == "mandatory"
    # Without an action the address is not read.
    for email, action in [("new@example.org", ""), *product(HOSTILE, ACTIONS)]:
        for value in (email, [email, email]) if is_certain else (email,):
            for headers in ({}, {"accept": "application/json"}) if is_certain else ({},):
                response = sure.post(PAGE, {"email": value, action: ""}, headers=headers)
                assert response.status_code in (200, 302, 400), (email, action, headers)
    user.refresh_from_db()
    assert user.email == "ada@example.org"


@pytest.mark.parametrize("verification", ["optional", "mandatory"])
def test_the_page_does_not_reveal_whether_an_address_has_an_account(
    sure, user, other_user, settings, verification
):
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
