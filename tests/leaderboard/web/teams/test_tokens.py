"""Tokens of a team on the page of tokens: owners create and revoke them, members see them."""

import pytest
from django.urls import reverse

from leaderboard.models import ApiToken, Role
from leaderboard.services.accounts import create_token
from leaderboard.services.teams import members

pytestmark = pytest.mark.django_db
TOKENS = reverse("web:tokens")
FORM = {"name": "nightly CI", "days": "90", "scopes": ["submit", "read"]}


def revoke(client, token):
    return client.post(reverse("web:revoke", args=[token.token_key]), follow=True).text


def test_an_owner_creates_a_token_for_the_team_which_everyone_in_it_sees(ada, grace, eve, lab, colleague):
    page = ada.post(TOKENS, {**FORM, "team": "ward-lab"}).text
    token = ApiToken.objects.get()
    assert (token.team, "Your new token" in page) == (lab, True)
    address = reverse("web:revoke", args=[token.token_key])
    for client, sees, revokes in ((ada, True, True), (grace, True, False), (eve, False, False)):
        page = client.get(TOKENS).text
        assert ("Tokens of Ward Lab" in page, "nightly CI" in page.partition("<table")[2]) == (sees, sees)
        assert (address in page) == revokes


def test_a_token_is_ones_own_without_a_team_or_where_one_owns_none(ada, grace, eve, colleague):
    ada.post(TOKENS, {**FORM, "team": ""})
    assert "nightly CI" not in grace.get(TOKENS).text.partition("<table")[2]
    # The form of someone who owns no team has no such field.
    for client in (grace, eve):
        client.post(TOKENS, {**FORM, "team": "ward-lab"})
    assert set(ApiToken.objects.values_list("team", flat=True)) == {None}
    members.create_team(user=colleague, name="Other", handle="other")
    refused = grace.post(TOKENS, {**FORM, "team": "ward-lab"})
    assert (refused.status_code, 'id="id_team_error"' in refused.text) == (422, True)


def test_every_owner_revokes_a_token_of_the_team_and_nobody_else_does(ada, grace, eve, lab, user, colleague):
    # Whoever created it.
    token, _text = create_token(user=colleague, name="nightly CI", days=30, team=lab)
    for client in (grace, eve):
        assert "You have no such token" in revoke(client, token)
    assert ApiToken.objects.filter(pk=token.pk).exists()
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    assert "Revoked" in revoke(grace, token)
    assert not ApiToken.objects.exists()
