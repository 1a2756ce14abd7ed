"""The page of trusted publishers: whose CI jobs submit for a person or a team without a stored token."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext

from leaderboard.models import Team, TrustedPublisher
from leaderboard.services.accounts import find_team, personal_team
from leaderboard.services.teams.members import rows_by_team, shared_memberships
from leaderboard.services.trusted_publishing.id_tokens import audience
from leaderboard.services.trusted_publishing.issuers import Issuer, known_issuers
from leaderboard.services.trusted_publishing.publishers import add_publisher, remove_publisher
from leaderboard.web.shared.of_team import errors_in, status_of_form
from leaderboard.web.shared.signed_in_request import SignedInRequest, action, form_page, posted, report
from leaderboard.web.teams.forms import PublisherForm


@form_page
def publishers(request: SignedInRequest) -> HttpResponse:
    """List the publishers of the person and of the person's teams, and add one."""
    memberships = shared_memberships(request.user)
    form = PublisherForm(posted(request), memberships=memberships, asked=request.GET.get("team", ""))
    if form.is_valid():
        values = dict(form.cleaned_data)
        team = values.pop("team", None) or personal_team(request.user)
        with errors_in(form):
            added = add_publisher(TrustedPublisher(team=team, added_by=request.user, **values))
            messages.success(request, gettext("Added. Put these lines into the workflow."))
            return redirect(f"{reverse('web:publishers')}?added={added.pk}#publisher-{added.pk}")
    context = {
        "form": form,
        "groups": rows_by_team(memberships, lambda team: _publishers_of(team or find_team(request.user))),
        "added": request.GET.get("added", ""),
        "address": audience(),
    }
    return render(request, "web/teams/publishers.html", context, status=status_of_form(form))


def _publishers_of(team: Team | None) -> list[tuple[TrustedPublisher, Issuer | None]]:
    """Return the publishers of a team, each with its issuer; None for one that is accepted no more."""
    issuers = known_issuers()
    rows = TrustedPublisher.objects.filter(team=team).select_related("board")
    return [(row, issuers.get(row.issuer)) for row in rows]


@action
def remove(request: SignedInRequest, publisher_id: UUID) -> HttpResponse:
    """Remove a publisher of a team that the person owns."""
    with report(request, gettext("Removed: its jobs get no token any more.")):
        remove_publisher(by=request.user, publisher_id=publisher_id)
    return redirect("web:publishers")
