"""Pages of trusted publishers and tokens: owners add and remove them, members see them, others do not."""

import pytest
from django.urls import reverse

from leaderboard.models import ApiToken, AuditEvent, Role, TrustedPublisher
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.errors import WrongState
from leaderboard.services.teams import members
from leaderboard.services.trusted_publishing import publishers
from tests.support.ci_issuer import make_publisher

pytestmark = pytest.mark.django_db
PAGE = reverse("web:publishers")
GITHUB = "https://token.actions.githubusercontent.com"
FORM = {"issuer": GITHUB, "repository": "example-lab/agent", "workflow": "release.yml"}


def remove(client, publisher, **options):
    return client.post(reverse("web:remove-publisher", args=[publisher.pk]), **options)


def test_a_person_adds_a_publisher_and_gets_the_lines_for_the_workflow(ada, user, settings):
    response = ada.post(PAGE, FORM, follow=True)
    publisher = TrustedPublisher.objects.get()
    assert (publisher.team, publisher.workflow) == (personal_team(user), ".github/workflows/release.yml")
    assert (publisher.is_bound, publisher.added_by) == (False, user)
    page = response.text
    assert "waiting for its first job" in page
    assert f"WARDBOARD_PUBLISHER: {publisher.pk}\n" in page
    assert f"WARDBOARD_URL: {settings.SITE_URL}\n" in page
    assert "--fail-under 0.80\n" in page
    assert "<details open>" in page
    event = AuditEvent.objects.get(action=AuditEvent.Action.PUBLISHER_ADDED)
    assert (event.actor, event.data["publisher"]) == (user, str(publisher.pk))
    assert "example-lab" not in str(event.data)


def test_an_invalid_value_is_refused_beside_its_field(ada, user, other_user, monkeypatch):
    for field, value in (
        ("repository", "https://github.com/example-lab/agent"),
        ("repository", "agent"),
        ("workflow", "release"),
        ("workflow", "ci/release.yml"),
        ("workflow", "../../release.yml"),
        ("repository_id", "no id"),
        ("environment", "a\nb"),
        ("issuer", "https://evil.example.org"),
    ):
        response = ada.post(PAGE, {**FORM, field: value})
        assert (response.status_code, f'id="id_{field}_error"' in response.text) == (422, True), value
    assert not TrustedPublisher.objects.exists()
    ada.post(PAGE, FORM)
    assert "has this publisher already" in ada.post(PAGE, FORM).text
    monkeypatch.setattr(publishers, "_MOST", 1)
    refused = ada.post(PAGE, {**FORM, "environment": "production"})
    assert (refused.status_code, "the most that it may have" in refused.text) == (409, True)
    assert TrustedPublisher.objects.count() == 1
    theirs = TrustedPublisher(team=personal_team(other_user), added_by=user, **FORM)
    with pytest.raises(WrongState, match="Only owners"):
        publishers.add_publisher(theirs)


def test_an_owner_adds_one_for_the_team_which_members_see_and_strangers_do_not(
    ada, grace, eve, lab, colleague
):
    ada.post(PAGE, {**FORM, "team": "ward-lab"})
    publisher = TrustedPublisher.objects.get(team=lab)
    address = reverse("web:remove-publisher", args=[publisher.pk])
    for client, sees, changes in ((ada, True, True), (grace, True, False), (eve, False, False)):
        page = client.get(PAGE).text
        assert (str(publisher.pk) in page, address in page) == (sees, changes)
    # The form of someone who owns no team has no such field: these are their own.
    for client in (grace, eve):
        client.post(PAGE, {**FORM, "team": "ward-lab"})
    others = TrustedPublisher.objects.exclude(pk=publisher.pk)
    assert len(others) == 2
    assert all(other.team.owner_alone for other in others)


def test_owners_remove_a_publisher_of_the_team_and_nobody_else_does(ada, grace, eve, lab, user, colleague):
    publisher = make_publisher(user, team=lab)
    assert remove(eve, publisher).status_code == 404
    remove(grace, publisher)
    assert TrustedPublisher.objects.exists()
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    assert "Removed" in remove(grace, publisher, follow=True).text
    assert not TrustedPublisher.objects.exists()
    assert AuditEvent.objects.filter(action=AuditEvent.Action.PUBLISHER_REMOVED).count() == 1
    assert remove(ada, publisher).status_code == 404


def test_a_publisher_of_an_issuer_that_is_accepted_no_more_says_so(ada, user, client):
    assert client.get(PAGE)["Location"].startswith("/accounts/login/")
    make_publisher(user, issuer="https://ci.example.org")
    page = ada.get(PAGE).text
    assert "no longer accepted" in page
    assert "Lines for the workflow" not in page


TOKENS = reverse("web:tokens")

NEW_TOKEN = {"name": "nightly CI", "days": "90", "scopes": ["submit", "read"]}


def revoke(client, token):
    return client.post(reverse("web:revoke", args=[token.token_key]), follow=True).text


def test_an_owner_creates_a_token_for_the_team_which_everyone_in_it_sees(ada, grace, eve, lab, colleague):
    page = ada.post(TOKENS, {**NEW_TOKEN, "team": "ward-lab"}).text
    token = ApiToken.objects.get()
    assert (token.team, "Your new token" in page) == (lab, True)
    address = reverse("web:revoke", args=[token.token_key])
    for client, sees, revokes in ((ada, True, True), (grace, True, False), (eve, False, False)):
        page = client.get(TOKENS).text
        assert ("Tokens of Ward Lab" in page, "nightly CI" in page.partition("<table")[2]) == (sees, sees)
        assert (address in page) == revokes


def test_a_token_is_ones_own_without_a_team_or_where_one_owns_none(ada, grace, eve, colleague):
    ada.post(TOKENS, {**NEW_TOKEN, "team": ""})
    assert "nightly CI" not in grace.get(TOKENS).text.partition("<table")[2]
    # The form of someone who owns no team has no such field.
    for client in (grace, eve):
        client.post(TOKENS, {**NEW_TOKEN, "team": "ward-lab"})
    assert set(ApiToken.objects.values_list("team", flat=True)) == {None}
    members.create_team(user=colleague, name="Other", handle="other")
    refused = grace.post(TOKENS, {**NEW_TOKEN, "team": "ward-lab"})
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
