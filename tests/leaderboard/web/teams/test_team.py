"""The list of teams, the page of a team and its submissions: what owners, members and others see and do."""

import re

import pytest
from django.core import mail
from django.urls import reverse

from leaderboard.models import Membership, Role, Submission, TeamInvitation
from leaderboard.services.notifications.send import notify
from leaderboard.services.teams import invitations, members
from tests.support.addresses import SUBMIT
from tests.support.factories import make_form_facts

pytestmark = pytest.mark.django_db
TEAMS, TEAM = reverse("web:teams"), reverse("web:team", args=["ward-lab"])


@pytest.fixture
def with_mail(settings):
    settings.NOTIFIES = True


def act(client, do, **fields):
    return client.post(TEAM, {"do": do, **fields})


def test_a_team_that_cannot_be_created_keeps_what_was_typed(ada, lab):
    for typed, error in (
        ({"name": ""}, "id_name_error"),
        ({"name": "臨床實驗室"}, "No short name can be made"),
        ({"name": "Other", "handle": "Not A Handle"}, "Use 3 to 40 characters"),
        ({"name": "Other", "handle": "ward-lab"}, "Another team has the short name"),
    ):
        page = ada.post(TEAMS, typed)
        assert (page.status_code, error in page.text) == (422, True), typed
        for text in filter(None, typed.values()):
            assert f'value="{text}"' in page.text


def test_strangers_and_former_members_get_404_for_every_form_of_a_team(ada, grace, eve, lab, user, colleague):
    members.remove(team=lab, by=user, member=colleague.pk)
    answers = [eve.get(TEAM), grace.get(TEAM)]
    for do in ("invite", "role", "remove", "rename", "close"):
        answers += [act(client, do, name="Mine", email="x@example.org") for client in (eve, grace)]
    assert {answer.status_code for answer in answers} == {404}
    # The same answer as for a team that does not exist.
    nowhere = eve.get(reverse("web:team", args=["no-such-team"])).text.partition("<main")[2]
    assert eve.get(TEAM).text.partition("<main")[2] == nowhere.replace("no-such-team", "ward-lab")
    assert act(ada, "no-such-form").status_code == 404


def test_a_member_sees_who_is_in_the_team_and_no_control_of_owners(ada, grace, user, colleague):
    invitations.invite(
        team=Membership.objects.get(user=colleague).team, by=user, email="n@x.org", role=Role.OWNER
    )
    page, owners = grace.get(TEAM).text, ada.get(TEAM).text
    assert user.email in page
    owners_only = [f'value="{do}"' for do in ("invite", "revoke", "role", "rename", "close")]
    for control in (*owners_only, "n@x.org", "/teams/join/"):
        assert (control in page, control in owners) == (False, True)
    # Of the people, only themselves.
    assert re.findall(r'name="member" value="(\d+)"', page) == [str(colleague.pk)]
    assert act(grace, "remove", member=user.pk).status_code == 409
    left = act(grace, "remove", member=colleague.pk)
    assert left["Location"] == TEAMS
    assert "You have left Ward Lab." in grace.get(TEAMS).text


def test_an_invited_person_gets_an_email_with_the_link_that_the_owner_can_copy(ada, lab, with_mail):
    page = ada.post(TEAM, {"do": "invite", "email": "New@Example.org", "role": "owner"}, follow=True).text
    assert "new@example.org is invited. We send the link within a minute" in page
    assert mail.outbox == []
    notify()
    [email] = mail.outbox
    path = re.search(r"http://\S+?(/teams/join/\S+)", email.body)[1]
    page = ada.get(TEAM).text
    assert (email.to, path in page) == (["new@example.org"], True)
    assert TeamInvitation.objects.get().role == Role.OWNER


def test_no_name_makes_a_link_in_an_email_to_strangers(ada, user, lab, with_mail):
    members.rename(team=lab, by=user, name="You won: see http://evil.example/x or www.evil.example")
    user.first_name = "Dr. Eve.Evil/evil.example"
    user.save()
    act(ada, "invite", email="bo@example.org", role="member")
    notify()
    body = mail.outbox[-1].body
    assert "Dr. Eve Evil evil example invites you" in body
    assert "“You won: see http evil example x or www evil example”" in body


@pytest.mark.both_databases
def test_an_address_to_which_no_email_can_be_sent_is_refused_at_the_form(ada, lab):
    for address, error in (
        ("\u017fam@example.org", "Enter a valid email address"),
        # Its lower case is the letter k.
        ("\u212aim@example.org", "Enter a valid email address"),
        # In lower case it is longer than the column.
        (f"a@{'.'.join(3 * ['İ' * 60])}.org", "at most 254"),
    ):
        page = act(ada, "invite", email=address, role="member")
        assert (page.status_code, error in page.text) == (422, True), address
    assert not TeamInvitation.objects.exists()


def test_another_teams_invitation_is_not_revoked_from_ones_own_team(ada, lab, colleague):
    other = members.create_team(user=colleague, name="Other", handle="other")
    theirs = invitations.invite(team=other, by=colleague, email="n@example.org", role=Role.MEMBER)
    assert act(ada, "revoke", invitation=theirs.pk).status_code == 404
    assert TeamInvitation.objects.get() == theirs


def submit_for(client, upload, raw, team, **facts):
    return client.post(SUBMIT, {"file": upload(raw), "team": team, **make_form_facts(**facts)})


def test_a_file_is_submitted_for_the_chosen_team_and_its_members_publish_it(
    ada, grace, eve, lab, colleague, demo, good_file, upload
):
    submit_for(ada, upload, good_file, "ward-lab")
    submission = Submission.objects.get()
    assert submission.team == lab
    page = reverse("web:submission", args=[submission.pk])
    assert 'href="/account/teams/ward-lab/">Ward Lab</a>' in grace.get(page).text
    assert eve.get(page).status_code == 404
    grace.post(reverse("web:publish", args=[submission.pk]))
    submission.refresh_from_db()
    assert submission.is_published
    # Who submitted it is for the team alone.
    assert "Submitted by" in ada.get(page).text
    assert "Submitted by" not in eve.get(page).text


def test_a_file_for_a_team_of_others_is_refused(ada, colleague, grace, user, lab, demo, good_file, upload):
    members.create_team(user=colleague, name="Other", handle="other")
    refused = submit_for(ada, upload, good_file, "other")
    assert (refused.status_code, "You are not in a team with the short name “other”." in refused.text) == (
        422,
        True,
    )
    assert not Submission.objects.exists()
