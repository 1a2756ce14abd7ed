"""Lodge a statement with a sealed file; for organisers, make and change seasons, and open a sealed file."""

import uuid
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.http.problems import INVALID
from leaderboard.http.readers import reader_of
from leaderboard.models import Board, Season, Submission
from leaderboard.models.seasons import ANYWHERE, MOMENTS, OPTIONS
from leaderboard.services.access import find_own
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.disqualify import MAX_REASON
from leaderboard.services.record.event_kinds import SETTINGS
from leaderboard.services.rows.lead_rules import RULE_SETTINGS
from leaderboard.services.seasons import change, seal
from leaderboard.web.organise.access import desk_page
from leaderboard.web.organise.forms import ReasonForm
from leaderboard.web.shared.of_team import errors_in
from leaderboard.web.shared.signed_in_request import SignedInRequest, action, report


class StatementForm(forms.Form):
    statement = forms.CharField(required=False)
    embargo_until = forms.DateField(required=False)


@action
def lodge(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Keep the statement of a form with a sealed file."""
    own, form = find_own(reader_of(request), submission_id), StatementForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("There is no such day: write it as 2027-03-31."))
    else:
        with report(request, _("The statement is kept. Its digest is on the receipt.")):
            seal.lodge(submission_id=submission_id, team=own.team, **form.cleaned_data)
    return redirect("web:submission", submission_id=submission_id)


_DAY = "A day, whose end counts, or a day and a time: 2027-03-31, 2027-03-31 18:00."
_HELP = {
    **dict.fromkeys(MOMENTS, _DAY),
    "zone": f"Such as UTC or Europe/Berlin. {ANYWHERE} is anywhere on Earth.",
    "files_of_system": "The last valid one before the close is its entry.",
    "pauses_board": "The leaderboard takes no files from the opening until the reveal.",
    "hides_names": "A system may stay without its name until a date after the reveal, for blind review.",
}


class SeasonForm(forms.Form):
    """Ask for the moments, options and conditions of a season; of a new one, also for its name."""

    name = forms.CharField(label="Name", help_text="Such as Spring 2027.", max_length=60)
    suffix = forms.SlugField(label="Name in addresses", help_text="Such as spring-2027.", max_length=30)

    def __init__(self, *args: Any, board: Board, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        season = board.season if board.is_season else Season(zone=ANYWHERE)
        if season.pk:
            del self.fields["name"], self.fields["suffix"]
        for name in (*MOMENTS, "zone"):
            at = getattr(season, name)
            text = at if name == "zone" or at is None else at.astimezone(ZoneInfo(season.zone))
            initial = text if isinstance(text, str | None) else f"{text:%Y-%m-%d %H:%M:%S}"
            self.fields[name] = forms.CharField(initial=initial, help_text=_HELP[name])
        rules = forms.fields_for_model(Board, RULE_SETTINGS)
        for name, field in {**forms.fields_for_model(Season, OPTIONS), **rules}.items():
            field.initial = getattr(board if name in RULE_SETTINGS else season, name)
            field.help_text = _HELP.get(name, field.help_text)
            self.fields[name] = field
        for name, field in self.fields.items():
            field.label = SETTINGS[name].capitalize() if name in SETTINGS else field.label or "Time zone"


@desk_page("GET", "POST")
def organise(request: SignedInRequest, board: Board) -> HttpResponse:
    """Make a season of a leaderboard, or change the one that the board is, after a preview."""
    form = SeasonForm(request.POST if request.method == "POST" else None, board=board)
    context: dict[str, Any] = {"board": board, "form": form, "unscored": seal.unscored(board)}
    if form.is_valid():
        try:
            plan = change.read_plan(form.cleaned_data, board=board, now=timezone.now())
        except FactsInvalid as error:
            for problem in error.problems:
                form.add_error(problem.pointer[1:] or None, f"{problem.message} {problem.hint}")
        else:
            context["lines"] = change.preview(plan)
            # What is saved is what was shown.
            context["seen"] = "\n".join(context["lines"])
            if request.POST.get("seen", "").splitlines() == context["lines"] != []:
                with errors_in(form):
                    made = change.carry_out(plan, by=request.user)
                    messages.success(request, "The season is saved.")
                    return redirect("web:board", slug=made.board.slug)
    return render(request, "web/seasons/organise.html", context, status=INVALID if form.errors else 200)


@desk_page("GET", "POST")
def open_file(request: SignedInRequest, submission: Submission) -> HttpResponse:
    """Ask why a sealed file is opened, log that publicly, and show its result to the organiser once."""
    form = ReasonForm(
        request.POST if request.method == "POST" else None,
        help_text=f"Public at once, up to {MAX_REASON} characters. Name no person and no system.",
    )
    context: dict[str, Any] = {"submission": submission, "form": form, "tab": "submissions"}
    if form.is_valid():
        with report(request, "It is opened. The public log says so."):
            reason = form.cleaned_data["reason"]
            context["result"] = seal.open_for_fault(submission=submission, by=request.user, reason=reason)
            context["is_opened"] = True
    return render(request, "web/seasons/open.html", context, status=INVALID if form.errors else 200)
