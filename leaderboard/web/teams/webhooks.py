"""The page of webhooks: addresses that we call about the submissions of a person or a team."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.http.problems import INVALID, status_of
from leaderboard.models import CallProblem, CallState, Role, Team, Webhook, WebhookCall
from leaderboard.services.accounts import find_team, personal_team
from leaderboard.services.errors import FactsInvalid, ServiceError
from leaderboard.services.teams.members import rows_by_team, shared_memberships
from leaderboard.services.webhooks.webhooks import (
    add_webhook,
    calls_of,
    remove_webhook,
    send_test,
    team_of_webhook,
    webhooks_of,
)
from leaderboard.web.shared.signed_in_request import SignedInRequest, asked_team, form_page, sign_in_first
from leaderboard.web.teams.forms import WebhookForm

_ShownCall = tuple[WebhookCall, str, str]
_STATES = {
    CallState.WAITING: gettext_lazy("waiting"),
    CallState.DELIVERED: gettext_lazy("delivered"),
    CallState.GIVEN_UP: gettext_lazy("given up"),
    CallState.DROPPED: gettext_lazy("not sent: the webhook was switched off"),
}
_PROBLEMS = {
    CallProblem.NAME: gettext_lazy("the name of the server has no address"),
    CallProblem.ADDRESS: gettext_lazy("the name of the server leads to an address that is not public"),
    CallProblem.SILENT: gettext_lazy("the server did not answer in time"),
    CallProblem.TLS: gettext_lazy("the certificate of the server is not valid"),
    CallProblem.REDIRECT: gettext_lazy("the server redirects, which we do not follow"),
    CallProblem.STATUS: gettext_lazy("the server answered with an error"),
}


@form_page
def webhooks(request: SignedInRequest) -> HttpResponse:
    """List the webhooks of the person and of the person's teams with their last calls, and add one."""
    memberships = shared_memberships(request.user)
    owned = [row.team for row in memberships if row.role == Role.OWNER]
    form, secret, status = WebhookForm(owned=owned, initial={"team": asked_team(request, owned)}), "", 200
    if request.method == "POST":
        form, status = WebhookForm(request.POST, owned=owned), INVALID
        if form.is_valid():
            # No redirect: the secret is shown once on this page, and never stored in a session.
            team = form.cleaned_data.get("team") or personal_team(request.user)
            try:
                _, secret = add_webhook(team=team, by=request.user, url=form.cleaned_data["url"])
            except ServiceError as error:
                _show_refusal(form, error)
                status = status_of(error)
            else:
                form, status = WebhookForm(owned=owned), 200
    context = {
        "form": form,
        "secret": secret,
        "groups": rows_by_team(memberships, lambda team: _webhooks_of(team or find_team(request.user))),
    }
    return render(request, "web/teams/webhooks.html", context, status=status)


def _show_refusal(form: WebhookForm, error: ServiceError) -> None:
    if not isinstance(error, FactsInvalid):
        form.add_error(None, error.detail)
        return
    for problem in error.problems:
        form.add_error(problem.pointer.removeprefix("/"), f"{problem.message} {problem.hint}")


def _webhooks_of(team: Team | None) -> list[tuple[Webhook, list[_ShownCall]]]:
    return [(row, list(map(_describe, calls_of(row)))) for row in (webhooks_of(team) if team else [])]


def _describe(call: WebhookCall) -> _ShownCall:
    """Return a call, what became of it, and the problem of its last attempt; "" without one."""
    problem = str(_PROBLEMS[CallProblem(call.problem)]) if call.problem else ""
    return call, str(_STATES[call.state]), problem


@require_POST
@sign_in_first
def change(request: SignedInRequest, webhook_id: UUID, action: str) -> HttpResponse:
    """Test or remove a webhook of a team that the person is in."""
    team = team_of_webhook(request.user, webhook_id)
    if team is None:
        raise Http404("The person has no such webhook.")
    try:
        if action == "test":
            send_test(team=team, by=request.user, webhook_id=webhook_id)
            done = gettext("The test is on its way. Its result is in the list of calls within seconds.")
        else:
            remove_webhook(team=team, by=request.user, webhook_id=webhook_id)
            done = gettext("Removed: this address is not called any more.")
    except ServiceError as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, done)
    return redirect("web:webhooks")
