"""Disqualify and reinstate results and set the feedback level, each after a preview of what changes."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from leaderboard.http.problems import INVALID
from leaderboard.models import Feedback, Status
from leaderboard.services.desk import preview
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.change_feedback import change_feedback
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.web.organise.access import desk_page, find_board, find_submission
from leaderboard.web.organise.forms import FeedbackForm, ReasonForm
from leaderboard.web.shared.signed_in_request import SignedInRequest


@desk_page("GET", "POST")
def disqualify_submission(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Show what a disqualification changes, ask for its public reason, and disqualify."""
    submission = find_submission(request, submission_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            reason = form.cleaned_data["reason"]
            stored = disqualify(submission_id=submission.pk, by=request.user, reason=reason)
            if stored.disqualification_reason == reason:
                messages.success(request, _("Disqualified."))
            else:
                messages.info(request, _("It was disqualified before you; the reason given then stays."))
        except WrongState as error:
            messages.error(request, error.detail)
        return redirect("web:organise-submission", submission_id=submission.pk)
    if submission.status != Status.SCORED or submission.disqualified_at is not None:
        messages.error(request, _("Only a scored submission that is not disqualified can be disqualified."))
        return redirect("web:organise-submission", submission_id=submission.pk)
    context = {
        "submission": submission,
        "form": form,
        "changes": preview.preview_disqualification(submission),
        "was_published": submission.published_at is not None,
        "tab": "submissions",
    }
    status = INVALID if form.errors else 200
    return render(request, "web/organise/disqualify.html", context, status=status)


@desk_page("GET", "POST")
def reinstate_submission(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Show what lifting a disqualification changes, and lift it."""
    submission = find_submission(request, submission_id)
    if request.method == "POST" or submission.disqualified_at is None:
        try:
            reinstate(submission_id=submission.pk, by=request.user)
            messages.success(request, _("Reinstated."))
        except WrongState as error:
            messages.error(request, error.detail)
        return redirect("web:organise-submission", submission_id=submission.pk)
    context = {
        "submission": submission,
        "changes": preview.preview_reinstatement(submission),
        "tab": "submissions",
    }
    return render(request, "web/organise/reinstate.html", context)


@desk_page("GET", "POST")
def feedback(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show what another feedback level would show to whom, ask for the reason, and set it."""
    board = find_board(request, slug)
    form = FeedbackForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        level = Feedback(form.cleaned_data["feedback"])
        if change_feedback(benchmark=board, level=level, by=request.user, reason=form.cleaned_data["reason"]):
            messages.success(request, _("The feedback level is changed."))
        else:
            messages.info(request, _("This is the feedback level already; nothing was changed."))
        return redirect("web:organise-board", slug=board.slug)
    wanted = request.POST.get("feedback") or request.GET.get("feedback") or ""
    chosen = Feedback(wanted) if wanted in Feedback.values else None
    context = {
        "benchmark": board,
        "levels": list(Feedback),
        "level": chosen,
        "form": form,
        "preview": preview.preview_feedback(board, chosen) if chosen and chosen != board.feedback else None,
    }
    return render(request, "web/organise/feedback.html", context, status=INVALID if form.errors else 200)
