"""The traces of a submission, and that of one task: for its team and organisers, or for everyone."""

import uuid

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.http.readers import reader_of
from leaderboard.services.access import may_publish
from leaderboard.services.traces.read import find_traced, read_trace, traced_runs

_PAGE = 100


@require_safe
@never_cache
def traces(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Show which tasks of a submission have a trace."""
    reader = reader_of(request)
    submission = find_traced(reader, submission_id)
    page = Paginator([*traced_runs(submission).items()], _PAGE).get_page(request.GET.get("page"))
    context = {
        "submission": submission,
        "board": submission.board,
        "page": page,
        "may_publish": may_publish(reader, submission),
    }
    return render(request, "web/traces/list.html", context)


@require_safe
@never_cache
def trace(request: HttpRequest, submission_id: uuid.UUID, task_id: str) -> HttpResponse:
    """Show the trace of a task in the run that `run` names, else in its first."""
    submission = find_traced(reader_of(request), submission_id)
    tasks = traced_runs(submission)
    runs = tasks.get(task_id, ())
    stated = request.GET.get("run", "")
    run = int(stated) if stated.isascii() and stated.isdecimal() and len(stated) < 3 else min(runs, default=1)
    found = read_trace(submission, task_id=task_id, run=run)
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
