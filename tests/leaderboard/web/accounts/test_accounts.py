"""Accounts, tokens and error pages."""

import re

import pytest
from django.core import mail
from django.test import Client

from leaderboard.models import ApiToken, Scope, User
from leaderboard.services.accounts import create_token, personal_team
from tests.support.factories import PASSWORD
from tests.support.pages.words import INLINE


def test_signing_up_asks_for_a_name_and_signs_in(visitor, db):
    form = {"email": "new@example.org", "password1": PASSWORD, "name": "New Lab"}
    response = visitor.post("/accounts/signup/", form)
    assert (response.status_code, response["Location"]) == (302, "/submissions/")
    assert personal_team(User.objects.get(email="new@example.org")).name == "New Lab"


def test_every_problem_of_a_sign_up_is_tied_to_its_field(visitor, db):
    response = visitor.post("/accounts/signup/", {"email": "nonsense", "password1": "123", "name": ""})
    content = response.content.decode()
    assert set(response.context["form"].errors) == {"email", "password1", "name"}
    for name in ("email", "password1", "name"):
        assert f'id="id_{name}_error"' in content
        assert re.search(rf'<input[^>]+name="{name}"[^>]+aria-describedby="[^"]*id_{name}_error', content)


def test_with_a_mail_server_signing_up_does_not_tell_who_has_an_account(visitor, user, settings):
    form = {"email": user.email, "password1": "violet-otter-91", "name": "Someone"}
    # Without one no email could say it instead.
    assert set(visitor.post("/accounts/signup/", form).context["form"].errors) == {"email"}
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.VERIFIES_EMAIL = "mandatory", True
    known = visitor.post("/accounts/signup/", form)
    new = Client().post("/accounts/signup/", {**form, "email": "new@example.org"})
    assert (known.status_code, known["Location"]) == (new.status_code, new["Location"])
    assert [recipient for sent in mail.outbox for recipient in sent.to] == [user.email, "new@example.org"]


def test_an_unreadable_name_is_refused_at_sign_up(visitor, db):
    for name in ("\u202eevil", "new\u2028lab", "\x1b[31mlab", "\u200b", "\u3164 \u2800"):
        form = {"email": "new@example.org", "password1": PASSWORD, "name": name}
        errors = visitor.post("/accounts/signup/", form).context["form"].errors
        assert errors["name"] == ["It holds control or invisible characters."], name
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("name", "team_name"),
    [
        ("", "ada"),
        ("Ada\nLab", "Ada Lab"),
        ("\u202eevil\u2028\x1b[31m\u200b", "evil [31m"),
        ("\u3164", "Unnamed team"),
        ("\u202e\u200b", "Unnamed team"),
        ("\u200b Foo\u200b \u200bBar ", "Foo Bar"),
        (f"{'x' * 119} {'y' * 9}", "x" * 119),
        ("新實驗室", "新實驗室"),
    ],
)
def test_a_team_is_named_after_the_readable_part_of_its_persons_name(user, name, team_name):
    user.first_name = name
    assert personal_team(user).name == team_name


def test_the_forms_use_one_word_per_thing_and_link_once_to_password_reset(visitor, ada):
    places = ("login", "signup", "password/reset")
    pages = [visitor.get(f"/accounts/{place}/").content.decode() for place in places]
    pages += [ada.get(f"/accounts/{place}/").content.decode() for place in ("email", "password/change")]
    assert not any(re.search(">[^<]*[Ee]-mail", page) for page in pages)
    assert all(re.search(">[^<]*[Ee]mail", page) for page in pages[:-1])
    for page in (pages[0], pages[-1]):
        assert page.count('href="/accounts/password/reset/"') == 1


def test_signing_in_and_out(visitor, user):
    credentials = {"login": user.email, "password": PASSWORD}
    assert visitor.post("/accounts/login/", credentials)["Location"] == "/submissions/"
    assert "Sign out" in visitor.get("/").content.decode()
    assert visitor.post("/accounts/logout/")["Location"] == "/"
    assert "Sign in" in visitor.get("/").content.decode()


def test_a_forgotten_password_is_reset_by_email(visitor, user):
    visitor.post("/accounts/password/reset/", {"email": user.email})
    (letter,) = mail.outbox
    assert letter.subject == "Wardboard: Choose a new password"
    link = re.search(r"http://\S+?(/accounts/\S+)", letter.body)[1]
    form = visitor.get(link, follow=True)
    assert "Choose a new password" in form.content.decode()
    path = form.redirect_chain[-1][0]
    visitor.post(path, {"password1": "another-long-phrase", "password2": "another-long-phrase"})
    user.refresh_from_db()
    assert user.check_password("another-long-phrase")
    assert "The link no longer works" in Client().get(link, follow=True).content.decode()


def test_inline_style_and_script_are_found():
    for html in ('<p style="">', '<p onclick="">', "<style>", '<a href="javascript:', '<script type="x">'):
        assert INLINE.search(html), html
    assert not INLINE.search('<script type="module" src="a.js">')


def test_no_page_holds_inline_style_or_script(ada, visitor, demo):
    for client, path in (
        (visitor, "/"),
        (visitor, "/benchmarks/medagentbench-demo/"),
        (visitor, "/submit/"),
        (visitor, "/accounts/signup/"),
        (ada, "/accounts/email/"),
        (ada, "/account/tokens/"),
        (ada, "/benchmarks/medagentbench-demo/submit/"),
    ):
        response = client.get(path)
        content = response.content.decode()
        assert "<script" in content
        assert not INLINE.search(content), path
        assert "default-src 'self'" in response["Content-Security-Policy"]


def test_a_token_is_shown_once_and_works(ada, user, demo):
    content = ada.post("/account/tokens/", {"name": "CI", "days": "30", "scopes": ["read"]}).content.decode()
    token_text = re.search(r"wb_[0-9a-f]{20,}", content)[0]
    assert f"WARDBOARD_TOKEN={token_text}" in content
    token = ApiToken.objects.get(user=user)
    assert (token.allowed, token.board) == ([Scope.READ], None)
    assert round((token.expiry - token.created).total_seconds() / 86400, 3) == 30
    later_page = ada.get("/account/tokens/")
    assert token_text not in later_page.content.decode()
    assert token.token_key in later_page.content.decode()
    assert "no-store" in later_page["Cache-Control"]
    response = Client().get("/api/v1/submissions/", headers={"authorization": f"Bearer {token_text}"})
    assert response.status_code == 200


def test_the_token_page_shows_what_a_token_is_for_and_when_it_was_used(ada, user, demo):
    form = {"name": "CI", "days": "30", "scopes": ["validate", "submit"], "board": demo.pk}
    token_text = re.search(r"wb_[0-9a-f]{20,}", ada.post("/account/tokens/", form).content.decode())[0]
    row = ada.get("/account/tokens/").content.decode().partition("<tbody>")[2]
    assert "Check files · Submit files and cancel submissions" in row
    assert "MedAgentBench demo" in row
    assert "never" in row
    Client().get("/api/v1/me/", headers={"authorization": f"Bearer {token_text}"})
    assert "never" not in ada.get("/account/tokens/").content.decode().partition("<tbody>")[2]


def test_a_token_without_a_name_or_a_valid_expiry_is_not_created(ada, user):
    response = ada.post("/account/tokens/", {"name": "", "days": "7"})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"name", "days", "scopes"}
    assert not ApiToken.objects.exists()


def test_a_token_may_be_created_without_expiry(ada, user):
    ada.post("/account/tokens/", {"name": "CI", "days": "never", "scopes": ["read"]})
    assert ApiToken.objects.get(user=user).expiry is None


def test_only_its_owner_revokes_a_token(ada, grace, user):
    token, _ = create_token(user=user, name="CI", days=30)
    revoke = f"/account/tokens/{token.token_key}/revoke/"
    assert "You have no such token" in grace.post(revoke, follow=True).content.decode()
    assert ApiToken.objects.exists()
    assert "Revoked" in ada.post(revoke, follow=True).content.decode()
    assert not ApiToken.objects.exists()


def test_a_stale_form_says_what_to_do(user):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    response = client.post("/account/tokens/", {"name": "CI", "days": "30"})
    assert response.status_code == 403
    assert "This form has expired" in response.content.decode()


def test_a_broken_page_says_so_without_asking_the_database(visitor, db, monkeypatch):
    def fail():
        raise RuntimeError("secret detail")

    monkeypatch.setattr("leaderboard.web.site.pages.summaries", fail)
    visitor.raise_request_exception = False
    response = visitor.get("/")
    assert response.status_code == 500
    assert "Something went wrong on our side" in response.content.decode()
    assert "secret detail" not in response.content.decode()


def test_a_request_for_a_foreign_host_gets_the_page_for_bad_requests(visitor, db):
    response = visitor.get("/", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert "The request could not be read" in response.content.decode()
    assert "evil.example" not in response.content.decode()


def test_the_token_page_takes_few_queries(ada, user, django_assert_max_num_queries):
    for n in range(5):
        create_token(user=user, name=f"t{n}", days=None)
    # The session, the person, the leaderboards and desk of the header, the teams, the tokens, the boards.
    with django_assert_max_num_queries(10):
        ada.get("/account/tokens/")
