"""The tasks of a submission, wrong ones first: its own answers, and why they are wrong."""

import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.http.readers import reader_of
from leaderboard.services.access import may_read_as_team, may_read_traces
from leaderboard.services.errors import NotFound, StorageAway
from leaderboard.services.traces.read import open_traces
from leaderboard.services.traces.tasks import (
    Attempt,
    Choice,
    Outcome,
    Task,
    TaskList,
    explain_tasks,
    find_tasks,
)
from leaderboard.web.templatetags.languages import translated
from leaderboard.web.traces.rendering import Block, CallLine, block_of, call_lines
from wardboard.scoring.explanations import ShownPost
from wardboard.scoring.traces.trace_file import TraceFile

PAGE = 50
_ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A filter: its label, how many tasks it shows, and the address that sets it, or removes it if chosen."""

    label: str
    count: int
    query: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PostShown:
    """A POST: its resource type, its whole address, and its content."""

    kind: str
    target: str
    is_accepted: bool
    payload: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptShown:
    """An attempt as the page shows it.

    has_record: whether the file has a record that can be read
    answer: None for none
    traced: its first run with a trace that the reader may read; None without one
    calls: what the agent called in that run; () where that is no more than `posts`
    """

    attempt: Attempt
    has_record: bool
    answer: Block | None
    posts: Sequence[PostShown]
    traced: int | None
    calls: Sequence[CallLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShown:
    """A task as the page shows it."""

    task: Task
    attempts: Sequence[AttemptShown]
    expected: Sequence[Block]
    expected_posts: Sequence[PostShown]


@require_safe
@never_cache
def tasks(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponseBase:
    """Show a submission's tasks to its team, and to everyone where the leaderboard shows all."""
    try:
        listed = find_tasks(reader_of(request), submission_id)
    except NotFound:
        if request.user.is_authenticated:
            raise
        return redirect_to_login(request.get_full_path())
    return _page(request, listed)


def _page(request: HttpRequest, listed: TaskList) -> HttpResponse:
    reader, submission = reader_of(request), listed.submission
    choice = _read_choice(request.GET, listed)
    page = Paginator(listed.chosen(choice), PAGE).get_page(request.GET.get("page"))
    shown = explain_tasks(listed, [*page.object_list])
    with ExitStack() as stack:
        traces = None
        if may_read_traces(reader, submission):
            # The verdicts are in the database: without the storage they are shown without calls.
            with suppress(StorageAway):
                traces = stack.enter_context(open_traces(submission))
        tasks = [_shown(task, traces) for task in shown.tasks]
    counts = listed.outcomes()
    context = {
        "submission": submission,
        "board": submission.board,
        "is_own": may_read_as_team(reader, submission),
        "wrong": counts[Outcome.WRONG],
        "total": counts.total(),
        "runs": listed.evaluation.runs,
        "outcomes": _outcome_chips(listed, choice),
        "groups": _group_chips(listed, choice),
        "group_label": listed.breakdown.label if listed.breakdown else "",
        "failures": _failure_chips(listed, choice),
        "page": page,
        "tasks": tasks,
        "are_answers_away": shown.are_answers_away,
        "level": submission.board.feedback,
    }
    return render(request, "web/traces/tasks.html", context)


def _read_choice(params: Mapping[str, str], listed: TaskList) -> Choice:
    """Return what the address asks for; what it does not name, or names wrongly, is any.

    Without an outcome: the wrong tasks, if there are any.
    """
    stated = params.get("outcome", "")
    group, failure = params.get("group"), params.get("failure")
    chosen = Choice(
        group=group if listed.breakdown and group in listed.breakdown.groups else None,
        failure=failure if failure in listed.failure_counts(Choice()) else None,
    )
    outcome = Outcome(stated) if stated in [*Outcome] else None
    if stated not in (*Outcome, _ALL) and listed.outcomes(chosen)[Outcome.WRONG]:
        outcome = Outcome.WRONG
    return replace(chosen, outcome=outcome)


def _query_of(choice: Choice) -> str:
    """Return the query string that chooses these tasks."""
    params = {"outcome": choice.outcome or _ALL, "group": choice.group, "failure": choice.failure}
    return f"?{urlencode({name: value for name, value in params.items() if value is not None})}"


def _outcome_chips(listed: TaskList, choice: Choice) -> list[Chip]:
    counts = listed.outcomes(choice)
    labels = {
        Outcome.WRONG: pgettext("verdict", "Wrong"),
        Outcome.RIGHT: pgettext("verdict", "Correct"),
        Outcome.OPEN: _("Undecided"),
    }
    chips = [
        Chip(
            label=label,
            count=counts[outcome],
            query=_query_of(replace(choice, outcome=outcome)),
            is_chosen=choice.outcome is outcome,
        )
        for outcome, label in labels.items()
        if outcome is not Outcome.OPEN or counts[outcome] or choice.outcome is outcome
    ]
    every = _query_of(replace(choice, outcome=None))
    return [*chips, Chip(label=_("All"), count=counts.total(), query=every, is_chosen=choice.outcome is None)]


def _group_chips(listed: TaskList, choice: Choice) -> list[Chip]:
    if listed.breakdown is None:
        return []
    counts = listed.group_counts(choice)
    keys = dict.fromkeys([*counts, *filter(None, [choice.group])])
    return [
        Chip(
            label=translated(listed.breakdown.groups[key]),
            count=counts.get(key, 0),
            query=_query_of(replace(choice, group=None if choice.group == key else key)),
            is_chosen=choice.group == key,
        )
        for key in keys
    ]


def _failure_chips(listed: TaskList, choice: Choice) -> list[Chip]:
    counts = listed.failure_counts(choice)
    kinds = dict.fromkeys([*counts, *filter(None, [choice.failure])])
    return [
        Chip(
            label=translated(kind),
            count=counts.get(kind, 0),
            query=_query_of(replace(choice, failure=None if choice.failure == kind else kind)),
            is_chosen=choice.failure == kind,
        )
        for kind in kinds
    ]


def _shown(task: Task, traces: TraceFile | None) -> TaskShown:
    name = task.line.task_id
    expected = task.expected
    return TaskShown(
        task=task,
        attempts=[_attempt(name, number, one, traces) for number, one in enumerate(task.attempts, 1)],
        expected=[
            block_of(f"{name}-expected-{number}", answer)
            for number, answer in enumerate(expected.answers if expected else (), 1)
        ],
        expected_posts=_posts(f"{name}-expected", expected.posts if expected else ()),
    )


def _attempt(task_id: str, number: int, attempt: Attempt, traces: TraceFile | None) -> AttemptShown:
    place, own = f"{task_id}-{number}", attempt.own
    traced = traces.runs.get(task_id, ()) if traces else ()
    run = next((run for run in attempt.runs if run in traced), None)
    trace = traces.read(task_id, run) if traces and run else None
    posts = _posts(place, own.posts if own else ())
    calls = call_lines(trace.messages) if trace else []
    # A trace may hold no more than the POSTs that are shown already.
    is_shown = len(calls) <= len(posts) and all(call.method == "POST" for call in calls)
    return AttemptShown(
        attempt=attempt,
        has_record=own is not None,
        answer=block_of(place, own.answer) if own and own.answer is not None else None,
        posts=posts,
        traced=run,
        calls=() if is_shown else calls,
    )


def _posts(place: str, posts: Sequence[ShownPost]) -> list[PostShown]:
    return [
        PostShown(
            kind=post.target.rstrip("/").rpartition("/")[2],
            target=post.target,
            is_accepted=post.is_accepted,
            payload=block_of(f"{place}-post-{number}", post.payload),
        )
        for number, post in enumerate(posts, 1)
    ]
