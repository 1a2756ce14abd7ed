"""A member of a team submits for it with a token of their own."""

import json

import pytest

import wardboard as library
from leaderboard.models import Role, Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.teams import invitations, members
from tests.support.cli import wardboard
from tests.support.factories import get_board, get_user, make_user
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

GOOD = demo.GOOD


@pytest.fixture
def lab(service):
    """A team of several people whose owner has the token of the job."""
    return members.create_team(user=get_user("ci@example.org"), name="Ward Lab", handle="ward-lab")


def test_an_option_or_a_variable_names_the_team_that_submits(lab, submit, monkeypatch):
    code, out, err = submit(GOOD, "--team", "ward-lab", "--publish", "--fail-under", "0.80")
    assert (code, err) == (0, "")
    assert Submission.objects.get().team == lab
    monkeypatch.setenv("WARDBOARD_TEAM", "ward-lab")
    # The same bytes of the same team, and so the same submission.
    code, out, _ = submit(GOOD, "--json")
    assert (code, json.loads(out)["team"]) == (0, "Ward Lab")
    assert Submission.objects.count() == 1


def test_a_status_needs_no_team(lab, submit):
    submit(GOOD, "--team", "ward-lab")
    code, out, _ = wardboard("status", Submission.objects.get().pk, "--json")
    assert (code, json.loads(out)["team"]) == (0, "Ward Lab")


def test_a_team_that_the_account_is_not_in_is_refused_with_its_own_teams(lab, submit):
    members.create_team(user=make_user("eve@example.org"), name="Other Lab", handle="other-lab")
    for handle in ("other-lab", "no-such-team"):
        code, out, err = submit(GOOD, "--team", handle)
        assert code == ExitCode.REFUSED
        assert f"You are not in a team with the short name “{handle}”." in err
        assert "Your teams: ward-lab." in out
    assert not Submission.objects.exists()


def test_the_quota_is_that_of_the_team(lab, submit, monkeypatch):
    board = get_board("medagentbench-demo")
    board.daily_limit = 5
    board.save()
    colleague = make_user("bo@example.org")
    invitation = invitations.invite(
        team=lab, by=get_user("ci@example.org"), email="bo@example.org", role=Role.MEMBER
    )
    invitations.accept(token=invitations.token_for(invitation), user=colleague)
    with monkeypatch.context() as job:
        job.setenv("WARDBOARD_TOKEN", create_token(user=colleague, name="t", days=1)[1])
        submit(GOOD, "--team", "ward-lab")
    assert Submission.objects.get().submitted_by == colleague
    assert "4 of 5 files left" in wardboard("quota", board.slug, "--team", "ward-lab")[1]
    assert "5 of 5 files left" in wardboard("quota", board.slug)[1]


def test_the_teams_of_a_token_are_listed(lab):
    code, out, _ = wardboard("token")
    assert code == 0
    assert "--team ward-lab: Ward Lab (owner)" in out


def test_the_python_function_submits_for_a_team(lab, monkeypatch):
    facts = {"benchmark": "medagentbench-demo", "system": "My agent", "models": ["m"]}
    assert library.submit(GOOD, team="ward-lab", **facts).document["team"] == "Ward Lab"
    monkeypatch.setenv("WARDBOARD_TEAM", "ward-lab")
    assert library.submit(GOOD, **facts).document["team"] == "Ward Lab"
    # One's own, whatever the variable says.
    assert library.submit(GOOD, team="", **facts).document["team"] != "Ward Lab"
