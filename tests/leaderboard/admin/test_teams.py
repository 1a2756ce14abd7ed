"""Teams in the admin: their members, and the states that no page may create."""

import pytest
from django.test import Client

from leaderboard.models import AuditEvent, Membership, RetiredHandle, Role
from leaderboard.services.teams import handles, members
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(db) -> Client:
    client = Client()
    client.force_login(make_user("staff@example.org", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def lab(user, other_user):
    lab = members.create_team(user=user, name="Ward Lab", handle="ward-lab")
    Membership.objects.create(team=lab, user=other_user)
    return lab


def change(staff, team, *rows, **fields):
    """Send the form of a team with rows of (membership or None, person, role, is_deleted)."""
    data = {"name": team.name, **fields}
    known = [row for row in rows if row[0]]
    data |= {"memberships-TOTAL_FORMS": len(rows), "memberships-INITIAL_FORMS": len(known)}
    for number, (row, person, role, is_deleted) in enumerate(rows):
        part = f"memberships-{number}"
        data |= {f"{part}-team": team.pk, f"{part}-user": person.pk, f"{part}-role": role}
        data |= {f"{part}-id": row.pk} if row else {}
        data |= {f"{part}-DELETE": "on"} if is_deleted else {}
    return staff.post(f"/admin/leaderboard/team/{team.pk}/change/", data)


def test_the_list_shows_short_name_and_members(staff, lab, user, other_user):
    page = staff.get("/admin/leaderboard/team/").text
    assert "ward-lab" in page
    assert f"{user.email}, {other_user.email}" in page
    assert "Ward Lab" in staff.get("/admin/leaderboard/team/?q=ward-lab").text


def test_staff_make_another_owner_and_the_audit_log_says_so(staff, lab, user, other_user):
    owner, member = (Membership.objects.get(team=lab, user=person) for person in (user, other_user))
    new = make_user("new@example.org")
    rows = ((owner, user, "owner", True), (member, other_user, "owner", False), (None, new, "member", False))
    assert change(staff, lab, *rows).status_code == 302
    assert dict(Membership.objects.filter(team=lab).values_list("user__email", "role")) == {
        other_user.email: "owner",
        new.email: "member",
    }
    events = AuditEvent.objects.exclude(action="team.created").values_list("action", "data__user")
    assert set(events) == {
        ("team.member-left", user.pk),
        ("team.role-changed", other_user.pk),
        ("team.member-joined", new.pk),
    }


@pytest.mark.parametrize("is_deleted", [True, False], ids=["removed", "made a member"])
def test_a_team_is_not_left_without_an_owner(staff, lab, user, is_deleted):
    owner = Membership.objects.get(team=lab, user=user)
    other = Membership.objects.exclude(user=user).get()
    rows = ((owner, user, "member", is_deleted), (other, other.user, "member", False))
    refused = change(staff, lab, *rows)
    assert "A team needs an owner" in refused.text
    assert members.is_owner(lab, user)


def test_a_membership_goes_to_no_other_person(staff, lab, user):
    owner = Membership.objects.get(team=lab, user=user)
    change(staff, lab, (owner, make_user("eve@example.org"), "owner", False))
    assert Membership.objects.get(pk=owner.pk).user == user


def test_the_team_of_a_single_person_gets_no_short_name_and_nobody_else(staff, team, other_user):
    row = (None, other_user, Role.OWNER, False)
    change(staff, team, row, handle="mine", owner_alone="", name="Ward")
    team.refresh_from_db()
    assert (team.name, team.handle, team.is_shared) == ("Ward", None, False)
    assert not Membership.objects.filter(team=team, user=other_user).exists()


def test_no_team_without_an_owner_is_added(staff):
    assert staff.get("/admin/leaderboard/team/add/").status_code == 403


def test_staff_find_a_reserved_short_name_and_release_it(staff, user):
    for handle in ("ward-lab", "other-lab"):
        handles.retire(handle)
    listed = staff.get("/admin/leaderboard/retiredhandle/").text
    assert "2 retired short names" in listed
    assert "1 retired short name" in staff.get("/admin/leaderboard/retiredhandle/?q=ward-lab").text
    assert "0 retired short names" in staff.get("/admin/leaderboard/retiredhandle/?q=ward").text
    row = RetiredHandle.objects.get(digest__in=handles.digests_of("ward-lab"))
    assert (
        staff.post(f"/admin/leaderboard/retiredhandle/{row.pk}/delete/", {"post": "yes"}).status_code == 302
    )
    assert [handles.is_retired(handle) for handle in ("ward-lab", "other-lab")] == [False, True]
    members.create_team(user=user, name="Ward Lab", handle="ward-lab")
