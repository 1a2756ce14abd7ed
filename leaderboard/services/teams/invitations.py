"""Invite people to a team by email, and let them join by the link.

Anyone who has the link may join once, signed in to any account: work and sign-in addresses often differ.
Owners see who joined, and can copy and revoke links.
"""

import uuid
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import (
    AuditEvent,
    EmailKind,
    Membership,
    Notification,
    Role,
    Team,
    TeamInvitation,
    User,
)
from leaderboard.services import audit
from leaderboard.services.errors import NotFound, QuotaSpent, WrongState
from leaderboard.services.teams.members import lock_owned

DAYS = 14
MOST_OPEN = 30  # of a team
MOST_A_DAY = 20  # of a person, over all teams: strangers get these emails
_DAY = timedelta(hours=24)
_SALT = "wardboard.team-invitation"


@transaction.atomic
def invite(*, team: Team, by: User, email: str, role: Role) -> TeamInvitation:
    """Invite an address, for owners; an earlier invitation of the address is replaced, and its link ends.

    services.notifications sends the email with the link afterwards, and again while no mail server takes it.
    Raises NotFound, QuotaSpent for a person who has invited MOST_A_DAY people today, and WrongState for a
    member, for too many open invitations, and for a person without a verified address where those are asked.
    """
    # Lock the person before the team, as everywhere: simultaneous invitations, also to several teams, are
    # counted one after the other.
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    team = lock_owned(team, by)
    if settings.VERIFIES_EMAIL and not by.has_verified_email:
        raise WrongState(_("Verify your email address first: invitations are sent in your name."))
    email = email.lower()
    if Membership.objects.filter(team=team, user__email=email).exists():
        raise WrongState(_("%(email)s is in the team already.") % {"email": email})
    TeamInvitation.objects.filter(team=team, email=email).delete()
    now = timezone.now()
    if open_invitations(team=team).count() >= MOST_OPEN:
        raise WrongState(_("%d invitations are open, the most that a team may have.") % MOST_OPEN)
    sent = AuditEvent.objects.filter(
        action=AuditEvent.Action.MEMBER_INVITED, actor=by, at__gt=now - _DAY
    ).order_by("at")
    if len(sent) >= MOST_A_DAY:
        wait = max(1, int((sent[0].at + _DAY - now).total_seconds()))
        text = _("You have invited %d people in the last 24 hours, which is the limit.") % MOST_A_DAY
        raise QuotaSpent(text, retry_after=wait)
    invitation = TeamInvitation.objects.create(
        team=team, email=email, role=role, invited_by=by, expires_at=now + timedelta(days=DAYS)
    )
    # Without the address: this log outlives accounts.
    audit.record(AuditEvent.Action.MEMBER_INVITED, actor=by, team=team.pk, role=role.value)
    if settings.NOTIFIES:
        # Without address and link: both are looked up when it is sent, if the invitation is still open.
        Notification.objects.create(
            user=by,
            event=invitation.event,
            kind=EmailKind.INVITATION,
            data={"invitation": invitation.pk},
            created_at=now,
            due_at=now,
        )
    return invitation


def open_invitations(**conditions: object) -> QuerySet[TeamInvitation]:
    """Select the invitations that let people join: none in the name of a deactivated account."""
    rows = TeamInvitation.objects.select_related("team", "invited_by")
    return rows.filter(**conditions, expires_at__gt=timezone.now(), invited_by__is_active=True)


def token_for(invitation: TeamInvitation) -> str:
    """Return the token of an invitation's link. It is made anew each time, and stored nowhere."""
    return signing.Signer(salt=_SALT).sign(invitation.key.hex)


@transaction.atomic
def revoke(*, team: Team, by: User, invitation_id: int) -> None:
    """Delete an invitation, for owners: its link ends. Raises NotFound, WrongState."""
    team = lock_owned(team, by)
    deleted, _rows = TeamInvitation.objects.filter(team=team, pk=invitation_id).delete()
    if not deleted:
        raise NotFound(_("There is no such invitation; it may have been used."))
    audit.record(AuditEvent.Action.INVITATION_REVOKED, actor=by, team=team.pk)


def find_invitation(token: str) -> TeamInvitation:
    """Return the open invitation of a link. Raises NotFound for one that was used, revoked or has expired."""
    with suppress(signing.BadSignature, ValueError):
        key = uuid.UUID(signing.Signer(salt=_SALT).unsign(token))
        if invitation := open_invitations(key=key).first():
            return invitation
    raise NotFound(_gone())


@transaction.atomic
def accept(*, token: str, user: User) -> Team:
    """Put a person into the team of an invitation, which ends; return the team. Raises NotFound."""
    invitation = find_invitation(token)
    # Before the team, as everywhere: an account that is being deleted must not join meanwhile.
    if not User.objects.select_for_update(no_key=True).get(pk=user.pk).is_active:
        raise NotFound(_gone())
    # Lock the invitation, so that of two simultaneous requests one joins.
    team = Team.objects.select_for_update().get(pk=invitation.team_id)
    if Membership.objects.filter(team=team, user=user).exists():
        return team
    deleted, _rows = TeamInvitation.objects.filter(pk=invitation.pk).delete()
    if not deleted:
        raise NotFound(_gone())
    Membership.objects.create(team=team, user=user, role=invitation.role)
    audit.record(
        AuditEvent.Action.MEMBER_JOINED,
        actor=user,
        team=team.pk,
        role=invitation.role,
        invited_by=invitation.invited_by_id,
    )
    return team


def _gone() -> str:
    return _("This invitation was used or revoked, or has expired. Ask an owner of the team for another.")


def name_of(user: User) -> str:
    """Return the name of a person, as others of the team see it; the email address without one."""
    return user.get_full_name() or user.email
