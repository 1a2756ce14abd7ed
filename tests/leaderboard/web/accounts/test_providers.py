"""Sign-in with an account elsewhere, at a provider on loopback: who gets in, and what is kept."""

import re
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
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
from tests.support.second_factors import new_secret

pytestmark = pytest.mark.django_db


@pytest.fixture
def with_mail(settings):
    settings.VERIFIES_EMAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"


def link(client, path=LAB):
    """Link an account elsewhere to that of a client who has just given the password."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return come_back(client, path, process="connect")


class TestSigningUp:
    @pytest.mark.parametrize("path", [LAB, GITHUB])
    def test_a_new_person_checks_name_and_address_and_gets_an_account(
        self, visitor, provider, with_mail, path
    ):
        assert come_back(visitor, path)["Location"] == SIGN_UP
        page = visitor.get(SIGN_UP).content.decode()
        assert 'value="Ada L."' in page
        assert re.search(r'<input[^>]+value="ada@example.org"[^>]+disabled', page)
        assert not User.objects.exists()
        # A verified address cannot be exchanged for another one.
        answer = visitor.post(SIGN_UP, {"name": "Ada Lab", "email": "victim@example.org"})
        assert (answer.status_code, answer["Location"]) == (302, "/submissions/")
        person = User.objects.get()
        assert (person.email, person.first_name, person.has_usable_password()) == (
            "ada@example.org",
            "Ada Lab",
            False,
        )
        assert list(EmailAddress.objects.values_list("email", "verified")) == [("ada@example.org", True)]
        assert is_signed_in(visitor)

    def test_nothing_of_the_provider_is_kept_but_who_it_is(self, visitor, provider):
        come_back(visitor, GITHUB)
        sessions = [session.get_decoded() for session in Session.objects.all()]
        assert "an access token" not in str(sessions)
        visitor.post(SIGN_UP, {"name": "Ada Lab"})
        account = SocialAccount.objects.get()
        assert (account.provider, account.uid, account.extra_data) == (
            "github",
            "583231",
            {"handle": "octocat"},
        )
        assert not SocialToken.objects.exists()

    @pytest.mark.parametrize("stated", [False, None, "false", "yes", 1, {}])
    def test_an_address_that_the_provider_has_not_verified_is_verified_here(
        self, visitor, provider, with_mail, stated
    ):
        provider.person["email_verified"] = stated
        come_back(visitor, LAB)
        answer = visitor.post(SIGN_UP, {"name": "Ada Lab", "email": "ada@example.org"})
        assert answer["Location"] == "/accounts/confirm-email/"
        assert not is_signed_in(visitor)
        assert not EmailAddress.objects.get().verified
        assert "/accounts/confirm-email/" in mail.outbox[0].body

    def test_a_provider_whose_word_on_addresses_does_not_count(self, visitor, provider, with_mail, settings):
        (app,) = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
        app["settings"]["trusts_email"] = False
        verify(make_user("ada@example.org"))
        assert come_back(visitor, LAB)["Location"] == SIGN_UP
        visitor.post(SIGN_UP, {"name": "Ada Lab", "email": "ada@example.org"})
        assert not SocialAccount.objects.exists()
        assert [letter.subject for letter in mail.outbox] == ["Wardboard: Account Already Exists"]

    def test_a_provider_without_addresses_leaves_the_address_to_the_person(
        self, visitor, provider, with_mail
    ):
        provider.person = {"sub": "0000-0002-1825-0097", "name": "Josiah Carberry"}
        come_back(visitor, LAB)
        assert visitor.post(SIGN_UP, {"name": "Josiah"}).context["form"].errors["email"]
        visitor.post(SIGN_UP, {"name": "Josiah", "email": "josiah@example.org"})
        assert not User.objects.get(email="josiah@example.org").has_verified_email

    @pytest.mark.parametrize(
        "person",
        [
            {"name": "\u202eevil\0"},
            {"name": ["x"], "given_name": 7, "preferred_username": {}},
            {"name": "x" * 5000},
            {"email": "\0@example.org"},
            {"email": f"{'x' * 400}@example.org"},
            {"email": "İ@example.org"},
        ],
    )
    def test_whatever_a_provider_says_of_a_person_breaks_nothing(self, visitor, provider, person):
        provider.person |= person
        assert come_back(visitor, LAB)["Location"] == SIGN_UP
        assert visitor.get(SIGN_UP).status_code == 200
        form = {"name": "Ada Lab", "email": "other@example.org"}
        assert visitor.post(SIGN_UP, form)["Location"] == "/submissions/"

    def test_a_sign_up_with_a_provider_that_is_no_longer_set_up_begins_again(
        self, visitor, provider, settings
    ):
        come_back(visitor, LAB)
        settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"] = []
        assert visitor.get(SIGN_UP)["Location"] == "/accounts/login/"

    def test_a_sign_up_without_a_sign_in_elsewhere_goes_to_the_sign_in_page(self, visitor, provider):
        assert visitor.get(SIGN_UP)["Location"] == "/accounts/login/"


class TestSigningIn:
    @pytest.fixture
    def linked(self, ada, provider):
        """An account of Ada's to which Lab SSO signs in."""
        link(ada)
        return SocialAccount.objects.get().user

    def test_a_linked_account_signs_in_to_where_the_person_was_going(self, visitor, provider, linked):
        answer = come_back(visitor, LAB, next="/account/tokens/")
        assert answer["Location"] == "/account/tokens/"
        assert visitor.session["_auth_user_id"] == str(linked.pk)

    def test_no_other_site_is_gone_to_afterwards(self, visitor, provider, linked):
        assert come_back(visitor, LAB, next="https://evil.example/")["Location"] == "/submissions/"

    def test_the_language_of_the_page_is_kept(self, visitor, provider, linked):
        address = go_to_provider(visitor, f"/zh-hant{LAB}")
        assert "redirect_uri=http%3A%2F%2Ftestserver%2Faccounts%2Foidc%2Flab%2Flogin%2Fcallback%2F" in address
        assert visitor.get(decide(address))["Location"] == "/zh-hant/submissions/"

    def test_the_second_factor_is_asked_for_all_the_same(self, visitor, provider, linked):
        Authenticator.objects.create(user=linked, type="totp", data={"secret": new_secret()})
        assert come_back(visitor, LAB)["Location"] == "/accounts/2fa/authenticate/"
        assert not is_signed_in(visitor)

    def test_an_account_that_was_switched_off_does_not_sign_in(self, visitor, provider, linked):
        User.objects.filter(pk=linked.pk).update(is_active=False)
        assert come_back(visitor, LAB)["Location"] == "/accounts/inactive/"
        assert not is_signed_in(visitor)

    def test_a_link_alone_signs_nobody_in(self, visitor, provider, linked):
        page = visitor.get(f"{LAB}?scope=repo&auth_params=redirect_uri%3Dhttps%3A%2F%2Fevil.example")
        assert page.status_code == 200
        assert provider.paths.count("/authorize") == 1
        address = go_to_provider(
            visitor, LAB, scope="repo", auth_params="redirect_uri=https://evil.example&prompt=none"
        )
        assert "evil" not in address
        assert "repo" not in address

    def test_a_deleted_account_is_gone_here_too(self, visitor, provider, linked):
        delete_account(linked)
        assert not SocialAccount.objects.exists()
        assert come_back(visitor, LAB)["Location"] == SIGN_UP


class TestAddressesOfExistingAccounts:
    def test_an_address_verified_on_both_sides_signs_in_and_links(self, visitor, provider, user):
        verify(user)
        assert come_back(visitor, LAB)["Location"] == "/submissions/"
        assert visitor.session["_auth_user_id"] == str(user.pk)
        assert SocialAccount.objects.get().user == user
        (letter,) = mail.outbox
        assert (letter.to, letter.subject) == (
            ["ada@example.org"],
            "Wardboard: Lab SSO can now sign in to your account",
        )

    @pytest.mark.parametrize("path", [LAB, GITHUB])
    def test_an_address_that_is_not_verified_here_links_nothing(self, visitor, provider, user, path):
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=False)
        assert come_back(visitor, path)["Location"] == SIGN_UP
        answer = visitor.post(SIGN_UP, {"name": "Eve"})
        assert "This address has an account" in answer.content.decode()
        assert not SocialAccount.objects.exists()
        assert not is_signed_in(visitor)

    def test_an_address_that_is_not_verified_there_links_nothing(self, visitor, provider, user, with_mail):
        verify(user)
        provider.person["email_verified"] = False
        assert come_back(visitor, LAB)["Location"] == SIGN_UP
        visitor.post(SIGN_UP, {"name": "Eve", "email": user.email})
        assert not SocialAccount.objects.exists()
        assert not is_signed_in(visitor)

    @pytest.mark.parametrize(
        "fields",
        [{"is_staff": True}, {"is_superuser": True}, {"organises": True}, {"factor": True}],
    )
    def test_an_account_with_rights_or_a_second_factor_links_only_from_inside(
        self, visitor, provider, fields
    ):
        fields = dict(fields)
        has_factor, organises = fields.pop("factor", False), fields.pop("organises", False)
        person = verify(make_user("ada@example.org", **fields))
        if organises:
            BoardOrganiser.objects.create(user=person, board=make_demo())
        if has_factor:
            Authenticator.objects.create(user=person, type="totp", data={"secret": "x"})
        assert come_back(visitor, LAB)["Location"] == SIGN_UP
        visitor.post(SIGN_UP, {"name": "Eve"})
        assert not SocialAccount.objects.exists()
        assert not is_signed_in(visitor)


class TestEmails:
    """An email about an account is stored with what it is about, or neither is."""

    @pytest.fixture
    def outbox(self, settings, with_mail, monkeypatch):
        """Return a function after which no email can be stored."""
        settings.NOTIFIES, settings.SITE_URL = True, "https://board.example.org"

        def fail(*_, **__):
            raise RuntimeError

        return lambda: monkeypatch.setattr(AccountEmail.objects, "create", fail)

    def test_an_account_whose_email_cannot_be_stored_is_not_made(self, provider, outbox):
        provider.person["email_verified"] = False
        visitor = Client(raise_request_exception=False)
        come_back(visitor, LAB)
        outbox()
        assert visitor.post(SIGN_UP, {"name": "Ada Lab", "email": "ada@example.org"}).status_code == 500
        assert not User.objects.exists()
        assert not SocialAccount.objects.exists()

    @pytest.mark.parametrize("gives_password_first", [True, False])
    def test_nothing_is_linked_or_unlinked_without_the_email_about_it(
        self, user, provider, outbox, gives_password_first
    ):
        verify(user)
        ada = Client(raise_request_exception=False)
        ada.force_login(user)
        link(ada)
        assert AccountEmail.objects.count() == 1
        outbox()
        assert ada.post(LINKED, {"account": SocialAccount.objects.get().pk}).status_code == 500
        assert SocialAccount.objects.exists()
        SocialAccount.objects.all().delete()
        if gives_password_first:
            assert link(ada).status_code == 500
        else:
            ada = Client(raise_request_exception=False)
            ada.force_login(user)
            answer = come_back(ada, LAB, process="connect")
            assert ada.post(answer["Location"], {"password": PASSWORD}).status_code == 500
        assert not SocialAccount.objects.exists()


class TestLinking:
    def test_a_signed_in_person_gives_the_password_and_links(self, ada, user, provider, with_mail):
        verify(user)
        assert ada.get(LINKED)["Location"].startswith("/accounts/reauthenticate/")
        provider.person |= {"sub": "other", "email": "elsewhere@example.org"}
        assert link(ada)["Location"] == LINKED
        page = ada.get(LINKED).content.decode()
        assert "Lab SSO is linked" in page
        assert "Unlink Lab SSO" in page
        # The address of the other account says nothing about this one.
        assert list(EmailAddress.objects.values_list("email", flat=True)) == ["ada@example.org"]
        assert "Lab SSO: ada" in ada.get("/accounts/email/").content.decode()
        assert [letter.subject for letter in mail.outbox] == [
            "Wardboard: Lab SSO can now sign in to your account"
        ]

    def test_without_the_password_nothing_is_linked(self, ada, provider):
        answer = come_back(ada, LAB, process="connect")
        assert answer["Location"] == "/accounts/reauthenticate/"
        assert not SocialAccount.objects.exists()
        assert "an access token" not in str(dict(ada.session))
        assert ada.post(answer["Location"], {"password": PASSWORD})["Location"] == LINKED
        assert SocialAccount.objects.exists()

    def test_an_account_elsewhere_signs_in_to_one_account_here(self, ada, grace, user, provider):
        link(ada)
        answer = link(grace)
        assert "already linked to another account" in grace.get(answer["Location"]).content.decode()
        assert SocialAccount.objects.get().user == user

    def test_only_its_owner_can_unlink_it(self, ada, grace, user, provider):
        verify(user)
        link(ada)
        key = SocialAccount.objects.get().pk
        grace.post("/accounts/reauthenticate/", {"password": PASSWORD})
        for sent in (key, "0", "x", "\0", "9" * 30, ""):
            assert grace.post(LINKED, {"account": sent}).status_code == 200
        assert SocialAccount.objects.exists()
        page = ada.post(LINKED, {"account": key}, follow=True).content.decode()
        assert "The account is no longer linked." in page
        assert not SocialAccount.objects.exists()
        assert mail.outbox[-1].subject == "Wardboard: Lab SSO was unlinked from your account"

    def test_the_only_way_to_sign_in_stays(self, visitor, provider):
        come_back(visitor, LAB)
        visitor.post(SIGN_UP, {"name": "Ada Lab"})
        page = visitor.post(LINKED, {"account": SocialAccount.objects.get().pk}, follow=True)
        assert "Set a password first" in page.content.decode()
        assert SocialAccount.objects.exists()
        # A password, once it is set, is another way.
        assert visitor.get("/accounts/password/change/")["Location"] == "/accounts/password/set/"
        assert "Set the password" in visitor.get("/accounts/password/set/").content.decode()

    def test_a_person_without_a_password_signs_in_again_before_sensitive_pages(self, visitor, provider):
        come_back(visitor, LAB)
        visitor.post(SIGN_UP, {"name": "Ada Lab"})
        pages = (LINKED, "/account/delete/", "/accounts/password/set/")
        assert {visitor.get(page).status_code for page in pages} == {200}
        session = visitor.session
        session["account_authentication_methods"] = [
            {**record, "at": record["at"] - 3600} for record in session["account_authentication_methods"]
        ]
        session.save()
        for page in pages:
            assert visitor.get(page)["Location"] == f"{LAB}?{urlencode({'next': page})}"
        addition = {"email": "eve@example.org", "action_add": ""}
        assert visitor.post("/accounts/email/", addition)["Location"].startswith(LAB)
        assert visitor.post(f"{LAB}?process=connect")["Location"].startswith(LAB)
        address = go_to_provider(visitor, LAB, next=LINKED)
        assert "prompt=login" in address
        assert visitor.get(decide(address))["Location"] == LINKED
        assert visitor.get(LINKED).status_code == 200
        assert EmailAddress.objects.count() == 1

    def test_an_account_of_a_provider_that_is_no_longer_set_up_is_not_offered(self, ada, provider, settings):
        link(ada)
        settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"] = []
        assert "No account is linked" in ada.get(LINKED).content.decode()
        assert ada.post(LINKED, {"account": SocialAccount.objects.get().pk}).status_code == 404


def test_nothing_is_shown_where_no_provider_is_set_up(visitor, ada):
    for page in (
        visitor.get("/accounts/login/"),
        visitor.get("/accounts/signup/"),
        ada.get("/accounts/email/"),
    ):
        content = page.content.decode()
        assert "Continue with" not in content
        assert "Linked accounts" not in content
    for path in (LAB, GITHUB, f"{LAB}callback/", "/accounts/oidc/openid_connect/login/"):
        assert visitor.get(path).status_code == 404
        assert visitor.post(path).status_code in (404, 405)


def test_the_pages_offer_each_provider_and_keep_the_way(visitor, provider):
    for name in ("login", "signup"):
        content = visitor.get(f"/accounts/{name}/?next=/account/tokens/").content.decode()
        assert "Continue with Lab SSO" in content
        assert 'action="/accounts/github/login/?process=login&amp;next=%2Faccount%2Ftokens%2F"' in content


class TestAtTheSameTime:
    pytestmark = pytest.mark.django_db(transaction=True)

    def test_a_form_that_is_sent_several_times_creates_one_account(self, provider):
        clients = [Client() for _ in range(3)]
        for client in clients:
            come_back(client, LAB)
        answers = run_at_once(*(lambda c=c: c.post(SIGN_UP, {"name": "Ada Lab"}) for c in clients))
        assert {answer.status_code for answer in answers} <= {200, 302}
        assert User.objects.get().email == "ada@example.org"

    def test_windows_that_link_the_same_account_link_it_once(self, user, provider):
        clients = [Client() for _ in range(3)]
        for client in clients:
            client.force_login(user)
            client.post("/accounts/reauthenticate/", {"password": PASSWORD})
        backs = [decide(go_to_provider(client, LAB, process="connect")) for client in clients]
        answers = run_at_once(*(lambda c=c, b=b: c.get(b) for c, b in zip(clients, backs, strict=True)))
        assert {answer.status_code for answer in answers} <= {302, 401}
        assert SocialAccount.objects.get().user == user
