"""The tasks of a submission, wrong ones first: own answers, why they are wrong, and what was expected."""

from uuid import UUID

import msgspec
from django.core.paginator import Paginator
from django.http import HttpResponse
from rest_framework.request import Request

from leaderboard.api.base import ApiView, respond
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.parameters.query import next_page, read_page, read_page_size, unknown_choice
from leaderboard.api.schema.operation import Operation
from leaderboard.api.schema.parameters import PAGE, PER_PAGE, non_empty_in_query
from leaderboard.api.traces.schema import (
    ExpectedWorkSchema,
    ExplainedAttemptSchema,
    ExplainedTaskSchema,
    ExplainedTasksSchema,
    OwnPostSchema,
)
from leaderboard.http.readers import reader_of
from leaderboard.services.traces.tasks import (
    Attempt,
    Choice,
    Outcome,
    Task,
    TaskList,
    explain_tasks,
    find_tasks,
)
from wardboard.scoring.reading.problems import Problem

_OUTCOME = {
    "name": "outcome",
    "in": "query",
    "description": "Tasks with this verdict; `wrong` is wrong in any run.",
    "schema": {"type": "string", "enum": [*Outcome]},
}


class TasksView(ApiView):
    @Operation(
        id="listTasks",
        tag="submissions",
        summary="The tasks of a submission, wrong ones first: its answers, and why they are wrong",
        description="For the submission's own team from feedback level by-task on; on leaderboards that show "
        "the expected answers, for everyone once it is published.",
        parameters=[
            _OUTCOME,
            non_empty_in_query("group", "Key of a group, such as task3, where tasks are listed by group."),
            PAGE,
            PER_PAGE,
        ],
        answer=ExplainedTasksSchema,
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        listed = find_tasks(reader_of(request), submission_id)
        problems: list[Problem] = []
        choice = _read_choice(request, listed, problems)
        number, size = read_page(request, problems), read_page_size(request, problems)
        if problems:
            raise ParameterInvalid(*problems)
        page = Paginator(listed.chosen(choice), size).get_page(number)
        explained = explain_tasks(listed, [*page.object_list] if page.number == number else [])
        return respond(
            ExplainedTasksSchema(
                count=page.paginator.count,
                page=number,
                pages=page.paginator.num_pages,
                next=next_page(request, number, page.paginator.num_pages),
                answers_away=explained.are_answers_away,
                tasks=[_show(task, listed) for task in explained.tasks],
            )
        )


def _read_choice(request: Request, listed: TaskList, problems: list[Problem]) -> Choice:
    groups = listed.breakdown.groups if listed.breakdown else {}
    known = {"outcome": [*Outcome], "group": [*groups]}
    params = {name: value for name in known if (value := request.query_params.get(name)) is not None}
    for name, value in params.items():
        if value not in known[name]:
            hint = f"One of: {', '.join(known[name])}." if known[name] else f"Leave `{name}` out."
            problems.append(unknown_choice(name, value, known[name], hint))
    outcome = next((each for each in Outcome if each == params.get("outcome")), None)
    return Choice(outcome=outcome, group=params.get("group"))


def _show(task: Task, listed: TaskList) -> ExplainedTaskSchema:
    line = task.line
    return ExplainedTaskSchema(
        task_id=line.task_id,
        group=listed.groups.get(line.task_id),
        instruction=task.instruction,
        outcome=task.outcome,
        right_runs=line.right_runs,
        runs=line.runs,
        attempts=[_show_attempt(attempt) for attempt in task.attempts],
        expected=msgspec.convert(task.expected, ExpectedWorkSchema | None, from_attributes=True),
    )


def _show_attempt(attempt: Attempt) -> ExplainedAttemptSchema:
    own = attempt.own
    return ExplainedAttemptSchema(
        runs=[*attempt.runs],
        outcome=attempt.outcome,
        why=str(attempt.why),
        code=str(attempt.code),
        answer=own.answer if own else None,
        posts=msgspec.convert(own.posts if own else (), list[OwnPostSchema], from_attributes=True),
    )
