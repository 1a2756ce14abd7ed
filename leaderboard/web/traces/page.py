"""The traces of a submission, and that of one task: for its team and organisers, or for everyone."""

import uuid

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.models import Board, Submission, User
from leaderboard.services.errors import NotFound
from leaderboard.services.teams.members import teams_of
from leaderboard.services.traces.read import read_trace, traced_runs
from leaderboard.web.shared.second_factor import has_second_factor

_PAGE = 100


@require_safe
@never_cache
def traces(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Show which tasks of a submission have a trace."""
    submission = find_traced(request, submission_id)
    is_own = request.user.is_authenticated and is_of_team(request.user, submission)
    page = Paginator([*traced_runs(submission).items()], _PAGE).get_page(request.GET.get("page"))
    context = {
        "submission": submission,
        "board": submission.board,
        "page": page,
        "is_of_team": is_own,
    }
    return render(request, "web/traces/list.html", context)


@require_safe
@never_cache
def trace(request: HttpRequest, submission_id: uuid.UUID, task_id: str) -> HttpResponse:
    """Show the trace of a task in the run that `run` names, else in its first."""
    submission = find_traced(request, submission_id)
    tasks = traced_runs(submission)
    runs = tasks.get(task_id, ())
    stated = request.GET.get("run", "")
    run = int(stated) if stated.isascii() and stated.isdecimal() and len(stated) < 3 else min(runs, default=1)
    try:
        found = read_trace(submission, task_id=task_id, run=run)
    except NotFound as error:
        raise Http404(error.detail) from error
    ids = [*tasks]
    place = ids.index(task_id)
    context = {
        "submission": submission,
        "board": submission.board,
        "task_id": task_id,
        "run": run,
        "runs": runs,
        "trace": found,
        "previous": ids[place - 1] if place else None,
        "next": ids[place + 1] if place + 1 < len(ids) else None,
    }
    return render(request, "web/traces/task.html", context)


def find_traced(request: HttpRequest, submission_id: uuid.UUID) -> Submission:
    """Return a submission whose traces the reader may read. Raises Http404."""
    submission = Submission.objects.with_result().filter(pk=submission_id).first()
    if submission is None or not (is_insider(request, submission) or submission.has_public_traces):
        raise Http404("There are no traces here.")
    return submission


def is_of_team(user: User, submission: Submission) -> bool:
    return submission.team_id in {team.pk for team in teams_of(user)}


def is_insider(request: HttpRequest, submission: Submission) -> bool:
    """Return whether the reader is in the submission's team, or organises its leaderboard."""
    user = request.user
    if not user.is_authenticated:
        return False
    if is_of_team(user, submission):
        return True
    boards = Board.objects.organised_by(user).filter(pk=submission.board_id)
    return user.may_organise and has_second_factor(request) and boards.exists()
