"""Evaluations, what judging them took, and what the judge should not have been told."""

from django.contrib import admin
from django.utils.html import format_html, format_html_join

from leaderboard.admin.read_only import ReadOnly
from leaderboard.models import Evaluation, JudgedAnswer, JudgeDay
from leaderboard.services.files.read import suspect_answers


def spent_in_words(spending: dict) -> str:
    """Return in a line what judging took: calls, tokens, US dollars, seconds; a dash for nothing."""
    if not spending.get("calls"):
        return "–"
    tokens = spending["prompt_tokens"] + spending["completion_tokens"]
    cost, seconds = spending["cost"], spending["seconds"]
    return f"{spending['calls']:,} calls, {tokens:,} tokens, ${cost:,.4f}, {seconds:.1f} s"


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnly):
    list_display = ("submission", "revision", "scorer_version", "judge", "right", "total", "created_at")
    fields = (
        "submission",
        "revision",
        "scorer_version",
        "judge",
        "right",
        "total",
        "spent",
        "suspect_count",
        "suspect_answers",
        "duration_ms",
        "created_at",
    )

    def get_queryset(self, request):
        rows = (
            super()
            .get_queryset(request)
            .select_related("submission__system", "submission__benchmark", "revision__benchmark")
        )
        return rows.defer("revision__content", "revision__task_ids", "verdicts", "details")

    @admin.display(description="Spent on judging")
    def spent(self, evaluation):
        return spent_in_words(evaluation.spending)

    @admin.display(description="Suspect answers")
    def suspect_count(self, evaluation):
        return len(evaluation.suspects)

    @admin.display(description="As they were submitted")
    def suspect_answers(self, evaluation):
        found = suspect_answers(evaluation)
        if found is None:
            return format_html("<p>The file is gone; these tasks: {}</p>", ", ".join(evaluation.suspects))
        return format_html_join("", "<p><code>{}</code><br>{}</p>", found) or "–"


@admin.register(JudgeDay)
class JudgeDayAdmin(ReadOnly):
    list_display = ("day", "calls", "prompt_tokens", "completion_tokens", "cost")
    date_hierarchy = "day"
    fields = list_display


@admin.register(JudgedAnswer)
class JudgedAnswerAdmin(ReadOnly):
    """How many verdicts are kept, of which judge; what was judged is not kept beside them."""

    list_display = ("__str__", "judge", "created_at")
    list_filter = ("judge",)
    fields = ("judge", "created_at")
