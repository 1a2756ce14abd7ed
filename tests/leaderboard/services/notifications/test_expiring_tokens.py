"""Emails about API tokens that expire within a week."""

import pytest

from leaderboard.models import ApiToken, Membership, Role
from leaderboard.services.accounts import create_token
from leaderboard.services.notifications import choices
from leaderboard.services.teams import members
from tests.support.factories import make_user, verify

pytestmark = pytest.mark.both_databases


@pytest.fixture
def token(ada) -> tuple[ApiToken, str]:
    return create_token(user=ada, name="nightly CI", days=30)


def test_a_token_that_expires_within_a_week_is_emailed_once_to_its_owner_alone(ada, token, deliver):
    assert deliver(days=22) == []
    (letter,) = deliver(days=24)
    assert letter.to == [ada.email]
    assert letter.subject == "[Wardboard] Your API token expires soon"
    assert "“nightly CI”" in letter.body
    assert "https://board.example.org/account/tokens/" in letter.body
    assert token[1] not in letter.body
    assert deliver(days=25) == [] == deliver(days=29)


def test_nothing_is_emailed_about_a_token_that_was_revoked_has_expired_or_never_does(ada, token, deliver):
    create_token(user=ada, name="for good", days=None)
    assert deliver(days=31) == []
    token[0].delete()
    assert deliver(days=24) == []


def test_a_token_that_was_made_for_some_days_is_no_news(ada, deliver):
    create_token(user=ada, name="today", days=7)
    assert deliver(days=1) == []


def test_a_person_who_switched_the_kind_off_or_has_no_verified_address_gets_none(ada, token, deliver):
    create_token(user=make_user("unverified@example.org"), name="x", days=30)
    choices.choose(ada, {"token": False})
    assert deliver(days=24) == []


def test_a_token_of_a_team_concerns_its_owners_and_no_former_member_who_created_it(ada, deliver):
    lab = members.create_team(user=ada, name="Ward Lab", handle="ward-lab")
    roles = {"owner@example.org": Role.OWNER, "member@example.org": Role.MEMBER, "former@example.org": None}
    for email, role in roles.items():
        person = verify(make_user(email))
        if role:
            Membership.objects.create(team=lab, user=person, role=role)
        else:
            create_token(user=person, name="nightly CI", days=30, team=lab)
    letters = deliver(days=24)
    assert sorted(letter.to[0] for letter in letters) == [ada.email, "owner@example.org"]
    assert letters[0].subject == "[Wardboard] An API token of your team expires soon"
    assert "“nightly CI” of the team “Ward Lab”" in letters[0].body
    assert deliver(days=25) == []
