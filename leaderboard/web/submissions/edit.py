"""The page on which a team, or an organiser, corrects the facts of a system."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.http.problems import INVALID
from leaderboard.http.readers import reader_of
from leaderboard.models import System, Team
from leaderboard.services.access import may_correct
from leaderboard.services.errors import FactsInvalid, NotFound
from leaderboard.services.publishing.system_facts import changes_of, correct_system, refuse_taken_name
from leaderboard.services.record.past import is_public
from leaderboard.services.submissions.stated_facts import parse_stated
from leaderboard.web.shared.second_factor import demand_second_factor
from leaderboard.web.shared.signed_in_request import SignedInRequest, form_page
from leaderboard.web.submissions.forms import FactsForm, initial_facts, words_of_changes


@form_page
def edit_system(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the facts to correct, then what changes for readers, and change it once that is confirmed.

    For the system's team, and for organisers of a board to which a file of it was submitted.
    """
    reader = reader_of(request)
    system = System.objects.select_related("team").filter(pk=pk).first() if pk < 2**63 else None
    if system is None or not may_correct(reader.confirmed(), system):
        raise NotFound(_("You have no such system."))
    if not may_correct(reader, system):
        text = _("The organiser’s desk needs an account with a second factor. Set one up here.")
        return demand_second_factor(request, next_page=request.path, text=text)
    team = system.team if system.team_id in reader.teams else None
    if request.method != "POST":
        return _page(request, system, team, FactsForm(initial=initial_facts(system)))
    form = FactsForm(request.POST)
    stated = {name: value for name, value in form.typed().items() if value.strip()}
    emptied = [name for name in form.typed() if name not in stated and name != "system"]
    try:
        facts = parse_stated({"system": "", **stated, "take_back": ",".join(emptied)}, files=1).facts
        refuse_taken_name(system, facts.name)
        if "confirmed" in request.POST:
            correct_system(system_id=system.pk, team=team, facts=facts, by=request.user)
    except FactsInvalid as error:
        form.show(error.problems)
        return _page(request, system, team, form, status=INVALID)
    if "confirmed" in request.POST:
        messages.success(request, _("The details of the system are changed."))
        return redirect(_page_of(system, team))
    changes = changes_of(system, facts)
    if not changes or "back" in request.POST:
        return _page(request, system, team, form, is_unchanged=not changes)
    return _page(request, system, team, form, changes=words_of_changes(changes))


def _page_of(system: System, team: Team | None) -> str:
    if is_public(system.pk):
        return reverse("web:system", args=[system.pk])
    return reverse("web:submissions" if team else "web:organise-submissions")


def _page(
    request: HttpRequest,
    system: System,
    team: Team | None,
    form: FactsForm,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    form.fields["system"].help_text = ""
    context = {
        "system": system,
        "form": form,
        "back": _page_of(system, team),
        **more,
    }
    return render(request, "web/submissions/edit_system.html", context, status=status)
