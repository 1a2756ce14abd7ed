"""The list of a person's teams, and the page of a team: its members, invitations, systems and settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db.models import Count
from django.forms import Form
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from leaderboard.http.problems import INVALID, mark_refused
from leaderboard.models import Membership, Role, System, Team
from leaderboard.services.errors import ServiceError, WrongState
from leaderboard.services.teams import invitations, members
from leaderboard.services.text import read_key
from leaderboard.web.shared.of_team import errors_in, status_of_form
from leaderboard.web.shared.signed_in_request import SignedInRequest, form_page, posted
from leaderboard.web.shared.urls import absolute_url
from leaderboard.web.teams.forms import InvitationForm, NewTeamForm, TeamNameForm


@form_page
def teams(request: SignedInRequest) -> HttpResponse:
    """List the teams of several people that the person is in, and create one."""
    form = NewTeamForm(posted(request))
    if form.is_valid():
        with errors_in(form):
            team = members.create_team(user=request.user, **form.cleaned_data)
            messages.success(request, _("The team is created. Invite the others now."))
            return redirect("web:team", handle=team.handle)
    context = {"form": form, "memberships": members.shared_memberships(request.user)}
    return render(request, "web/teams/list.html", context, status=status_of_form(form))


@form_page
def team(request: SignedInRequest, handle: str) -> HttpResponse:
    """Show a team to its members, and do what one of its forms asks for."""
    page = TeamPage(request=request, team=members.find_shared(request.user, handle))
    if request.method != "POST":
        return page.render()
    action, section = _ACTIONS.get(request.POST.get("do", ""), (None, ""))
    if action is None:
        raise Http404("There is no such form.")
    try:
        return action(page)
    except ServiceError as error:
        page.refusal, page.refused = error.detail, section
        return mark_refused(page.render(), error)


@dataclass(slots=True, kw_only=True)
class TeamPage:
    """The page of a team.

    forms: name -> a form that was sent and has errors, or was refused
    refusal, refused: why something was not done, and the section of the page whose form asked for it
    """

    request: SignedInRequest
    team: Team
    forms: dict[str, Form] = field(default_factory=dict)
    refusal: str = ""
    refused: str = ""

    def render(self, status: int = 200) -> HttpResponse:
        return render(self.request, "web/teams/team.html", self._context(), status=status)

    def sent_form(self, name: str, form: type[Form], **options: Any) -> Form:
        """Return what was typed into a form, which the page shows again if it is not accepted."""
        self.forms[name] = form(self.request.POST, auto_id=f"{name}_%s", **options)
        return self.forms[name]

    def done(self, text: str) -> HttpResponse:
        """Go to the page, which says what was done."""
        messages.success(self.request, text)
        return redirect("web:team", handle=self.team.handle)

    def _form(self, name: str, form: type[Form], **options: Any) -> Form:
        return self.forms.get(name) or form(auto_id=f"{name}_%s", **options)

    def _context(self) -> dict[str, Any]:
        user, team = self.request.user, self.team
        is_owner = members.is_owner(team, user)
        people = list(Membership.objects.filter(team=team).select_related("user").order_by("-role", "pk"))
        systems = System.objects.filter(team=team).annotate(files=Count("submissions")).order_by("name")
        owner_only = {
            "invitations": [
                (row, absolute_url(self.request, "web:join-team", invitations.token_for(row)))
                for row in invitations.open_invitations(team=team)
            ],
            "invite": self._form("invite", InvitationForm),
            "rename": self._form("rename", TeamNameForm, initial={"name": team.name}),
            "days": invitations.DAYS,
            "sends_email": settings.NOTIFIES,
        }
        return {
            "team": team,
            "is_owner": is_owner,
            "has_one_owner": [row.role for row in people].count(Role.OWNER) == 1,
            "people": [(row, invitations.name_of(row.user)) for row in people],
            "systems": systems,
            "refusal": self.refusal,
            "refused": self.refused,
            **(owner_only if is_owner else {}),
        }


def _invite(page: TeamPage) -> HttpResponse:
    form = page.sent_form("invite", InvitationForm)
    if not form.is_valid():
        return page.render(INVALID)
    invitation = invitations.invite(team=page.team, by=page.request.user, **form.cleaned_data)
    text = (
        _("%(email)s is invited. We send the link within a minute; you can copy it below, too.")
        if settings.NOTIFIES
        else _("%(email)s is invited. This service sends no email: copy the link below and send it yourself.")
    )
    return page.done(text % {"email": invitation.email})


def _revoke(page: TeamPage) -> HttpResponse:
    invitation_id = read_key(page.request.POST.get("invitation", ""))
    invitations.revoke(team=page.team, by=page.request.user, invitation_id=invitation_id)
    return page.done(_("Revoked: nobody can join by this link any more."))


def _change_role(page: TeamPage) -> HttpResponse:
    role = page.request.POST.get("role", "")
    if role not in Role.values:
        raise WrongState(_("A role is either owner or member."))
    member = read_key(page.request.POST.get("member", ""))
    members.change_role(team=page.team, by=page.request.user, member=member, role=Role(role))
    return page.done(_("The role is changed."))


def _remove(page: TeamPage) -> HttpResponse:
    member = read_key(page.request.POST.get("member", ""))
    members.remove(team=page.team, by=page.request.user, member=member)
    if member == page.request.user.pk:
        messages.success(page.request, _("You have left %(team)s.") % {"team": page.team.name})
        return redirect("web:teams")
    return page.done(
        _(
            "This person is no longer in the team. Tokens and trusted publishers of the team go on working: "
            "revoke and remove those that it does not need."
        )
    )


def _rename(page: TeamPage) -> HttpResponse:
    form = page.sent_form("rename", TeamNameForm)
    if not form.is_valid():
        return page.render(INVALID)
    members.rename(team=page.team, by=page.request.user, name=form.cleaned_data["name"])
    return page.done(_("The team has its new name."))


def _close(page: TeamPage) -> HttpResponse:
    members.close(team=page.team, by=page.request.user)
    messages.success(page.request, _("%(team)s is closed.") % {"team": page.team.name})
    return redirect("web:teams")


# Value of `do` -> what it does, and the section of the page that says why it was refused.
_ACTIONS: Mapping[str, tuple[Callable[[TeamPage], HttpResponse], str]] = {
    "invite": (_invite, "invitations"),
    "revoke": (_revoke, "invitations"),
    "role": (_change_role, "members"),
    "remove": (_remove, "members"),
    "rename": (_rename, "settings"),
    "close": (_close, "settings"),
}
