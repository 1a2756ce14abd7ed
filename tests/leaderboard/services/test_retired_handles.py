"""The short name of a team that ended stays reserved if results of the team were on a leaderboard."""

import pytest
from django.core.serializers import serialize
from django.test import Client

from leaderboard.models import RetiredHandle, Team
from leaderboard.services.delete_account import delete_account
from leaderboard.services.errors import WrongState
from leaderboard.services.files.store import store_file
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.submissions.request import SubmissionRequest
from leaderboard.services.submissions.submit import submit
from leaderboard.services.teams import members
from leaderboard.services.teams.handles import digests_of
from tests.support.factories import make_demo, make_facts, make_user

pytestmark = pytest.mark.both_databases


@pytest.fixture
def stranger(db):
    return make_user("stranger@example.org")


def send_for(team, person, file):
    request = SubmissionRequest(
        user=person, team=team, board=make_demo(), file=store_file([file]), facts=make_facts()
    )
    return submit(request).submission


def publish_for(team, person, file):
    submission = send_for(team, person, file)
    publish(submission_id=submission.pk, team=team, by=person)
    return submission


def take(person):
    return members.create_team(user=person, name="Ward Lab", handle="ward-lab")


@pytest.mark.parametrize("how", ["closed", "account deleted"])
def test_nobody_takes_the_short_name_of_a_team_that_published(lab, user, stranger, good_file, how):
    publish_for(lab, user, good_file)
    delete_account(user) if how == "account deleted" else members.close(team=lab, by=user)
    with pytest.raises(WrongState, match="has used this short name"):
        take(stranger)
    # The refusal leaves no team behind.
    assert members.shared_teams(stranger) == []


def test_the_short_name_of_a_team_that_never_published_is_free(lab, user, stranger, good_file):
    send_for(lab, user, good_file)
    members.close(team=lab, by=user)
    assert take(stranger).handle == "ward-lab"
    assert not RetiredHandle.objects.exists()


def test_a_withdrawn_result_keeps_the_short_name_reserved(lab, user, stranger, good_file):
    submission = publish_for(lab, user, good_file)
    withdraw(submission_id=submission.pk, team=lab, by=user, reason="a mistake")
    members.close(team=lab, by=user)
    with pytest.raises(WrongState):
        take(stranger)


def test_a_team_that_handed_its_published_system_over_keeps_its_short_name(lab, user, stranger, good_file):
    submission = publish_for(lab, user, good_file)
    other = members.create_team(user=user, name="Other", handle="other")
    members.hand_over_system(system_id=submission.system_id, to=other, by=user)
    members.close(team=lab, by=user)
    with pytest.raises(WrongState):
        take(stranger)


def test_a_team_that_handed_an_unpublished_system_over_frees_its_short_name(lab, user, stranger, good_file):
    submission = send_for(lab, user, good_file)
    other = members.create_team(user=user, name="Other", handle="other")
    members.hand_over_system(system_id=submission.system_id, to=other, by=user)
    publish(submission_id=submission.pk, team=other, by=user)
    members.close(team=lab, by=user)
    assert take(stranger).handle == "ward-lab"


def test_of_a_reserved_short_name_a_keyed_digest_alone_is_kept(lab, user, good_file, settings):
    publish_for(lab, user, good_file)
    delete_account(user)
    assert "ward" not in serialize("json", [*RetiredHandle.objects.all(), *Team.objects.all()])
    # Without the key, nobody can try short names.
    settings.SECRET_KEY = "another key" * 4
    assert RetiredHandle.objects.get().digest not in digests_of("ward-lab")


def test_a_short_name_stays_reserved_when_the_secret_key_is_replaced(
    lab, user, stranger, good_file, settings
):
    publish_for(lab, user, good_file)
    members.close(team=lab, by=user)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key" * 4
    with pytest.raises(WrongState):
        take(stranger)


def test_the_form_of_a_new_team_names_the_short_name_that_is_reserved(lab, user, stranger, good_file):
    publish_for(lab, user, good_file)
    members.close(team=lab, by=user)
    client = Client()
    client.force_login(stranger)
    page = client.post("/account/teams/", {"name": "Ward Lab"})
    assert page.status_code == 422
    assert "A team that ended has used the short name “ward-lab”" in page.text
