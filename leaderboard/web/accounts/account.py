"""The pages on which people change their names, and delete their account."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from leaderboard.http.problems import INVALID, status_of
from leaderboard.services.accounts import find_team
from leaderboard.services.delete_account import consequences_for, delete_account, refuse_organisers
from leaderboard.services.errors import WrongState
from leaderboard.services.teams.members import change_names
from leaderboard.web.accounts.forms import DeletionForm, NamesForm
from leaderboard.web.accounts.guards import signed_in_recently
from leaderboard.web.shared.signed_in_request import SignedInRequest, form_page, posted


@form_page
def names(request: SignedInRequest) -> HttpResponse:
    team = find_team(request.user)
    initial = {"name": request.user.get_full_name(), "team": team.name if team else ""}
    form = NamesForm(posted(request), initial=initial, has_team=bool(team))
    if form.is_valid():
        typed = form.cleaned_data
        change_names(user=request.user, name=typed["name"], team_name=typed.get("team", ""))
        messages.success(request, _("Your names are saved."))
        return redirect("account_email")
    status = INVALID if form.errors else 200
    return render(request, "web/accounts/names.html", {"form": form, "team": team}, status=status)


@form_page
@signed_in_recently
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
def delete(request: SignedInRequest) -> HttpResponse:
    """Ask for the password or a second factor, say what stays, and delete the account once confirmed."""
    form, refusal = DeletionForm(posted(request)), ""
    status = INVALID if form.errors else 200
    try:
        refuse_organisers(request.user)
        if form.is_valid():
            delete_account(request.user)
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("web:front")
    except WrongState as error:
        refusal = error.detail
        status = status_of(error) if form.is_valid() else status
    context = {"form": form, "refusal": refusal, "consequences": consequences_for(request.user)}
    return render(request, "web/accounts/delete.html", context, status=status)
