"""Submitting for a team, and the lists and pages of its submissions."""

import pytest
from django.urls import reverse

from leaderboard.models import Submission
from leaderboard.services.teams import members
from tests.support.addresses import SUBMIT
from tests.support.factories import make_form_facts

pytestmark = pytest.mark.django_db


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
