"""One's submissions, and the page of one."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from leaderboard.models import Standing, Submission, Team
from leaderboard.services import feedback, publishing
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.teams import personal_team
from leaderboard.web.forms import WithdrawForm
from leaderboard.web.reports import stored_report

_PAGE = 50


@require_safe
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    team = personal_team(request.user)
    page = Paginator(Submission.objects.of_team(team).with_result(), _PAGE).get_page(request.GET.get("page"))
    return render(request, "web/submissions.html", {"page": page, "team": team})


@require_safe
def submission(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    team = personal_team(request.user) if request.user.is_authenticated else None
    try:
        found = publishing.find(submission_id=submission_id, team=team)
    except NotFound as error:
        raise Http404(error.detail) from error
    is_own = team is not None and found.team_id == team.pk
    context = {
        "submission": found,
        "benchmark": found.benchmark,
        "is_own": is_own,
        "withdraw": WithdrawForm(),
    }
    return render(request, "web/submission.html", context | _shown(found, is_own))


def _shown(found: Submission, is_own: bool) -> dict:
    """Return what of the submission this reader may see: warnings, problems and tasks are the team's own."""
    shown = {"report": stored_report(found)} if is_own else {}
    if found.evaluation is None:
        return shown
    result = feedback.visible_result(found.benchmark, found.evaluation)
    return shown | {
        "result": result,
        "metrics": [
            (metric, result.metrics[metric.key]) for metric in feedback.visible_metrics(found.benchmark)[1:]
        ],
        "breakdowns": [
            (
                breakdown,
                [(breakdown.groups[key], rate) for key, rate in result.breakdowns[breakdown.key].items()],
            )
            for breakdown in feedback.visible_breakdowns(found.benchmark)
        ],
        "tasks": feedback.visible_tasks(found.benchmark, found.evaluation) if is_own else None,
        "is_outdated": found.evaluation.revision_id != found.benchmark.active_revision_id,
        "on_board": Standing.objects.filter(evaluation=found.evaluation_id).exists(),
    }


@require_POST
@login_required
def publish(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    def act(team: Team) -> str:
        done = publishing.publish(submission_id=submission_id, team=team, by=request.user)
        return f"Published on {done.benchmark.title}."

    return _act(request, submission_id, act)


@require_POST
@login_required
def withdraw(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    def act(team: Team) -> str:
        reason = request.POST.get("reason", "")
        done = publishing.withdraw(submission_id=submission_id, team=team, by=request.user, reason=reason)
        return f"Withdrawn from {done.benchmark.title}. You may publish it again."

    return _act(request, submission_id, act)


def _act(request: HttpRequest, submission_id: uuid.UUID, act) -> HttpResponse:
    try:
        messages.success(request, act(personal_team(request.user)))
    except NotFound as error:
        raise Http404(error.detail) from error
    except WrongState as error:
        messages.error(request, error.detail)
    return redirect("web:submission", submission_id=submission_id)
