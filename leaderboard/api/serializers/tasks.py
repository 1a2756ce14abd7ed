"""Shapes of the tasks of a submission: own answers, why they are wrong, and what was expected."""

from typing import Any, cast

from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DictField,
    FloatField,
    ListField,
    UUIDField,
)

from leaderboard.api.serializers.fields import Count, PageShape, Positive, Shape, of_context
from leaderboard.services.statistics.entry_comparison import EntryComparison, EntryOutcome, EntryTest
from leaderboard.services.statistics.p_values import round_p
from leaderboard.services.traces.tasks import Outcome, Task


class OwnPostSerializer(Shape):
    target = CharField()
    payload = CharField(help_text="As text; JSON is indented.")
    is_accepted = BooleanField(help_text="Whether the server accepted it.")


class ExpectedPostSerializer(Shape):
    target = CharField(help_text="The type of the resource.")
    payload = CharField(help_text="One that is right, as indented JSON.")


class ExpectedWorkSerializer(Shape):
    answers = ListField(child=CharField(), help_text="Any of them is right; empty where no answer is read.")
    posts = ExpectedPostSerializer(many=True, help_text="In their order.")
    notes = ListField(child=CharField(), help_text="Such as a tolerance, or how many resources are missing.")


class AttemptSerializer(Shape):
    runs = ListField(child=Positive(), help_text="Numbers of the runs that did the same.")
    outcome = ChoiceField([*Outcome], allow_null=True, help_text="Null below feedback level by-check.")
    why = CharField(help_text="The check that failed, as far as the feedback level shows it; else empty.")
    code = CharField(help_text="The grading reason, from feedback level by-check on; else empty.")
    answer = CharField(source="own.answer", allow_null=True, help_text="As in the file; null without one.")
    posts = OwnPostSerializer(many=True)

    get_posts = staticmethod(lambda attempt: attempt.own.posts if attempt.own else ())


class ExplainedTaskSerializer(Shape):
    """A task with what was done at it."""

    # The context has `groups`: the key of the group of each task.

    task_id = CharField(source="line.task_id")
    group = CharField(allow_null=True, help_text="Null where tasks are not listed by group.")
    instruction = CharField(help_text="Empty where the leaderboard does not hold it.")
    outcome = ChoiceField([*Outcome], help_text="Over all runs; `wrong` is wrong in any.")
    right_runs = Count(source="line.right_runs")
    runs = Positive(source="line.runs")
    attempts = AttemptSerializer(many=True, help_text="Runs that did the same are one.")
    expected = ExpectedWorkSerializer(allow_null=True, help_text="Null below level answers.")

    def get_group(self, task: Task) -> str | None:
        return cast("str | None", self.context["groups"].get(task.line.task_id))


class TasksSerializer(PageShape):
    answers_away = BooleanField(help_text="Whether the submitted file cannot be read now.")
    results = ExplainedTaskSerializer(many=True, help_text="Wrong ones first, then open ones.")


class EntryGroupSerializer(Shape):
    tasks = Positive()
    right = Count(source="right_a", help_text="Of these, by the result.")
    right_of_entry = Count(source="right_b")


class EntryComparisonSerializer(Shape):
    """A result beside the entry of its system, task by task."""

    submission = UUIDField()
    entry = UUIDField(allow_null=True, help_text="Whose result is the entry; null while none is published.")
    test = ChoiceField(
        [*EntryTest],
        allow_null=True,
        help_text="`by-task`: a paired test. `by-score`: of two separate scores, while that of the result is "
        "rounded. Null where they are not tested.",
    )
    outcome = ChoiceField(
        [*EntryOutcome],
        allow_null=True,
        help_text="Two-sided, at 5%. With undecided answers, worse where either end of the score is, as far "
        "as it is shown. Null where they are not tested, and where a rounded score allows several.",
    )
    explanation = CharField(help_text="Of `outcome`, in a sentence.")
    p = FloatField(allow_null=True, help_text="Null where the feedback level hides it.")
    groups = DictField(
        child=DictField(child=EntryGroupSerializer()),
        help_text="By breakdown and group; empty where `p` is null, and of several runs.",
    )

    get_submission = of_context("submission")
    get_p = staticmethod(lambda comparison: round_p(comparison.p))

    def get_groups(self, comparison: EntryComparison) -> dict[str, Any]:
        return {
            breakdown: {line.group: line for line in lines} for breakdown, lines in comparison.groups.items()
        }
