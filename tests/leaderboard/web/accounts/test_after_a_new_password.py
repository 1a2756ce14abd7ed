"""What a new password ends: tokens and the sessions elsewhere. And how many tokens there may be."""

import re

import pytest
from django.core import mail
from django.test import Client

from leaderboard.models import AuditEvent, User
from leaderboard.services.accounts import create_token
from leaderboard.services.errors import WrongState
from tests.support.addresses import SUBMISSIONS
from tests.support.factories import PASSWORD

NEW_PASSWORD = "violet-otter-91"
CHANGE = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}


def status_with(token: str) -> int:
    return Client().get(SUBMISSIONS, headers={"authorization": f"Bearer {token}"}).status_code


def reset_password(user) -> None:
    client = Client()
    client.post("/accounts/password/reset/", {"email": user.email})
    link = next(word for word in mail.outbox[-1].body.split() if word.startswith("http://"))
    page = client.get(link.removeprefix("http://testserver"), follow=True)
    form = page.redirect_chain[-1][0]
    client.post(form, {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    user.refresh_from_db()
    assert user.check_password(NEW_PASSWORD)


def test_a_reset_password_ends_all_tokens_of_the_account_and_no_other(user, other_user):
    tokens = [create_token(user=user, name=name, days=days)[1] for name, days in (("a", 30), ("b", None))]
    others = create_token(user=other_user, name="c", days=30)[1]
    reset_password(user)
    assert [status_with(token) for token in tokens] == [401, 401]
    assert status_with(others) == 200
    events = AuditEvent.objects.filter(action="token.revoked")
    assert {event.data["name"] for event in events} == {"a", "b"}


def test_a_reset_password_ends_all_sessions(ada, user):
    reset_password(user)
    assert ada.get("/submissions/")["Location"].startswith("/accounts/login/")


def test_a_changed_password_ends_tokens_unless_they_are_to_stay(ada, user):
    token = create_token(user=user, name="CI", days=30)[1]
    page = ada.get("/accounts/password/change/").content.decode()
    assert re.search(r"<input[^>]*revoke_tokens[^>]* checked", page)
    assert ada.post("/accounts/password/change/", CHANGE).status_code == 302
    assert status_with(token) == 200
    again = {"oldpassword": NEW_PASSWORD, "password1": PASSWORD, "password2": PASSWORD, "revoke_tokens": "on"}
    assert ada.post("/accounts/password/change/", again).status_code == 302
    assert status_with(token) == 401


def test_a_changed_password_ends_the_sessions_elsewhere_and_not_this_one(ada, user):
    elsewhere = Client()
    elsewhere.force_login(user)
    assert elsewhere.get("/submissions/").status_code == 200
    ada.post("/accounts/password/change/", CHANGE)
    assert ada.get("/submissions/").status_code == 200
    assert elsewhere.get("/submissions/")["Location"].startswith("/accounts/login/")


def test_a_password_set_by_an_administrator_ends_tokens(client, user):
    client.force_login(User.objects.create_superuser("boss@example.org", PASSWORD))
    token = create_token(user=user, name="CI", days=30)[1]
    form = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true"}
    response = client.post(f"/admin/leaderboard/user/{user.pk}/password/", form)
    assert response.status_code == 302
    assert status_with(token) == 401


def test_the_number_of_tokens_can_be_set_or_left_open(user, other_user, settings):
    settings.TOKENS_PER_ACCOUNT = 1
    create_token(user=user, name="first", days=None)
    create_token(user=other_user, name="first", days=None)
    with pytest.raises(WrongState):
        create_token(user=user, name="second", days=None)
    settings.TOKENS_PER_ACCOUNT = 0
    create_token(user=user, name="second", days=None)


@pytest.mark.parametrize(
    "lookup",
    [
        "auth_token_set__gte=0",
        "auth_token_set=0",
        "auth_token_set__digest__startswith=0",
        "auth_token_set__in=0",
    ],
)
def test_staff_cannot_read_digests_of_tokens_by_filters(client, user, lookup):
    create_token(user=user, name="CI", days=30)
    client.force_login(User.objects.create_superuser("boss@example.org", PASSWORD))
    assert client.get(f"/admin/leaderboard/user/?{lookup}").status_code == 400
    assert client.get("/admin/leaderboard/user/?is_staff__exact=1").status_code == 200
