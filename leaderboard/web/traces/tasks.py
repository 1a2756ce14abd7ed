"""The tasks of a submission, wrong ones first: its own answers, and why they are wrong."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.http.readers import reader_of
from leaderboard.services.access import may_read_as_team, may_read_traces
from leaderboard.services.errors import NotFound, StorageAway
from leaderboard.services.traces.read import traced_runs
from leaderboard.services.traces.tasks import (
    Choice,
    Outcome,
    Part,
    TaskList,
    explain_tasks,
    find_tasks,
)
from leaderboard.services.visibility import TaskLine
from leaderboard.web.templatetags.languages import translated

PAGE = 50
_ALL = "all"


# A filter: its label, how many tasks it shows, the `query` that sets it, or removes it if it `is_chosen`.
Chip = dict[str, Any]


@require_safe
@never_cache
def tasks(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponseBase:
    """Show a submission's tasks to its team, and to everyone where the leaderboard shows all."""
    reader = reader_of(request)
    try:
        listed = find_tasks(reader, submission_id)
    except NotFound:
        if request.user.is_authenticated:
            raise
        return redirect_to_login(request.get_full_path())
    submission = listed.submission
    choice = read_choice(request.GET, listed)
    page = Paginator(listed.chosen(choice), PAGE).get_page(request.GET.get("page"))
    shown, wrong = explain_tasks(listed, [*page.object_list]), wrong_ids(page.object_list)
    traced: Collection[str] = ()
    if may_read_traces(reader, submission):
        # The verdicts are in the database: without the storage they are shown without links to traces.
        with suppress(StorageAway):
            traced = traced_runs(submission)
    counts = listed.counts("outcome")
    groups, failures = listed.counts("group", choice), listed.counts("failure", choice)
    context = {
        "submission": submission,
        "board": submission.board,
        "is_own": may_read_as_team(reader, submission),
        "wrong": counts[Outcome.WRONG],
        "total": counts.total(),
        "runs": listed.evaluation.runs,
        "outcomes": _outcome_chips(listed, choice),
        "groups": [
            _chip(choice, "group", key, translated(label), groups[key])
            for key, label in (listed.breakdown.groups if listed.breakdown else {}).items()
            if groups[key] or choice.group == key
        ],
        "group_label": listed.breakdown.label if listed.breakdown else "",
        "failures": [
            _chip(choice, "failure", kind, translated(kind), failures[kind])
            for kind in dict.fromkeys([*dict(failures.most_common()), *filter(None, [choice.failure])])
        ],
        "page": page,
        "rows": [(task, *beside(task.line.task_id, wrong)) for task in shown.tasks],
        "query": query_of(choice),
        "traced": traced,
        "are_answers_away": shown.are_answers_away,
        "level": submission.board.feedback,
    }
    return render(request, "web/traces/tasks.html", context)


def read_choice(params: Mapping[str, str], listed: TaskList) -> Choice:
    """Return what the address asks for; what it does not name, or names wrongly, is any.

    Without an outcome: the wrong tasks, if there are any.
    """
    stated = params.get("outcome", "")
    group, failure = params.get("group"), params.get("failure")
    chosen = Choice(
        group=group if listed.breakdown and group in listed.breakdown.groups else None,
        failure=failure if failure in listed.counts("failure") else None,
    )
    outcome = Outcome(stated) if stated in [*Outcome] else None
    if stated not in (*Outcome, _ALL) and listed.counts("outcome", chosen)[Outcome.WRONG]:
        outcome = Outcome.WRONG
    return replace(chosen, outcome=outcome)


def wrong_ids(lines: Iterable[TaskLine]) -> list[str]:
    """Return the ids of the wrong tasks among these."""
    return [line.task_id for line in lines if line.correct is False]


def beside(task_id: str, ids: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the ids before and after one; None at either end, and for an id that is not among them."""
    if task_id not in ids:
        return None, None
    place = ids.index(task_id)
    return ids[place - 1] if place else None, ids[place + 1] if place + 1 < len(ids) else None


def query_of(choice: Choice) -> str:
    """Return the query of the list that shows a choice."""
    params = {"outcome": choice.outcome or _ALL, "group": choice.group, "failure": choice.failure}
    return f"?{urlencode({name: value for name, value in params.items() if value is not None})}"


def _outcome_chips(listed: TaskList, choice: Choice) -> list[Chip]:
    labels = {
        Outcome.WRONG: pgettext("verdict", "Wrong"),
        Outcome.RIGHT: pgettext("verdict", "Correct"),
        Outcome.OPEN: _("Undecided"),
    }
    counts = listed.counts("outcome", choice)
    chips = [
        _chip(choice, "outcome", value, label, counts[value])
        for value, label in labels.items()
        if value is not Outcome.OPEN or counts[value] or choice.outcome == value
    ]
    return [*chips, _chip(choice, "outcome", None, _("All"), counts.total())]


def _chip(choice: Choice, part: Part, value: str | None, label: str, count: int) -> Chip:
    """Return the filter that chooses a value; one that is chosen is taken back, but for an outcome."""
    is_chosen = getattr(choice, part) == value
    other = None if is_chosen and part != "outcome" else value
    query = query_of(replace(choice, **{part: other}))
    return {"label": label, "count": count, "query": query, "is_chosen": is_chosen}
