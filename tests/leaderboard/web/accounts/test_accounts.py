"""Accounts, tokens and error pages."""

import re

from django.core import mail
from django.test import Client

from leaderboard.models import ApiToken, Scope, User
from leaderboard.services.accounts import personal_team
from tests.support.factories import PASSWORD

SIGN_UP, TOKENS = "/accounts/signup/", "/account/tokens/"


def test_signing_up_asks_for_a_name_and_signs_in(visitor, db):
    form = {"email": "new@example.org", "password1": PASSWORD, "name": "New Lab"}
    response = visitor.post(SIGN_UP, form)
    assert (response.status_code, response["Location"]) == (302, "/submissions/")
    assert personal_team(User.objects.get(email="new@example.org")).name == "New Lab"


def test_every_problem_of_a_sign_up_is_tied_to_its_field(visitor, db):
    content = visitor.post(SIGN_UP, {"email": "nonsense", "password1": "123", "name": ""}).text
    for name in ("email", "password1", "name"):
        assert f'id="id_{name}_error"' in content
        assert re.search(rf'<input[^>]+name="{name}"[^>]+aria-describedby="[^"]*id_{name}_error', content)
    for name in ("\u202eevil", "new\u2028lab", "\x1b[31mlab", "\u200b", "\u3164 \u2800"):
        errors = visitor.post(SIGN_UP, {"name": name}).context["form"].errors
        assert errors["name"] == ["It holds control or invisible characters."], name
    assert not User.objects.exists()


def test_with_a_mail_server_signing_up_does_not_tell_who_has_an_account(visitor, user, settings):
    form = {"email": user.email, "password1": "violet-otter-91", "name": "Someone"}
    # Without one no email could say it instead.
    assert set(visitor.post(SIGN_UP, form).context["form"].errors) == {"email"}
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.VERIFIES_EMAIL = "mandatory", True
    known = visitor.post(SIGN_UP, form)
    new = Client().post(SIGN_UP, {**form, "email": "new@example.org"})
    assert (known.status_code, known["Location"]) == (new.status_code, new["Location"])
    assert [recipient for sent in mail.outbox for recipient in sent.to] == [user.email, "new@example.org"]


def test_a_token_is_shown_once_with_what_it_is_for_and_when_it_was_used(ada, user, demo):
    form = {"name": "CI", "days": "30", "scopes": ["validate", "read"], "board": demo.pk}
    content = ada.post(TOKENS, form).text
    token_text = re.search(r"wb_[0-9a-f]{20,}", content)[0]
    assert f"WARDBOARD_TOKEN={token_text}" in content
    token = ApiToken.objects.get(user=user)
    assert (token.allowed, token.board) == ([Scope.VALIDATE, Scope.READ], demo)
    assert round((token.expiry - token.created).total_seconds() / 86400, 3) == 30
    later = ada.get(TOKENS)
    assert token_text not in later.text
    assert "no-store" in later["Cache-Control"]
    row = later.text.partition("<tbody>")[2]
    for words in (token.token_key, "Check files · Read", "MedAgentBench demo", "never"):
        assert words in row
    bearer = {"authorization": f"Bearer {token_text}"}
    assert Client().get("/api/v1/submissions/", headers=bearer).status_code == 200
    assert "never" not in ada.get(TOKENS).text.partition("<tbody>")[2]


def test_a_token_has_a_name_a_scope_and_an_expiry_which_may_be_never(ada, user):
    response = ada.post(TOKENS, {"name": "", "days": "7"})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"name", "days", "scopes"}
    assert not ApiToken.objects.exists()
    ada.post(TOKENS, {"name": "CI", "days": "never", "scopes": ["read"]})
    assert ApiToken.objects.get(user=user).expiry is None


def test_a_stale_form_says_what_to_do(user):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    response = client.post(TOKENS, {"name": "CI", "days": "30"})
    assert response.status_code == 403
    assert "This form has expired" in response.text


def test_a_broken_page_and_a_foreign_host_get_pages_that_quote_nothing(visitor, db, monkeypatch):
    bad = visitor.get("/", headers={"host": "evil.example"})
    assert (bad.status_code, "The request could not be read" in bad.text) == (400, True)
    assert "evil.example" not in bad.text

    def fail(*_, **__):
        raise RuntimeError("secret detail")

    monkeypatch.setattr("leaderboard.web.site.pages.render", fail)
    visitor.raise_request_exception = False
    broken = visitor.get("/")
    assert (broken.status_code, "Something went wrong on our side" in broken.text) == (500, True)
    assert "secret detail" not in broken.text
