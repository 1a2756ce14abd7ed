"""The invitation that a visitor opened before signing in or up, kept in the session to lead back to it.

An address alone (`next`) is lost while a new email address is verified.
"""

import uuid

from django.http import HttpRequest
from django.urls import reverse

from leaderboard.models import TeamInvitation
from leaderboard.services.teams import invitations

_KEY = "invitation"


def remember_invitation(request: HttpRequest, invitation: TeamInvitation) -> None:
    """Keep the key of an invitation. It alone lets nobody join."""
    request.session[_KEY] = invitation.key.hex


def invitation_path(request: HttpRequest) -> str:
    """Return the path of the invitation, which is then forgotten; "" where there is none that is open."""
    key = request.session.pop(_KEY, "")
    invitation = invitations.open_invitations(key=uuid.UUID(key)).first() if key else None
    return reverse("web:join-team", args=[invitations.token_for(invitation)]) if invitation else ""
