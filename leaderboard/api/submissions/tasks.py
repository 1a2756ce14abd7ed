"""The tasks of a submission, wrong ones first, and the submission beside the entry of its system."""

from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.base import ApiView, respond
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.operation import Operation
from leaderboard.api.parameters import unknown_choice
from leaderboard.api.serializers.forms import TasksQuery
from leaderboard.api.serializers.tasks import EntryComparisonSerializer, TasksSerializer
from leaderboard.http.readers import reader_of
from leaderboard.services.access import find_submission, may_read_as_team
from leaderboard.services.errors import NotFound
from leaderboard.services.statistics.entry_comparison import compare_with_entry
from leaderboard.services.traces.tasks import Choice, explain_tasks, find_tasks


class TasksView(ApiView):
    @Operation(
        id="listTasks",
        summary="The tasks of a submission, wrong ones first: its answers, and why they are wrong",
        description="For the submission's own team from feedback level by-task on; on leaderboards that show "
        "the expected answers, for everyone once it is published.",
        query=TasksQuery,
        answer=TasksSerializer,
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        listed = find_tasks(reader_of(request), submission_id)
        groups = listed.breakdown.groups if listed.breakdown else {}
        group = self.query.get("group")
        if group is not None and group not in groups:
            hint = f"One of: {', '.join(groups)}." if groups else "Leave `group` out."
            raise ParameterInvalid(unknown_choice("group", group, groups, hint))
        shown = self.page_of(listed.chosen(Choice(outcome=self.query.get("outcome"), group=group)))
        explained = explain_tasks(listed, shown["results"])
        shown |= {"results": explained.tasks, "answers_away": explained.are_answers_away}
        return respond(TasksSerializer(shown, context={"groups": listed.groups}).data)


class EntryComparisonView(ApiView):
    permission_classes = [IsAuthenticated]

    @Operation(
        id="compareWithEntry",
        summary="A scored submission of your team beside the entry of its system",
        description="For a job that fails where a result is significantly lower. While its score is rounded, "
        "it is compared by that score, and not task by task.",
        answer=EntryComparisonSerializer,
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        reader = reader_of(request)
        submission = find_submission(reader, submission_id)
        if not may_read_as_team(reader, submission):
            # That another team's published result differs from its own entry is for that team.
            raise NotFound(_("Only the team of a submission compares it with its entry."))
        comparison = compare_with_entry(submission)
        return respond(EntryComparisonSerializer(comparison, context={"submission": submission.pk}).data)
