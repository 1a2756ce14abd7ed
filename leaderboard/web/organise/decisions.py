"""Disqualify and reinstate results after a preview of what changes, and set the feedback level.

For those who organise all boards: add one, change the other settings of one, and who organises it.
"""

from copy import copy
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from leaderboard.http.problems import INVALID
from leaderboard.http.readers import reader_of
from leaderboard.models import Board, BoardOrganiser, Feedback, Status, Submission
from leaderboard.services.access import may_manage_all
from leaderboard.services.desk import preview
from leaderboard.services.publishing.change_settings import add_board, change_settings
from leaderboard.services.publishing.disqualify import MAX_REASON, disqualify, reinstate
from leaderboard.services.publishing.organisers import add_organiser, remove_organiser
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules
from leaderboard.services.text import read_key
from leaderboard.web.organise.access import desk_page
from leaderboard.web.organise.forms import BoardForm, FeedbackForm, ReasonForm, SettingsForm
from leaderboard.web.organise.references import preview_context
from leaderboard.web.shared.of_team import errors_in
from leaderboard.web.shared.signed_in_request import SignedInRequest, posted, report


@desk_page("GET", "POST")
def disqualify_submission(request: SignedInRequest, submission: Submission) -> HttpResponse:
    """Show what a disqualification changes, ask for its public reason, and disqualify."""
    sees = "Public" if submission.published_at is not None else "The team sees it"
    form = ReasonForm(posted(request), help_text=f"{sees}, up to {MAX_REASON} characters. Name no person.")
    if form.is_valid():
        with report(request, "Disqualified."):
            disqualify(submission_id=submission.pk, by=request.user, reason=form.cleaned_data["reason"])
        return redirect("web:organise-submission", submission_id=submission.pk)
    if submission.status != Status.SCORED or submission.disqualified_at is not None:
        messages.error(request, "Only a scored submission that is not disqualified can be disqualified.")
        return redirect("web:organise-submission", submission_id=submission.pk)
    context = {
        "submission": submission,
        "form": form,
        "changes": preview.preview_disqualification(submission, is_disqualified=True),
        "was_published": submission.published_at is not None,
        "tab": "submissions",
    }
    return render(request, "web/organise/disqualify.html", context, status=INVALID if form.errors else 200)


@desk_page("GET", "POST")
def reinstate_submission(request: SignedInRequest, submission: Submission) -> HttpResponse:
    """Show what lifting a disqualification changes, and lift it."""
    if request.method == "POST" or submission.disqualified_at is None:
        with report(request, "Reinstated."):
            reinstate(submission_id=submission.pk, by=request.user)
        return redirect("web:organise-submission", submission_id=submission.pk)
    context = {
        "submission": submission,
        "changes": preview.preview_disqualification(submission, is_disqualified=False),
        "tab": "submissions",
    }
    return render(request, "web/organise/reinstate.html", context)


@desk_page("GET", "POST")
def feedback(request: SignedInRequest, board: Board) -> HttpResponse:
    """Show the feedback levels, ask for the reason of a change, and set one."""
    form = FeedbackForm(posted(request), help_text=f"For the audit log, up to {MAX_REASON} characters.")
    if form.is_valid():
        reason = form.cleaned_data.pop("reason")
        change_settings(board=board, values=form.cleaned_data, by=request.user, reason=reason)
        messages.success(request, "The feedback level is set.")
        return redirect("web:organise-board", slug=board.slug)
    context = {
        "board": board,
        "levels": list(Feedback),
        "form": form,
        "results": Submission.objects.filter(board=board).published().count(),
    }
    return render(request, "web/organise/feedback.html", context, status=INVALID if form.errors else 200)


def _require_all(request: SignedInRequest) -> None:
    """Raise Http404 for those who do not organise all boards."""
    if not may_manage_all(reader_of(request)):
        raise Http404


# These decide which rows have a rank, and which of them are compared.
_OF_TABLE = {*LeadRule, "mixes_judges", "judge_mode"}


def _rules_of(board: Board) -> str:
    """Return what the preview of other settings depends on, so that just this is saved."""
    return f"{LeadRules.of(board)} {board.mixes_judges} {board.judge_mode}"


@desk_page("GET", "POST")
def board_settings(request: SignedInRequest, board: Board) -> HttpResponse:
    """Show the settings of a board, and change those that the organiser changed."""
    _require_all(request)
    # The form writes into its instance, also what it refuses.
    form = SettingsForm(posted(request), instance=copy(board))
    effect: dict[str, Any] = {}
    is_of_table = form.is_valid() and not _OF_TABLE.isdisjoint(form.changed_data)
    if is_of_table and request.POST.get("seen") != _rules_of(form.instance):
        # Other rules count at once, and another judge with the next rescoring.
        changes = preview.preview_settings(board, form.instance)
        effect = {"seen": _rules_of(form.instance), "changes": changes}
        if "judge_mode" in form.changed_data and board.is_open:
            effect |= preview_context(board, board.ground_truth, form.instance)
    elif form.is_valid():
        values = {name: form.cleaned_data[name] for name in form.changed_data}
        with errors_in(form):
            if change_settings(board=board, values=values, by=request.user):
                messages.success(request, "The settings are changed.")
            return redirect("web:organise-board", slug=board.slug)
    context = {"board": board, "form": form, "was_and_now": form.was_and_now(board), **effect}
    return render(request, "web/organise/settings.html", context, status=INVALID if form.errors else 200)


@desk_page("GET", "POST")
def add(request: SignedInRequest) -> HttpResponse:
    """Ask what a new leaderboard is, and add it."""
    _require_all(request)
    form = BoardForm(posted(request))
    if form.is_valid():
        with errors_in(form):
            board = add_board(values=form.cleaned_data, by=request.user)
            messages.success(request, "The leaderboard is added. Import its reference answers to open it.")
            return redirect("web:organise-board", slug=board.slug)
    return render(
        request, "web/organise/settings.html", {"form": form}, status=INVALID if form.errors else 200
    )


@desk_page("GET", "POST")
def organisers(request: SignedInRequest, board: Board) -> HttpResponse:
    """Add the organiser whose address was sent, or remove the one whose key was sent."""
    _require_all(request)
    if request.method != "POST":
        return redirect("web:organise-board", slug=board.slug)
    if "remove" in request.POST:
        rows = BoardOrganiser.objects.filter(board=board).select_related("board", "user")
        organiser = get_object_or_404(rows, pk=read_key(request.POST["remove"]))
        remove_organiser(organiser=organiser, by=request.user)
        messages.success(request, "The organiser is removed.")
    else:
        with report(request, "The organiser is added."):
            add_organiser(board=board, email=request.POST.get("email", "").strip(), by=request.user)
    return redirect("web:organise-board", slug=board.slug)
