"""The page of trusted publishers: owners add and remove them, members see them, others do not."""

import pytest
from django.urls import reverse

from leaderboard.models import ApiToken, AuditEvent, Role, TrustedPublisher
from leaderboard.services.accounts import personal_team
from leaderboard.services.teams import members
from tests.support.ci_issuer import make_ci_job, make_publisher

pytestmark = pytest.mark.django_db
PAGE = reverse("web:publishers")
GITHUB = "https://token.actions.githubusercontent.com"
FORM = {"issuer": GITHUB, "repository": "example-lab/agent", "workflow": "release.yml"}


def remove(client, publisher):
    return client.post(reverse("web:remove-publisher", args=[publisher.pk]))


def test_a_person_adds_a_publisher_and_gets_the_lines_for_the_workflow(ada, user, settings):
    response = ada.post(PAGE, FORM, follow=True)
    publisher = TrustedPublisher.objects.get()
    assert (publisher.team, publisher.workflow) == (personal_team(user), ".github/workflows/release.yml")
    assert (publisher.is_bound, publisher.added_by) == (False, user)
    page = response.text
    assert "waiting for its first job" in page
    assert f"WARDBOARD_PUBLISHER: {publisher.pk}\n" in page
    assert f"WARDBOARD_URL: {settings.SITE_URL}\n" in page
    assert "<details open>" in page
    event = AuditEvent.objects.get(action=AuditEvent.Action.PUBLISHER_ADDED)
    assert (event.actor, event.data["publisher"]) == (user, str(publisher.pk))
    assert "example-lab" not in str(event.data)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"repository": "https://github.com/example-lab/agent"}, "repository"),
        ({"repository": "agent"}, "repository"),
        ({"workflow": "release"}, "workflow"),
        ({"workflow": "ci/release.yml"}, "workflow"),
        ({"workflow": "../../release.yml"}, "workflow"),
        ({"repository_id": "no id"}, "repository_id"),
        ({"issuer": "https://evil.example.org"}, "issuer"),
    ],
)
def test_an_invalid_value_is_refused_beside_its_field(ada, wrong, field):
    response = ada.post(PAGE, {**FORM, **wrong})
    assert response.status_code == 422
    assert f'id="id_{field}_error"' in response.text
    assert not TrustedPublisher.objects.exists()


def test_an_owner_adds_one_for_the_team_which_members_see_and_strangers_do_not(
    ada, grace, eve, lab, colleague
):
    ada.post(PAGE, {**FORM, "team": "ward-lab"})
    publisher = TrustedPublisher.objects.get()
    assert publisher.team == lab
    address = reverse("web:remove-publisher", args=[publisher.pk])
    for client, sees, changes in ((ada, True, True), (grace, True, False), (eve, False, False)):
        page = client.get(PAGE).text
        assert (str(publisher.pk) in page, address in page) == (sees, changes)


def test_members_and_strangers_add_none_for_the_team(grace, eve, colleague):
    for client in (grace, eve):
        client.post(PAGE, {**FORM, "team": "ward-lab"})
    # The form of someone who owns no team has no such field: these are their own.
    publishers = TrustedPublisher.objects.all()
    assert len(publishers) == 2
    assert all(publisher.team.owner_alone for publisher in publishers)


def test_owners_remove_a_publisher_of_the_team_and_nobody_else_does(ada, grace, eve, lab, user, colleague):
    publisher = make_publisher(user, team=lab)
    assert remove(eve, publisher).status_code == 404
    remove(grace, publisher)
    assert TrustedPublisher.objects.exists()
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    assert "Removed" in grace.post(reverse("web:remove-publisher", args=[publisher.pk]), follow=True).text
    assert not TrustedPublisher.objects.exists()
    assert AuditEvent.objects.filter(action=AuditEvent.Action.PUBLISHER_REMOVED).count() == 1
    assert remove(ada, publisher).status_code == 404


def test_closing_a_team_ends_its_publishers_and_the_tokens_of_their_jobs(lab, user):
    make_ci_job(user, team=lab)
    members.close(team=lab, by=user)
    assert not TrustedPublisher.objects.exists()
    assert not ApiToken.objects.exists()


def test_a_publisher_of_an_issuer_that_is_accepted_no_more_says_so(ada, user):
    make_publisher(user, issuer="https://ci.example.org")
    page = ada.get(PAGE).text
    assert "no longer accepted" in page
    assert "Lines for the workflow" not in page


def test_a_visitor_is_led_to_sign_in(client):
    assert client.get(PAGE).status_code == 302
