"""The page of an invitation, for visitors, people with an account, and members."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import Membership, Role, TeamInvitation
from leaderboard.services.teams import invitations, members
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.fixture
def invitation(lab, user):
    user.first_name = "Ada Lab"
    user.save()
    return invitations.invite(team=lab, by=user, email="new@example.org", role=Role.MEMBER)


@pytest.fixture
def link(invitation) -> str:
    return reverse("web:join-team", args=[invitations.token_for(invitation)])


def test_a_visitor_sees_who_invites_to_which_team_and_comes_back_after_signing_in(visitor, link, other_user):
    page = visitor.get(link).text
    assert "Ada Lab invites you" in page
    assert "Ward Lab" in page
    # Neither the invited address nor that of the inviter, who has a name.
    assert "new@example.org" not in page
    assert "ada@example.org" not in page
    sign_in = re.search(r'href="(/accounts/login/\?next=[^"]+)"', page)[1]
    assert visitor.post(link)["Location"].startswith("/accounts/login/?next=")
    back = visitor.post(sign_in, {"login": other_user.email, "password": PASSWORD})
    assert back["Location"] == link
    assert "You join as <strong>grace@example.org</strong>" in visitor.get(link).text


def test_whoever_signs_up_by_a_link_comes_back_to_it_and_joins(visitor, link, lab):
    entrance = re.search(r'href="(/accounts/signup/\?next=[^"]+)"', visitor.get(link).text)[1]
    kept = re.search(r'name="next"[^>]*value="([^"]+)"', visitor.get(entrance).text)[1]
    typed = {"email": "n@lab.org", "password1": PASSWORD, "name": "New Person", "next": kept}
    assert visitor.post("/accounts/signup/", typed)["Location"] == link
    joined = visitor.post(link, follow=True)
    assert joined.redirect_chain == [("/account/teams/ward-lab/", 302)]
    assert "You are in the team Ward Lab." in joined.text
    assert Membership.objects.get(user__email="n@lab.org", team=lab).role == Role.MEMBER
    assert not TeamInvitation.objects.exists()


def test_nothing_of_a_link_is_stored_indexed_or_sent_to_other_sites(visitor, link, invitation):
    answers = [visitor.get(link), visitor.head(link)]
    TeamInvitation.objects.all().delete()
    answers.append(visitor.get(link))
    for answer in answers:
        assert "no-store" in answer["Cache-Control"]
        assert answer["Referrer-Policy"] == "same-origin"
        assert "noindex" in answer["X-Robots-Tag"]


def test_used_and_forged_links_answer_404_with_one_page(visitor, grace, link):
    grace.post(link)
    forged = reverse("web:join-team", args=["no-such-token"])
    answers = [visitor.get(link), visitor.post(link), visitor.get(forged)]
    assert {answer.status_code for answer in answers} == {404}
    assert all("Ask an owner of the team for another." in answer.text for answer in answers)
    assert not any("Ward Lab" in answer.text for answer in answers)


def test_a_form_of_another_site_makes_nobody_join(link, other_user, lab):
    client = Client(enforce_csrf_checks=True)
    client.force_login(other_user)
    assert client.post(link, headers={"Origin": "https://evil.example"}).status_code == 403
    assert members.shared_teams(other_user) == []
