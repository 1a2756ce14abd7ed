"""The traces of a submission, and that of one task: for its team and organisers, or for everyone."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.http.readers import reader_of
from leaderboard.services.access import may_publish
from leaderboard.services.traces.read import find_traced, read_trace, traced_runs
from leaderboard.services.traces.tasks import Choice, Outcome, TaskList, explain_tasks, tasks_of
from leaderboard.web.traces.tasks import PAGE, beside, query_of, read_choice, wrong_ids

_TRACES = 100


@require_safe
@never_cache
def traces(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Show which tasks of a submission have a trace."""
    reader = reader_of(request)
    submission = find_traced(reader, submission_id)
    context = {
        "submission": submission,
        "board": submission.board,
        "page": Paginator([*traced_runs(submission).items()], _TRACES).get_page(request.GET.get("page")),
        "may_publish": may_publish(reader, submission),
    }
    return render(request, "web/traces/list.html", context)


@require_safe
@never_cache
def trace(request: HttpRequest, submission_id: uuid.UUID, task_id: str) -> HttpResponse:
    """Show the trace of a task in the run that `run` names, the first wrong one, or its first."""
    reader = reader_of(request)
    submission = find_traced(reader, submission_id)
    traced = traced_runs(submission)
    verdict = _verdict(request.GET, tasks_of(reader, submission), task_id)
    runs = traced.get(task_id, ())
    stated = request.GET.get("run", "")
    first = min({*verdict["wrong_runs"]}.intersection(runs) or runs, default=1)
    run = int(stated) if stated.isascii() and stated.isdecimal() and len(stated) < 3 else first
    found = read_trace(submission, task_id=task_id, run=run)
    walked = verdict["wrong"] if task_id in verdict["wrong"] else traced
    if "task" in verdict:
        attempts = [one for one in verdict["task"].attempts if run in one.runs]
        verdict["task"] = replace(verdict["task"], attempts=attempts)
    previous, following = beside(task_id, [task for task in walked if task in traced])
    context = {
        **verdict,
        "submission": submission,
        "board": submission.board,
        "task_id": task_id,
        "run": run,
        "runs": runs,
        "trace": found,
        "previous": previous and reverse("web:trace", args=[submission.pk, previous]),
        "next": following and reverse("web:trace", args=[submission.pk, following]),
    }
    return render(request, "web/traces/task.html", context)


def _verdict(params: Mapping[str, str], listed: TaskList | None, task_id: str) -> dict[str, Any]:
    """Return the verdict on a task for its page, where its list has it, and the wrong ones there."""
    lines = [line for line in listed.lines if line.task_id == task_id] if listed else []
    if not (listed and lines):
        return {"wrong": (), "wrong_runs": ()}
    choice = read_choice(params, listed)
    if lines[0] not in listed.chosen(choice):
        choice = Choice()
    chosen = listed.chosen(choice)
    (task,) = explain_tasks(listed, lines).tasks
    return {
        "task": task,
        "query": query_of(choice),
        "page": chosen.index(lines[0]) // PAGE + 1,
        "wrong": wrong_ids(chosen),
        "wrong_runs": [run for one in task.attempts if one.outcome == Outcome.WRONG for run in one.runs],
    }
