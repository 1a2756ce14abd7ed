"""The page on which a team reports doubtful reference answers, and sees what became of its reports."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from leaderboard.http.problems import status_of
from leaderboard.http.readers import reader_of
from leaderboard.models import Doubt, DoubtKind
from leaderboard.services.access import find_own
from leaderboard.services.doubts import reports
from leaderboard.services.errors import DoubtInvalid, QuotaSpent, WrongState
from leaderboard.web.shared.signed_in_request import SignedInRequest, form_page

_FIELDS = {"task_id": "task_id", "kind": "reason", "text": "text"}


@form_page
def report(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Show the form and the team's reports on the board, and take a report."""
    submission = find_own(reader_of(request), submission_id)
    if submission.evaluation_id is None:
        raise Http404(_("You have no such submission."))
    sent = {name: request.POST.get(field, "") for name, field in _FIELDS.items()}
    context: dict[str, Any] = {
        "submission": submission,
        "board": submission.board,
        "kinds": DoubtKind,
        "most_a_day": reports.MOST_A_DAY,
        "longest": reports.LONGEST_TEXT,
        "sent": sent,
    }
    status = 200
    if request.method == "POST":
        try:
            doubt = reports.report(submission_id=submission.pk, team=submission.team, by=request.user, **sent)
        except DoubtInvalid as error:
            status = status_of(error)
            context["errors"] = {problem.pointer.removeprefix("/"): problem for problem in error.problems}
        except (QuotaSpent, WrongState) as error:
            context["refusal"], status = error.detail, status_of(error)
        else:
            text = _("Your report of “%(task)s” is with the organisers.")
            messages.success(request, text % {"task": doubt.task_id})
            return redirect("web:report-doubt", submission_id=submission.pk)
    else:
        sent["task_id"] = request.GET.get("task", "")[:200]
    context["reports"] = Doubt.objects.filter(board=submission.board, team=submission.team)
    return render(request, "web/doubts/report.html", context, status=status)
