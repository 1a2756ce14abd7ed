"""The short name of a team that ended stays reserved if results of the team were on a leaderboard."""

import pytest
from django.core.exceptions import ValidationError
from django.core.serializers import serialize

from leaderboard.models import RetiredHandle, Team
from leaderboard.services.delete_account import delete_account
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.teams import members
from leaderboard.services.teams.members import digests_of
from tests.support.factories import client_of, make_demo, make_published, make_scored, make_user

pytestmark = pytest.mark.both_databases


@pytest.fixture
def stranger(db):
    return make_user("stranger@example.org")


@pytest.fixture
def result(lab, user, good_file):
    """A result of the team that is not published."""
    return make_scored(user, make_demo(), good_file, team=lab)


def take(person):
    return members.create_team(user=person, name="Ward Lab", handle="ward-lab")


@pytest.mark.parametrize("how", ["closed", "account deleted", "withdrawn", "other key"])
def test_nobody_takes_the_short_name_of_a_team_that_published(lab, user, result, stranger, settings, how):
    publish(submission_id=result.pk, team=lab, by=user)
    if how == "withdrawn":
        withdraw(submission_id=result.pk, team=lab, by=user, reason="a mistake")
    delete_account(user) if how == "account deleted" else members.close(team=lab, by=user)
    if how == "other key":
        settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key" * 4
    with pytest.raises(ValidationError, match="A team that ended has used the short name"):
        take(stranger)
    # The refusal leaves no team behind.
    assert members.shared_teams(stranger) == []
    client = client_of(stranger)
    page = client.post("/account/teams/", {"name": "Ward Lab"})
    assert page.status_code == 422
    assert "A team that ended has used the short name “ward-lab”" in page.text


def test_the_short_name_of_a_team_that_never_published_is_free(lab, user, result, stranger):
    members.close(team=lab, by=user)
    assert take(stranger).handle == "ward-lab"
    assert not RetiredHandle.objects.exists()


def test_of_a_reserved_short_name_a_keyed_digest_alone_is_kept(lab, user, good_file, settings):
    make_published(user, make_demo(), good_file, team=lab)
    delete_account(user)
    assert "ward" not in serialize("json", [*RetiredHandle.objects.all(), *Team.objects.all()])
    # Without the key, nobody can try short names.
    settings.SECRET_KEY = "another key" * 4
    assert RetiredHandle.objects.get().digest not in digests_of("ward-lab")
