"""Create and rename teams of several people, and change who is in them and what they may do.

Owners invite, remove and promote members, rename the team and manage its tokens. Every member submits,
publishes, withdraws and corrects. A team always has an owner.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from leaderboard.models import (
    ApiToken,
    AuditEvent,
    Membership,
    RetiredHandle,
    Role,
    Status,
    Submission,
    System,
    Team,
    TeamInvitation,
    TrustedPublisher,
    User,
)
from leaderboard.models.submissions import PENDING
from leaderboard.models.teams import HANDLE
from leaderboard.services import audit
from leaderboard.services.accounts import end_token, find_team
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.publishing.standings import update_standings
from leaderboard.services.record.past import is_public
from leaderboard.services.text import has_visible_character, remove_hidden_characters

_HANDLE = re.compile(HANDLE)


def rows_by_team(
    memberships: Sequence[Membership], rows_of: Callable[[Team | None], Sequence[Any]]
) -> list[tuple[Team | None, Sequence[Any], bool]]:
    """Return what belongs to a person and to each of the teams, with whether the person may change it."""
    of_teams = [(row.team, rows_of(row.team), row.role == Role.OWNER) for row in memberships]
    return [(None, rows_of(None), True), *of_teams]


def shared_teams(user: User) -> list[Team]:
    """Return the teams of several people that a person is in, by name."""
    return list(Team.objects.of_member(user).filter(owner_alone=None))


def shared_memberships(user: User) -> list[Membership]:
    """Return the memberships of a person in teams of several people, by the names of the teams."""
    rows = Membership.objects.filter(user=user, team__owner_alone=None).select_related("team")
    return list(rows.order_by("team__name", "team"))


def find_shared(user: User, handle: str) -> Team:
    """Return the team of a person by its short name. Raises NotFound, also for teams of others."""
    # PostgreSQL refuses a NUL character in a query.
    team = Team.objects.of_member(user).filter(handle=handle).first() if _HANDLE.match(handle) else None
    if team is None:
        raise NotFound(_("You are not in a team with the short name “%(handle)s”.") % {"handle": handle[:40]})
    return team


def choose_team(user: User, *, handle: str, system_id: int) -> Team | None:
    """Return a person's team by its short name, else that of a system, else the personal one."""
    if handle:
        return find_shared(user, handle)
    owning = Team.objects.of_member(user).filter(systems=system_id).first() if system_id < 2**63 else None
    return owning or find_team(user)


def acting_user(token: ApiToken) -> User | None:
    """Return who is responsible for a token: its creator, else of a team the first owner; None for nobody."""
    if token.team_id is None:
        return token.user if token.user.is_active else None
    members = Membership.objects.filter(team=token.team_id, user__is_active=True).select_related("user")
    creator = members.filter(user=token.user_id).first()
    answers = creator or members.filter(role=Role.OWNER).order_by("pk").first()
    return answers.user if answers else None


def is_owner(team: Team, user: User) -> bool:
    return Membership.objects.filter(team=team, user=user, role=Role.OWNER).exists()


@transaction.atomic
def create_team(*, user: User, name: str, handle: str) -> Team:
    """Create a team whose first owner is `user`. Raises ValidationError for its handle, and WrongState."""
    # Lock the row, so that simultaneous requests are counted one after the other.
    User.objects.select_for_update().get(pk=user.pk)
    owned = Membership.objects.filter(user=user, role=Role.OWNER, team__owner_alone=None).count()
    if settings.TEAMS_PER_ACCOUNT and owned >= settings.TEAMS_PER_ACCOUNT:
        raise WrongState(_("You own %d teams, the most that an account may own.") % owned)
    if not _HANDLE.match(handle):
        text = _("Use 3 to 40 characters: a to z, digits, and hyphens between them.")
        raise ValidationError({"handle": text})
    try:
        with transaction.atomic():
            team = Team.objects.create(name=_visible_name(name), handle=handle)
    except IntegrityError:
        text = _("Another team has the short name “%(handle)s”: type another one.") % {"handle": handle}
        raise ValidationError({"handle": text}) from None
    # Ask after the insertion, which waits for a team that ends at this moment and has the short name.
    if RetiredHandle.objects.filter(digest__in=digests_of(handle)).exists():
        text = _("A team that ended has used the short name “%(handle)s”: type another one.")
        raise ValidationError({"handle": text % {"handle": handle}})
    Membership.objects.create(team=team, user=user, role=Role.OWNER)
    audit.record(AuditEvent.Action.TEAM_CREATED, actor=user, team=team.pk)
    return team


@transaction.atomic
def rename(*, team: Team, by: User, name: str) -> None:
    """Rename a team, for its owners; past tables keep the earlier name. Raises NotFound, WrongState."""
    change_name(team=lock_owned(team, by), by=by, name=name)


@transaction.atomic
def change_name(*, team: Team, name: str, by: User | None = None) -> None:
    """Rename a team. by: None where an operator does so. Raises WrongState as `rename`."""
    name = _visible_name(name)
    if name == team.name:
        return
    team.name = name
    team.save(update_fields=["name"])
    # Without the names: this log outlives the team.
    audit.record(AuditEvent.Action.TEAM_RENAMED, actor=by, team=team.pk)
    update_standings(team=team)


@transaction.atomic
def change_names(*, user: User, name: str, team_name: str) -> None:
    """Change the name of a person and of the person's team ("" to keep it). Raises WrongState."""
    user.first_name, user.last_name = name, ""
    user.save(update_fields=["first_name", "last_name"])
    team = Team.objects.select_for_update().filter(owner_alone=user).first()
    if team is not None and team_name:
        change_name(team=team, name=team_name, by=user)


@transaction.atomic
def make_owner(*, team: Team, user: User) -> None:
    """Make a person an owner of a team of several people, as an operator may. Raises WrongState."""
    if not team.is_shared or team.handle is None:
        raise WrongState("Only a team of several people has owners to choose.")
    Membership.objects.update_or_create(team=team, user=user, defaults={"role": Role.OWNER})
    audit.record(AuditEvent.Action.ROLE_CHANGED, team=team.pk, user=user.pk, role=Role.OWNER.value)


@transaction.atomic
def change_role(*, team: Team, by: User, member: int, role: Role) -> None:
    """Make a member an owner, or an owner a member, for owners. Raises NotFound, WrongState."""
    team = lock_owned(team, by)
    membership = _membership(team, member)
    if membership.role == role:
        return
    if role != Role.OWNER:
        _refuse_last_owner(membership)
        end_known_links(team)
    membership.role = role
    membership.save(update_fields=["role"])
    audit.record(AuditEvent.Action.ROLE_CHANGED, actor=by, team=team.pk, user=member, role=role.value)


@transaction.atomic
def remove(*, team: Team, by: User, member: int) -> None:
    """Remove a person from a team: an owner any, a member only themselves. Raises NotFound, WrongState."""
    team = _lock(team, by) if member == by.pk else lock_owned(team, by)
    membership = _membership(team, member)
    _refuse_last_owner(membership)
    if membership.role == Role.OWNER:
        end_known_links(team)
    membership.delete()
    audit.record(AuditEvent.Action.MEMBER_LEFT, actor=by, team=team.pk, user=member)


@transaction.atomic
def close(*, team: Team, by: User) -> None:
    """Close a team whose only member is `by`; its results keep its name. Raises NotFound, WrongState."""
    team = lock_owned(team, by)
    if Membership.objects.filter(team=team).exclude(user=by).exists():
        raise WrongState(
            _("The team has other members: remove them first, or leave the team instead of closing it.")
        )
    if Submission.objects.of_team(team).filter(status__in=(*PENDING, Status.SEALED)).exists():
        raise WrongState(_("A submission of the team is in progress: cancel it first."))
    end_team(team, by=by)


def end_team(team: Team, *, by: User) -> None:
    """End tokens, publishers, invitations and memberships of a team, as the caller has checked."""
    for token in ApiToken.objects.filter(team=team):
        end_token(token, by=by)
    TeamInvitation.objects.filter(team=team).delete()
    TrustedPublisher.objects.filter(team=team).delete()
    Membership.objects.filter(team=team).delete()
    # The name stays with what was published: of the handle a keyed digest is kept, and nobody takes it again.
    systems = System.objects.filter(team=team).values_list("pk", flat=True)
    if team.handle and any(is_public(pk) for pk in systems):
        RetiredHandle.objects.get_or_create(digest=digests_of(team.handle)[0])
    team.handle = None
    team.save(update_fields=["handle"])
    audit.record(AuditEvent.Action.TEAM_CLOSED, actor=by, team=team.pk)


def digests_of(handle: str) -> list[str]:
    """Return the keyed digests that a handle may have been retired under, that of today's key first."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    salt = "wardboard.team-handle"
    return [salted_hmac(salt, handle, secret=key, algorithm="sha256").hexdigest() for key in keys]


def end_known_links(team: Team) -> None:
    """End the open invitations of a team, whose links each owner has seen, and may use to come back."""
    TeamInvitation.objects.filter(team=team).delete()


def _visible_name(name: str) -> str:
    name = remove_hidden_characters(name).strip()[:120].rstrip()
    if not has_visible_character(name):
        raise WrongState(_("The name has no visible character: type another one."))
    return name


def _lock(team: Team, by: User) -> Team:
    """Return a team of `by`, locked. Raises NotFound, also for a team of others."""
    locked = Team.objects.select_for_update().filter(pk=team.pk, owner_alone=None).first()
    if locked is None or not Membership.objects.filter(team=locked, user=by).exists():
        raise NotFound(_("There is no such team, or you are not in it."))
    return locked


def lock_owned(team: Team, by: User) -> Team:
    """Return a team of several people that `by` owns, locked. Raises NotFound, WrongState for a member."""
    locked = _lock(team, by)
    if not is_owner(locked, by):
        raise WrongState(_("Only an owner of the team may do this."))
    return locked


def _membership(team: Team, member: int) -> Membership:
    membership = Membership.objects.filter(team=team, user=member).first()
    if membership is None:
        raise NotFound(_("This person is not in the team."))
    return membership


def _refuse_last_owner(membership: Membership) -> None:
    others = Membership.objects.filter(team=membership.team_id, role=Role.OWNER, user__is_active=True)
    if membership.role == Role.OWNER and not others.exclude(pk=membership.pk).exists():
        raise WrongState(_("A team needs an owner: make someone else an owner first."))
