"""Accounts, tokens and error pages, and what a new password ends."""

import re
from unittest.mock import Mock

from django.core import mail
from django.test import Client

from leaderboard.models import ApiToken, AuditEvent, Scope, User
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.notifications.send import notify
from tests.support.addresses import SUBMISSIONS
from tests.support.factories import PASSWORD, client_of

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

    monkeypatch.setattr("leaderboard.web.site.pages.render", Mock(side_effect=RuntimeError("secret detail")))
    visitor.raise_request_exception = False
    broken = visitor.get("/")
    assert (broken.status_code, "Something went wrong on our side" in broken.text) == (500, True)
    assert "secret detail" not in broken.text


NEW_PASSWORD = "violet-otter-91"

CHANGE = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}


def status_with(token: str) -> int:
    return Client().get(SUBMISSIONS, headers={"authorization": f"Bearer {token}"}).status_code


def is_out(client) -> bool:
    return client.get("/submissions/").status_code == 302


def test_a_password_that_is_reset_by_email_ends_all_tokens_and_sessions_of_the_account(
    ada, user, other_user, settings
):
    settings.NOTIFIES = True
    tokens = [create_token(user=user, name=name, days=days)[1] for name, days in (("a", 30), ("b", None))]
    others = create_token(user=other_user, name="c", days=30)[1]
    visitor = Client()
    visitor.post("/accounts/password/reset/", {"email": user.email})
    notify()
    (letter,) = mail.outbox
    link = re.search(r"http://\S+?(/accounts/\S+)", letter.body)[1]
    form = visitor.get(link, follow=True)
    visitor.post(form.redirect_chain[-1][0], {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    user.refresh_from_db()
    assert user.check_password(NEW_PASSWORD)
    assert "<form method" not in Client().get(link, follow=True).text
    assert [status_with(token) for token in (*tokens, others)] == [401, 401, 200]
    events = AuditEvent.objects.filter(action="token.revoked")
    assert {event.data["name"] for event in events} == {"a", "b"}
    assert is_out(ada)


def test_a_changed_password_ends_sessions_elsewhere_and_tokens_unless_they_are_to_stay(ada, user):
    token = create_token(user=user, name="CI", days=30)[1]
    elsewhere = client_of(user)
    page = ada.get("/accounts/password/change/").text
    assert re.search(r"<input[^>]*revoke_tokens[^>]* checked", page)
    assert ada.post("/accounts/password/change/", CHANGE).status_code == 302
    assert (is_out(ada), is_out(elsewhere)) == (False, True)
    assert status_with(token) == 200
    again = {"oldpassword": NEW_PASSWORD, "password1": PASSWORD, "password2": PASSWORD, "revoke_tokens": "on"}
    assert ada.post("/accounts/password/change/", again).status_code == 302
    assert status_with(token) == 401


def test_a_password_set_by_an_administrator_ends_tokens(client, user):
    client.force_login(User.objects.create_superuser("boss@example.org", PASSWORD))
    token = create_token(user=user, name="CI", days=30)[1]
    form = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true"}
    assert client.post(f"/admin/leaderboard/user/{user.pk}/password/", form).status_code == 302
    assert status_with(token) == 401
