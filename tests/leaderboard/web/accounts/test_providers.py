"""Sign-in with an account elsewhere, at a provider on loopback: who gets in, and what is kept."""

import re
from unittest.mock import Mock
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import generate_totp_secret
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client

from leaderboard.models import AccountEmail, BoardOrganiser, User
from leaderboard.services.delete_account import delete_account
from tests.support.factories import PASSWORD, make_demo, make_user, verify
from tests.support.identity_provider import (
    GITHUB,
    LAB,
    LINKED,
    SIGN_UP,
    come_back,
    decide,
    go_to_provider,
    is_signed_in,
)
from tests.support.processes import run_at_once
from tests.support.second_factors import code_for

pytestmark = pytest.mark.django_db
EMAILS = "/accounts/email/"
APP, PASSKEY = "/accounts/2fa/totp/activate/", "/accounts/2fa/webauthn/add/"


@pytest.fixture
def with_mail(settings):
    settings.VERIFIES_EMAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"


@pytest.fixture
def person(visitor, provider):
    """The client of someone who has just signed up by a provider, and has no password."""
    sign_up(visitor)
    assert not User.objects.get().has_usable_password()
    return visitor


@pytest.fixture
def linked(ada, provider):
    """An account of Ada's to which Lab SSO signs in."""
    link(ada)
    return SocialAccount.objects.get().user


def sign_up(client, path=LAB, **form):
    """Come from a provider that signs nobody in yet, and send the form."""
    assert come_back(client, path)["Location"] == SIGN_UP
    return client.post(SIGN_UP, {"name": "Ada Lab", **form})


def link(client, path=LAB):
    """Link an account elsewhere to that of a client who has just given the password."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return come_back(client, path, process="connect")


def unlink(client, **options):
    return client.post(LINKED, {"account": SocialAccount.objects.get().pk}, **options)


def let_an_hour_pass(client):
    session = client.session
    session["account_authentication_methods"] = [
        {**record, "at": record["at"] - 3600} for record in session["account_authentication_methods"]
    ]
    session.save()


def assert_nobody_got_in(client):
    assert not SocialAccount.objects.exists()
    assert not is_signed_in(client)


@pytest.mark.parametrize("path", [LAB, GITHUB])
def test_a_new_person_checks_name_and_address_and_gets_an_account(visitor, provider, with_mail, path):
    assert come_back(visitor, path)["Location"] == SIGN_UP
    page = visitor.get(SIGN_UP).text
    assert 'value="Ada L."' in page
    assert re.search(r'<input[^>]+value="ada@example.org"[^>]+disabled', page)
    assert not User.objects.exists()
    # A verified address cannot be exchanged for another one.
    answer = visitor.post(SIGN_UP, {"name": "Ada Lab", "email": "victim@example.org"})
    assert (answer.status_code, answer["Location"]) == (302, "/submissions/")
    new = User.objects.get()
    assert (new.email, new.first_name, new.has_usable_password()) == ("ada@example.org", "Ada Lab", False)
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("ada@example.org", True)]
    assert is_signed_in(visitor)


def test_nothing_of_the_provider_is_kept_but_who_it_is(visitor, provider):
    come_back(visitor, GITHUB)
    sessions = [session.get_decoded() for session in Session.objects.all()]
    assert "an access token" not in str(sessions)
    visitor.post(SIGN_UP, {"name": "Ada Lab"})
    account = SocialAccount.objects.get()
    assert (account.provider, account.uid) == ("github", "583231")
    assert account.extra_data == {"handle": "octocat"}
    assert not SocialToken.objects.exists()


@pytest.mark.parametrize("stated", [False, None, "false", "yes", 1, {}])
def test_an_address_that_the_provider_has_not_verified_is_verified_here(visitor, provider, with_mail, stated):
    provider.person["email_verified"] = stated
    answer = sign_up(visitor, email="ada@example.org")
    assert answer["Location"] == "/accounts/confirm-email/"
    assert not is_signed_in(visitor)
    assert not EmailAddress.objects.get().verified
    assert "/accounts/confirm-email/" in mail.outbox[0].body


def test_a_linked_account_signs_in_to_where_the_person_was_going_on_this_site(visitor, provider, linked):
    answer = come_back(visitor, LAB, next="/account/tokens/")
    assert answer["Location"] == "/account/tokens/"
    assert visitor.session["_auth_user_id"] == str(linked.pk)
    assert come_back(Client(), LAB, next="https://evil.example/")["Location"] == "/submissions/"


def test_a_linked_account_is_no_way_past_a_second_factor_or_a_closed_account(visitor, provider, linked):
    factor = Authenticator.objects.create(user=linked, type="totp", data={"secret": generate_totp_secret()})
    assert come_back(visitor, LAB)["Location"] == "/accounts/2fa/authenticate/"
    assert not is_signed_in(visitor)
    factor.delete()
    User.objects.filter(pk=linked.pk).update(is_active=False)
    assert come_back(visitor, LAB)["Location"] == "/accounts/inactive/"
    assert not is_signed_in(visitor)
    User.objects.filter(pk=linked.pk).update(is_active=True)
    delete_account(linked)
    assert come_back(visitor, LAB)["Location"] == SIGN_UP
    assert_nobody_got_in(visitor)


def test_a_link_alone_signs_nobody_in(visitor, provider, linked):
    page = visitor.get(f"{LAB}?scope=repo&auth_params=redirect_uri%3Dhttps%3A%2F%2Fevil.example")
    assert page.status_code == 200
    assert len([path for path in provider.paths if path.startswith("/authorize?")]) == 1
    address = go_to_provider(
        visitor, LAB, scope="repo", auth_params="redirect_uri=https://evil.example&prompt=none"
    )
    assert "evil" not in address
    assert "repo" not in address


def test_an_address_verified_on_both_sides_signs_in_and_links(visitor, provider, user):
    verify(user)
    assert come_back(visitor, LAB)["Location"] == "/submissions/"
    assert visitor.session["_auth_user_id"] == str(user.pk)
    assert SocialAccount.objects.get().user == user
    (letter,) = mail.outbox
    assert (letter.to, "Lab SSO" in letter.body) == (["ada@example.org"], True)


def test_the_emails_about_a_link_and_its_end_say_where_they_come_from(ada, user, provider):
    verify(user)
    ada.defaults["HTTP_USER_AGENT"] = "Firefox of Ada\0"
    link(ada)
    unlink(ada)
    assert len(mail.outbox) == 2
    for letter in mail.outbox:
        assert "- IP address: 127.0.0.1\n- Browser: Firefox of Ada\n" in letter.body
        assert re.search(r"- Date: \w", letter.body)


@pytest.mark.parametrize("path", [LAB, GITHUB])
def test_an_address_that_is_not_verified_here_links_nothing(visitor, provider, user, path):
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=False)
    assert "This address has an account" in sign_up(visitor, path).text
    assert_nobody_got_in(visitor)


@pytest.mark.parametrize("trusts_email", [True, False])
def test_an_address_that_is_not_verified_there_links_nothing(
    visitor, provider, user, with_mail, settings, trusts_email
):
    verify(user)
    if trusts_email:
        provider.person["email_verified"] = False
    else:
        # The word of such a provider does not count.
        (app,) = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
        app["settings"]["trusts_email"] = False
    sign_up(visitor, email=user.email)
    assert_nobody_got_in(visitor)
    assert [letter.subject for letter in mail.outbox] == ["Wardboard: Account Already Exists"]


@pytest.mark.parametrize("right", ["is_staff", "is_superuser", "organises", "factor"])
def test_an_account_with_rights_or_a_second_factor_links_only_from_inside(visitor, provider, right):
    known = verify(make_user("ada@example.org", **({right: True} if right.startswith("is_") else {})))
    if right == "organises":
        BoardOrganiser.objects.create(user=known, board=make_demo())
    if right == "factor":
        Authenticator.objects.create(user=known, type="totp", data={"secret": "x"})
    sign_up(visitor)
    assert_nobody_got_in(visitor)


@pytest.mark.parametrize("gives_password_first", [True, False])
def test_nothing_is_linked_or_unlinked_without_the_email_about_it(
    user, provider, settings, with_mail, monkeypatch, gives_password_first
):
    settings.NOTIFIES, settings.SITE_URL = True, "https://board.example.org"
    verify(user)
    ada = Client(raise_request_exception=False)
    ada.force_login(user)
    link(ada)
    assert AccountEmail.objects.count() == 1
    monkeypatch.setattr(AccountEmail.objects, "create", Mock(side_effect=RuntimeError))
    assert unlink(ada).status_code == 500
    assert SocialAccount.objects.exists()
    SocialAccount.objects.all().delete()
    if gives_password_first:
        assert link(ada).status_code == 500
    else:
        ada.logout()
        ada.force_login(user)
        answer = come_back(ada, LAB, process="connect")
        assert ada.post(answer["Location"], {"password": PASSWORD}).status_code == 500
    assert not SocialAccount.objects.exists()


def test_a_signed_in_person_gives_the_password_and_links(ada, user, provider, with_mail):
    verify(user)
    assert ada.get(LINKED)["Location"].startswith("/accounts/reauthenticate/")
    provider.person |= {"sub": "other", "email": "elsewhere@example.org"}
    answer = come_back(ada, LAB, process="connect")
    assert answer["Location"] == "/accounts/reauthenticate/"
    assert not SocialAccount.objects.exists()
    assert "an access token" not in str(dict(ada.session))
    assert ada.post(answer["Location"], {"password": PASSWORD})["Location"] == LINKED
    page = ada.get(LINKED).text
    assert "Unlink Lab SSO" in page
    # The address of the other account says nothing about this one.
    assert list(EmailAddress.objects.values_list("email", flat=True)) == ["ada@example.org"]
    assert "Lab SSO: ada" in ada.get(EMAILS).text
    assert ["Lab SSO" in letter.body for letter in mail.outbox] == [True]


def test_an_account_elsewhere_is_of_one_account_here_whose_owner_alone_unlinks_it(ada, grace, user, provider):
    verify(user)
    link(ada)
    link(grace)
    account = SocialAccount.objects.get()
    for sent in (account.pk, "0", "x", "\0", "9" * 30, ""):
        assert grace.post(LINKED, {"account": sent}).status_code == 200
    assert SocialAccount.objects.get().user == user
    unlink(ada)
    assert not SocialAccount.objects.exists()
    assert "Lab SSO" in mail.outbox[-1].body


@pytest.mark.parametrize("page", [LINKED, "/account/delete/", "/accounts/password/set/", APP, PASSKEY])
def test_somebody_at_an_open_screen_signs_in_at_the_provider_before_sensitive_pages(person, page):
    assert person.get(page).status_code == 200
    let_an_hour_pass(person)
    assert person.get(page)["Location"] == f"{LAB}?{urlencode({'next': page})}"
    assert person.get(f"/zh-hant{page}")["Location"].startswith(f"/zh-hant{LAB}")
    address = go_to_provider(person, LAB, next=page)
    assert "prompt=login" in address
    assert person.get(decide(address))["Location"] == page
    assert person.get(page).status_code == 200


def test_a_form_that_was_opened_an_hour_ago_changes_nothing_about_the_account(person):
    secret = person.get(APP).context["form"].secret
    let_an_hour_pass(person)
    for path, form in (
        (APP, {"code": code_for(secret)}),
        (PASSKEY, {"name": "mine", "credential": "{}"}),
        (EMAILS, {"email": "eve@example.org", "action_add": ""}),
        (f"{LAB}?process=connect", {}),
    ):
        assert person.post(path, form)["Location"].startswith(LAB), path
    assert not Authenticator.objects.exists()
    assert EmailAddress.objects.count() == 1


def test_a_person_with_a_factor_gives_it_before_one_is_added_or_removed(person):
    person.post(APP, {"code": code_for(person.get(APP).context["form"].secret)})
    data = {"name": "laptop", "credential": {}}
    passkey = Authenticator.objects.create(user=User.objects.get(), type="webauthn", data=data)
    remove = f"/accounts/2fa/webauthn/keys/{passkey.pk}/remove/"
    for page in (PASSKEY, "/accounts/2fa/totp/deactivate/", remove):
        # A sign-in at the provider, however recent, is not enough.
        assert person.post(page)["Location"].startswith("/accounts/2fa/reauthenticate/"), page
    assert Authenticator.objects.filter(type__in=("totp", "webauthn")).count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_form_that_is_sent_several_times_creates_one_account(provider):
    clients = [Client() for _ in range(3)]
    for client in clients:
        come_back(client, LAB)
    answers = run_at_once(*(lambda c=c: c.post(SIGN_UP, {"name": "Ada Lab"}) for c in clients))
    assert {answer.status_code for answer in answers} <= {200, 302}
    assert User.objects.get().email == "ada@example.org"


@pytest.mark.django_db(transaction=True)
def test_windows_that_link_the_same_account_link_it_once(user, provider):
    clients = [Client() for _ in range(3)]
    for client in clients:
        client.force_login(user)
        client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    backs = [decide(go_to_provider(client, LAB, process="connect")) for client in clients]
    answers = run_at_once(*(lambda c=c, b=b: c.get(b) for c, b in zip(clients, backs, strict=True)))
    assert {answer.status_code for answer in answers} <= {302, 401}
    assert SocialAccount.objects.get().user == user
