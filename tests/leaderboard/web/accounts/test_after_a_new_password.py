"""What a new password ends: tokens and the sessions elsewhere. And how many tokens there may be."""

import re

from django.core import mail
from django.test import Client

from leaderboard.models import AuditEvent, User
from leaderboard.services.accounts import create_token
from leaderboard.services.notifications.send import notify
from tests.support.addresses import SUBMISSIONS
from tests.support.factories import PASSWORD

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
    elsewhere = Client()
    elsewhere.force_login(user)
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
