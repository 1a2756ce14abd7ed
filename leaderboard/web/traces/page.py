"""The traces of a submission, and that of one task: for its team and organisers, or for everyone."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.http.readers import reader_of
from leaderboard.services.access import find_own, may_publish
from leaderboard.services.errors import Busy, WrongState
from leaderboard.services.traces.read import find_traced, may_have_traces, read_trace, traced_runs
from leaderboard.services.traces.sharing import preview
from leaderboard.services.traces.tasks import Outcome, instructions_of, outcome_of, tasks_of
from leaderboard.web.shared.signed_in_request import SignedInRequest, sign_in_first
from leaderboard.web.traces.rendering import KINDS, shown

_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedTask:
    """A task in the list of traces.

    runs: those with a trace
    instruction: what the task asks for, "" where it is not known
    outcome: None where the reader may not see verdicts
    """

    task_id: str
    runs: Sequence[int]
    instruction: str
    outcome: Outcome | None


@require_safe
@never_cache
def traces(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Show which tasks of a submission have a trace."""
    reader = reader_of(request)
    submission = find_traced(reader, submission_id)
    page = Paginator([*traced_runs(submission).items()], _PAGE).get_page(request.GET.get("page"))
    listed = tasks_of(reader, submission)
    outcomes = {line.task_id: outcome_of(line.correct) for line in listed.lines} if listed else {}
    instructions = instructions_of(submission)
    tasks = [
        TracedTask(
            task_id=task_id,
            runs=runs,
            instruction=instructions.get(task_id, ""),
            outcome=outcomes.get(task_id),
        )
        for task_id, runs in page.object_list
    ]
    context = {
        "submission": submission,
        "board": submission.board,
        "page": page,
        "tasks": tasks,
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
        "messages_shown": shown(found.messages),
        "left_out": found.left_out,
        "previous": ids[place - 1] if place else None,
        "next": ids[place + 1] if place + 1 < len(ids) else None,
    }
    return render(request, "web/traces/task.html", context)


@require_safe
@never_cache
@sign_in_first
def share(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Show the team of a scored result what becomes public with its traces."""
    submission = find_own(reader_of(request), submission_id, may_publish)
    if not may_have_traces(submission):
        raise Http404("There are no traces here.")
    try:
        found = preview(submission)
    except (WrongState, Busy) as error:
        messages.error(request, error.detail)
        return redirect("web:submission", submission_id=submission_id)
    context = {
        "submission": submission,
        "board": submission.board,
        "found": found,
        "findings": [(KINDS[finding.kind], finding) for finding in found.findings],
    }
    return render(request, "web/traces/share.html", context)
