"""Submitting for a team, and the lists and pages of its submissions."""

import re

import pytest
from django.urls import reverse

from leaderboard.models import Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.teams import members
from tests.support.addresses import SUBMIT
from tests.support.factories import PASSWORD, make_form_facts, make_scored, with_wrong
from tests.support.factories import send as send_alone

pytestmark = pytest.mark.django_db
LIST = reverse("web:submissions")


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
    assert "Only your team sees it until one of you publishes." in grace.get(page).text
    assert eve.get(page).status_code == 404
    grace.post(reverse("web:publish", args=[submission.pk]))
    submission.refresh_from_db()
    assert submission.is_published
    # Who submitted it is for the team alone.
    assert "Submitted by" in ada.get(page).text
    assert "Submitted by" not in eve.get(page).text


def test_the_form_offers_ones_teams_with_what_each_may_send_and_keeps_the_choice(
    ada, user, lab, demo, good_file, upload
):
    demo.daily_limit = 2
    demo.save()
    send_alone(user, demo, with_wrong(good_file, 1))
    ada.post("/submit/?team=ward-lab", {"file": upload(good_file)})
    page = ada.get("/submit/?team=ward-lab").text
    options = re.findall(r'<option value="([\w-]*)"( selected)?>\s*(.*?)\s*</option>', page, re.DOTALL)
    teams = [(value, bool(chosen), " ".join(text.split())) for value, chosen, text in options[:2]]
    own = personal_team(user).name
    assert teams == [
        ("", False, f"{own}, you alone (1 file left now)"),
        ("ward-lab", True, "Ward Lab (1 file left now)"),
    ]
    # What a person sends counts for each of the teams, so both have one left.
    refused = ada.post("/submit/", {"then": "", "benchmark": demo.slug, "system": "", "team": "ward-lab"})
    assert refused.status_code == 422
    assert '<option value="ward-lab" selected>' in refused.text


def test_a_file_for_a_team_of_others_is_refused(ada, colleague, grace, user, lab, demo, good_file, upload):
    members.create_team(user=colleague, name="Other", handle="other")
    refused = submit_for(ada, upload, good_file, "other")
    assert (refused.status_code, "You are not in a team with the short name “other”." in refused.text) == (
        422,
        True,
    )
    assert not Submission.objects.exists()


def test_the_list_shows_the_submissions_of_all_teams_and_of_one(
    ada, grace, user, lab, demo, good_file, upload
):
    make_scored(user, demo, with_wrong(good_file, 1), system="Alone")
    submit_for(ada, upload, good_file, "ward-lab", system="Together")
    for query, names in {
        "": {"Alone", "Together"},
        "?team=": {"Alone"},
        "?team=ward-lab": {"Together"},
    }.items():
        page = ada.get(LIST + query).text
        assert {name for name in ("Alone", "Together") if name in page} == names
        assert page.count('aria-current="page"') >= 1
        assert '<th scope="col">Team</th>' in page
    assert "Files submitted by your teams" in ada.get(LIST).text
    assert "Files submitted by Ward Lab" in ada.get(f"{LIST}?team=ward-lab").text
    assert grace.get(f"{LIST}?team=ward-lab").status_code == 404


def test_the_page_that_deletes_an_account_names_the_teams_that_lose_it(grace, colleague):
    grace.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = grace.get(reverse("web:delete-account")).text
    assert "your place in these teams" in page
    assert "Ward Lab" in page
