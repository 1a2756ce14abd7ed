"""No form of accounts, no setting and no list of ours in the admin answers 500, whatever is typed."""

from itertools import product

import pytest
from allauth.account.models import EmailAddress
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from leaderboard.models import User
from leaderboard.services.publishing.change_settings import SETTINGS
from leaderboard.web.shared import error_pages
from tests.support.factories import PASSWORD
from tests.support.pages.forms import filled_form

pytestmark = pytest.mark.both_databases

VALUES = (
    "",
    "\0",
    "a\0b",
    "\ud7ff\ufffe\U0010ffff",
    "\u202e\u200b",
    "x" * 100_000,
    f"{'x' * 300}@example.org",
    f"{'x' * 242}@example.org",
    f"{'İ' * 60}@example.org",
    "9" * 400,
    "-1",
    "1e400",
    "NaN",
    "9999-12-31",
    "0000-00-00",
    "[" * 3000,
    '{"a": "\\u0000"}',
)
ADDRESSES = (
    "ada@example.org",
    "GRACE@example.org",
    "new@example.org\n",
    "İ@example.org",
    '"a b"@example.org',
)
# What failed: each setting gets these on its own, and all at once get each value.
WORST = ("\0", "9" * 400)
FORMS = {
    "login/": ("login", "password", "remember", "next"),
    "signup/": ("email", "password1", "name", "next"),
    "password/reset/": ("email", "next"),
    "password/change/": ("oldpassword", "password1", "password2", "revoke_tokens"),
    "reauthenticate/": ("password", "next"),
    "logout/": ("next",),
}


def post(client: Client, path: str, form: dict) -> int:
    """Post a form and undo what it changed; return the status code."""
    with transaction.atomic():
        status = client.post(path, form).status_code
        transaction.set_rollback(True)
    return status


@pytest.mark.long
@pytest.mark.parametrize("path", FORMS)
def test_no_form_of_accounts_fails(user, settings, path):
    settings.ACCOUNT_RATE_LIMITS = False
    sound = {
        "login": user.email, "password": PASSWORD, "email": "new@example.org", "password1": "violet-otter-91",
        "password2": "violet-otter-91", "oldpassword": PASSWORD, "name": "New Lab", "next": "/",
    }  # fmt: skip
    for name in FORMS[path]:
        for value in VALUES:
            client = Client(raise_request_exception=False)
            if path not in ("login/", "signup/", "password/reset/"):
                client.force_login(user)
            form = {key: sound[key] for key in FORMS[path] if key in sound} | {name: value}
            assert post(client, f"/accounts/{path}", form) < 500, (name, value[:30])


@pytest.mark.parametrize("confirmed", [None, False, True])
@pytest.mark.parametrize("verification", ["optional", "mandatory"])
def test_no_action_on_an_address_fails(ada, user, other_user, settings, verification, confirmed):
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.ACCOUNT_RATE_LIMITS = verification, False
    ada.post("/accounts/reauthenticate/", {"password": PASSWORD})
    if confirmed is not None:
        for person in (user, other_user):
            EmailAddress.objects.create(user=person, email=person.email, primary=True, verified=confirmed)
    # A field sent twice, and who asks for JSON, is read the same way.
    for action, email in product(("add", "primary", "send", "remove"), (*ADDRESSES, *VALUES)):
        form, headers = {"email": [email, email], f"action_{action}": ""}, {"accept": "application/json"}
        assert ada.post("/accounts/email/", form, headers=headers).status_code < 500, (action, email[:30])
    user.refresh_from_db()
    assert user.email == "ada@example.org"


@pytest.fixture
def staff(db, monkeypatch):
    # Pages of errors are the same for all forms, and tested elsewhere.
    monkeypatch.setattr(error_pages, "render", lambda *_, status: HttpResponse(status=status))
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("boss@example.org", PASSWORD))
    return client


def test_no_setting_of_a_leaderboard_fails(staff, fhir_demo):
    address = f"/organise/boards/{fhir_demo.slug}/settings/"
    sound = filled_form(staff.get(address))
    for name, value in product(SETTINGS, WORST):
        assert post(staff, address, {**sound, name: value}) < 500, (name, value[:30])
    for value in VALUES:
        assert post(staff, address, dict.fromkeys(SETTINGS, value)) < 500, value[:30]
