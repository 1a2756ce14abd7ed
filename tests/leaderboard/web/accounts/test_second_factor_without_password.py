"""People without a password confirm who they are before a second factor is added or removed."""

from urllib.parse import urlencode

import pytest
from allauth.mfa.models import Authenticator

from leaderboard.models import User
from tests.support.identity_provider import LAB, SIGN_UP, come_back, decide, go_to_provider
from tests.support.second_factors import code_for

pytestmark = pytest.mark.django_db
APP, PASSKEY = "/accounts/2fa/totp/activate/", "/accounts/2fa/webauthn/add/"


@pytest.fixture
def person(visitor, provider):
    """The client of someone who has just signed up by a provider, and has no password."""
    come_back(visitor, LAB)
    visitor.post(SIGN_UP, {"name": "Ada Lab"})
    assert not User.objects.get().has_usable_password()
    return visitor


def let_an_hour_pass(client):
    session = client.session
    session["account_authentication_methods"] = [
        {**record, "at": record["at"] - 3600} for record in session["account_authentication_methods"]
    ]
    session.save()


def set_up_app(client):
    secret = client.get(APP).context["form"].secret
    client.post(APP, {"code": code_for(secret)})
    assert Authenticator.objects.filter(type="totp").exists()
    return secret


@pytest.mark.parametrize("page", [APP, PASSKEY])
def test_a_recent_sign_in_at_the_provider_is_enough_to_add_a_factor(person, page):
    assert person.get(page).status_code == 200


@pytest.mark.parametrize("page", [APP, PASSKEY])
def test_somebody_at_an_open_screen_signs_in_at_the_provider_before_a_factor_is_added(person, page):
    let_an_hour_pass(person)
    assert person.get(page)["Location"] == f"{LAB}?{urlencode({'next': page})}"
    assert person.get(f"/zh-hant{page}")["Location"].startswith(f"/zh-hant{LAB}")
    address = go_to_provider(person, LAB, next=page)
    assert "prompt=login" in address
    assert person.get(decide(address))["Location"] == page
    assert person.get(page).status_code == 200


def test_a_form_that_was_opened_an_hour_ago_adds_no_factor(person):
    secret = person.get(APP).context["form"].secret
    let_an_hour_pass(person)
    assert person.post(APP, {"code": code_for(secret)})["Location"].startswith(LAB)
    assert person.post(PASSKEY, {"name": "mine", "credential": "{}"})["Location"].startswith(LAB)
    assert not Authenticator.objects.exists()


def test_a_person_with_a_factor_gives_it_before_one_is_added_or_removed(person):
    set_up_app(person)
    passkey = Authenticator.objects.create(
        user=User.objects.get(), type="webauthn", data={"name": "laptop", "credential": {}}
    )
    pages = (PASSKEY, "/accounts/2fa/totp/deactivate/", f"/accounts/2fa/webauthn/keys/{passkey.pk}/remove/")
    for page in pages:
        answer = person.post(page)
        # A sign-in at the provider, however recent, is not enough.
        assert answer["Location"].startswith("/accounts/2fa/reauthenticate/"), page
    assert Authenticator.objects.filter(type__in=("totp", "webauthn")).count() == 2
