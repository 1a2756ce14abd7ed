"""The page of an invitation: a person who has its link joins the team, with any account."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.http.problems import status_of
from leaderboard.models import Membership
from leaderboard.services.errors import NotFound
from leaderboard.services.teams import invitations
from leaderboard.web.shared.pending_invitation import remember_invitation

_HEADERS = {
    "Cache-Control": "private, no-store",
    # Not no-referrer: with that, browsers send the form with the origin "null", which Django refuses.
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex, nofollow",
}


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show who invites to which team; by a POST, put the person into it."""
    try:
        invitation = invitations.find_invitation(token)
        if request.method == "POST":
            return _accept(request, token)
    except NotFound as error:
        return _answer(request, "web/teams/join_gone.html", {"reason": error.detail}, status=status_of(error))
    user = request.user
    if not user.is_authenticated:
        remember_invitation(request, invitation)
    query = urlencode({"next": request.path})
    context = {
        "team": invitation.team,
        "inviter": invitations.name_of(invitation.invited_by),
        "role": invitation.role,
        "expires_at": invitation.expires_at,
        "is_member": user.is_authenticated
        and Membership.objects.filter(team=invitation.team, user=user).exists(),
        "sign_in": f"{reverse('account_login')}?{query}",
        "sign_up": f"{reverse('account_signup')}?{query}",
    }
    return _answer(request, "web/teams/join.html", context)


def _accept(request: HttpRequest, token: str) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(request.path)
    team = invitations.accept(token=token, user=request.user)
    messages.success(request, _("You are in the team %(team)s.") % {"team": team.name})
    return redirect("web:team", handle=team.handle)


def _answer(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    return HttpResponse(render_to_string(template, context, request), status=status, headers=_HEADERS)
