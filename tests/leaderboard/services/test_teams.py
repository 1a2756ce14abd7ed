"""Teams of several people, as services: members, invitations, tokens and limits."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.utils import timezone

from leaderboard.models import (
    ApiToken,
    AuditEvent,
    BoardEvent,
    Membership,
    Role,
    Standing,
    Status,
    Submission,
    TeamInvitation,
    TrustedPublisher,
    User,
)
from leaderboard.services.accounts import create_token, revoke_all_tokens
from leaderboard.services.delete_account import delete_account
from leaderboard.services.errors import NotFound, QuotaSpent, WrongState
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.submissions import quotas
from leaderboard.services.teams import invitations, members
from tests.support.ci_issuer import make_ci_job
from tests.support.factories import make_demo, make_published, make_user, send, with_wrong

pytestmark = pytest.mark.both_databases


def test_a_short_name_that_is_taken_or_that_requests_could_not_use_is_refused(lab, user, other_user):
    for handle in ("", "ab", "Ward-Lab", "-ward", "ward--lab", "ward lab", "w\0d", "w" * 41):
        with pytest.raises(ValidationError, match="3 to 40 characters"):
            members.create_team(user=user, name="Ward Lab", handle=handle)
    with pytest.raises(ValidationError, match="Another team"):
        members.create_team(user=other_user, name="Other", handle="ward-lab")


def test_an_account_owns_a_bounded_number_of_teams(lab, user, settings):
    settings.TEAMS_PER_ACCOUNT = 1
    with pytest.raises(WrongState, match="You own 1 teams"):
        members.create_team(user=user, name="Second", handle="second")


def test_an_expired_a_revoked_and_a_forged_link_let_nobody_join(lab, user, other_user):
    invitation = invitations.invite(team=lab, by=user, email="bo@example.org", role=Role.MEMBER)
    token = invitations.token_for(invitation)
    for forged in (f"{token}x", token.partition(":")[0], invitation.key.hex, "", "\0", f"{invitation.pk}:x"):
        with pytest.raises(NotFound):
            invitations.accept(token=forged, user=other_user)
    TeamInvitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(NotFound):
        invitations.accept(token=token, user=other_user)
    again = invitations.invite(team=lab, by=user, email="bo@example.org", role=Role.MEMBER)
    invitations.revoke(team=lab, by=user, invitation_id=again.pk)
    with pytest.raises(NotFound):
        invitations.accept(token=invitations.token_for(again), user=other_user)
    assert members.shared_teams(other_user) == []


def test_a_new_invitation_of_an_address_ends_the_link_before_it(lab, user, other_user):
    first = invitations.token_for(
        invitations.invite(team=lab, by=user, email="bo@example.org", role=Role.MEMBER)
    )
    invitations.invite(team=lab, by=user, email="BO@example.org", role=Role.OWNER)
    with pytest.raises(NotFound):
        invitations.accept(token=first, user=other_user)
    assert [row.role for row in invitations.open_invitations(team=lab)] == [Role.OWNER]


def test_whom_a_person_may_invite_and_how_many(lab, user, colleague, monkeypatch, settings):
    def refusal(email) -> str:
        with pytest.raises(WrongState) as refused:
            invitations.invite(team=lab, by=user, email=email, role=Role.MEMBER)
        return str(refused.value)

    assert "is in the team already" in refusal(colleague.email)
    settings.VERIFIES_EMAIL = True
    assert "Verify your email address first" in refusal("a@example.org")
    settings.VERIFIES_EMAIL = False
    monkeypatch.setattr(invitations, "MOST_OPEN", 1)
    invitations.invite(team=lab, by=user, email="a@example.org", role=Role.MEMBER)
    assert "1 invitations are open" in refusal("b@example.org")
    # That of the colleague counts too.
    monkeypatch.setattr(invitations, "MOST_A_DAY", 2)
    monkeypatch.setattr(invitations, "MOST_OPEN", 30)
    with pytest.raises(QuotaSpent) as spent:
        invitations.invite(team=lab, by=user, email="c@example.org", role=Role.MEMBER)
    assert 86_000 < spent.value.retry_after <= 86_400


def test_members_and_strangers_cannot_do_what_owners_may(lab, user, colleague):
    stranger = make_user("eve@example.org")
    deeds = [
        lambda by: invitations.invite(team=lab, by=by, email="x@example.org", role=Role.MEMBER),
        lambda by: members.rename(team=lab, by=by, name="Mine"),
        lambda by: members.change_role(team=lab, by=by, member=colleague.pk, role=Role.OWNER),
        lambda by: members.remove(team=lab, by=by, member=user.pk),
        lambda by: members.close(team=lab, by=by),
    ]
    for deed in deeds:
        with pytest.raises(WrongState, match="Only an owner"):
            deed(colleague)
        # A stranger does not learn that there is such a team.
        with pytest.raises(NotFound):
            deed(stranger)
    assert Membership.objects.filter(team=lab).count() == 2


def test_the_last_owner_hands_the_team_over_before_leaving(lab, user, colleague):
    with pytest.raises(WrongState, match="needs an owner"):
        members.remove(team=lab, by=user, member=user.pk)
    with pytest.raises(WrongState, match="needs an owner"):
        members.change_role(team=lab, by=user, member=user.pk, role=Role.MEMBER)
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    members.remove(team=lab, by=user, member=user.pk)
    assert members.shared_teams(user) == []
    assert members.is_owner(lab, colleague)


@pytest.mark.parametrize("deed", ["removed", "demoted", "deleted"])
def test_an_owner_who_is_one_no_more_comes_back_by_no_link_seen_before(lab, user, colleague, deed):
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    own = invitations.invite(team=lab, by=colleague, email="alt@example.org", role=Role.OWNER)
    seen = invitations.invite(team=lab, by=user, email="eve@example.org", role=Role.OWNER)
    if deed == "removed":
        members.remove(team=lab, by=user, member=colleague.pk)
    elif deed == "deleted":
        delete_account(colleague)
    else:
        members.change_role(team=lab, by=user, member=colleague.pk, role=Role.MEMBER)
    for invitation in (own, seen):
        with pytest.raises(NotFound):
            invitations.accept(token=invitations.token_for(invitation), user=make_user("alt@example.org"))
        User.objects.filter(email="alt@example.org").delete()


def test_an_invitation_of_an_account_that_was_deactivated_is_open_no_more(lab, user, colleague, monkeypatch):
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    invitation = invitations.invite(team=lab, by=colleague, email="eve@example.org", role=Role.OWNER)
    User.objects.filter(pk=colleague.pk).update(is_active=False)
    with pytest.raises(NotFound):
        invitations.accept(token=invitations.token_for(invitation), user=make_user("eve@example.org"))
    assert not invitations.open_invitations(team=lab).exists()
    # Owners do not see it, so it does not count among the most that a team may have.
    monkeypatch.setattr(invitations, "MOST_OPEN", 1)
    invitations.invite(team=lab, by=user, email="bo@example.org", role=Role.MEMBER)


def test_an_owner_who_cannot_sign_in_does_not_count_as_the_other_owner(lab, user, colleague):
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    User.objects.filter(pk=colleague.pk).update(is_active=False)
    with pytest.raises(WrongState, match="needs an owner"):
        members.remove(team=lab, by=user, member=user.pk)


def test_a_renamed_team_is_renamed_on_its_leaderboards_and_the_log_says_so(lab, user, good_file):
    make_published(user, make_demo(), good_file, team=lab)
    members.rename(team=lab, by=user, name="Ward Laboratory")
    assert Standing.objects.get().team_name == "Ward Laboratory"
    assert words_of(BoardEvent.objects.latest("number")) == "team renamed from “Ward Lab”"


def test_files_count_for_the_team_whoever_sends_them_and_for_who_sends_them_in_each_team(
    lab, user, colleague, good_file
):
    board = make_demo(daily_limit=2)
    send(user, board, good_file, team=lab)
    limits = quotas.allowance(board, lab, colleague, timezone.now()).limits
    assert [limit.used for limit in limits if limit.kind == quotas.LimitKind.DAY] == [1]
    send(colleague, board, with_wrong(good_file, 1), team=lab)
    with pytest.raises(QuotaSpent):
        send(user, board, with_wrong(good_file, 2), team=lab)
    send(user, board, with_wrong(good_file, 3))
    second = members.create_team(user=user, name="Second", handle="second")
    with pytest.raises(QuotaSpent):
        send(user, board, with_wrong(good_file, 4), team=second)


def test_a_token_of_a_team_outlives_its_creator(lab, user, colleague):
    token, _text = create_token(user=colleague, name="ci", days=None, team=lab)
    assert members.acting_user(token) == colleague
    members.remove(team=lab, by=user, member=colleague.pk)
    assert members.acting_user(token) == user
    # A new password ends the tokens of a person, not those of a team.
    revoke_all_tokens(user=colleague)
    assert ApiToken.objects.filter(pk=token.pk).exists()
    delete_account(colleague)
    assert members.acting_user(ApiToken.objects.get(pk=token.pk)) == user


def test_a_closed_team_has_no_tokens_no_members_and_keeps_its_results(lab, user, good_file):
    make_published(user, make_demo(), good_file, team=lab)
    create_token(user=user, name="ci", days=None, team=lab)
    make_ci_job(user, team=lab)
    members.close(team=lab, by=user)
    assert not ApiToken.objects.exists()
    assert not TrustedPublisher.objects.exists()
    assert members.shared_teams(user) == []
    assert Standing.objects.get().team_name == "Ward Lab"


def test_a_team_with_other_members_or_with_files_in_progress_is_not_closed(lab, user, colleague, good_file):
    submission = send(user, make_demo(), good_file, team=lab).submission
    with pytest.raises(WrongState, match="other members"):
        members.close(team=lab, by=user)
    members.remove(team=lab, by=user, member=colleague.pk)
    Submission.objects.filter(pk=submission.pk).update(status=Status.QUEUED, evaluation=None, scored_at=None)
    with pytest.raises(WrongState, match="in progress: cancel"):
        members.close(team=lab, by=user)


def test_the_last_owner_of_a_team_with_members_cannot_delete_the_account(lab, user, colleague):
    with pytest.raises(WrongState, match="only owner of “Ward Lab”"):
        delete_account(user)
    user.refresh_from_db()
    assert user.is_active
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    delete_account(user)
    lab.refresh_from_db()
    assert (lab.name, members.is_owner(lab, colleague)) == ("Ward Lab", True)


def test_a_deleted_account_takes_along_a_team_that_it_was_alone_in(lab, user, good_file):
    board = make_demo()
    make_published(user, board, good_file, team=lab)
    unpublished = send(user, board, with_wrong(good_file, 1), team=lab).submission
    delete_account(user)
    lab.refresh_from_db()
    assert (lab.name, lab.handle) == ("", None)
    assert Standing.objects.get(board=board).team_name == ""
    assert Submission.objects.get(pk=unpublished.pk).status == "cancelled"


def test_the_operator_renames_a_team_and_gives_it_an_owner(lab, user, other_user, capsys):
    call_command("team", "ward-lab", rename="Ward Ω", owner=other_user.email)
    assert members.is_owner(lab, other_user)
    assert capsys.readouterr().out == f"Ward Ω: {user.email}, {other_user.email}\n"
    events = AuditEvent.objects.filter(actor=None).order_by("pk").values_list("action", flat=True)
    assert [*events] == ["team.role-changed", "team.renamed"]


def test_the_operator_renames_the_team_of_a_single_person_which_gets_no_other_owner(user, team, other_user):
    call_command("team", user.email, rename="Ward")
    team.refresh_from_db()
    assert team.name == "Ward"
    for options, refusal in (
        ({"owner": other_user.email}, "Only a team of several people"),
        ({"owner": "no@example.org"}, "has no account"),
        ({"rename": "\u200b"}, "no visible character"),
    ):
        with pytest.raises(CommandError, match=refusal):
            call_command("team", user.email, **options)
    with pytest.raises(CommandError, match="There is no team"):
        call_command("team", "no-lab")
