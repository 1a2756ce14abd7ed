"""Admin pages of evaluations, the cost of judging, and stored verdicts."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join

from leaderboard.admin.base import ReadOnlyAdmin
from leaderboard.models import Evaluation, JudgedAnswer, JudgeDay
from leaderboard.services.files.read import suspect_answers


def format_spending(spending: dict[str, Any]) -> str:
    """Format the cost of judging on a line: calls, tokens, US dollars, seconds; a dash for none."""
    if not spending.get("calls"):
        return "–"
    tokens = spending["prompt_tokens"] + spending["completion_tokens"]
    cost, seconds = spending["cost"], spending["seconds"]
    return f"{spending['calls']:,} calls, {tokens:,} tokens, ${cost:,.4f}, {seconds:.1f} s"


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin[Evaluation]):
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

    def get_queryset(self, request: HttpRequest) -> QuerySet[Evaluation]:
        rows = (
            super()
            .get_queryset(request)
            .select_related("submission__system", "submission__benchmark", "revision__benchmark")
        )
        return rows.defer("revision__content", "revision__task_ids", "verdicts", "details")

    @admin.display(description="Spent on judging")
    def spent(self, evaluation: Evaluation) -> str:
        return format_spending(evaluation.spending)

    @admin.display(description="Suspect answers")
    def suspect_count(self, evaluation: Evaluation) -> int:
        return len(evaluation.suspects)

    @admin.display(description="As they were submitted")
    def suspect_answers(self, evaluation: Evaluation) -> str:
        answers = suspect_answers(evaluation)
        if answers is None:
            return format_html("<p>The file is gone; these tasks: {}</p>", ", ".join(evaluation.suspects))
        return format_html_join("", "<p><code>{}</code><br>{}</p>", answers) or "–"


@admin.register(JudgeDay)
class JudgeDayAdmin(ReadOnlyAdmin[JudgeDay]):
    list_display = ("day", "calls", "prompt_tokens", "completion_tokens", "cost")
    date_hierarchy = "day"
    fields = list_display


@admin.register(JudgedAnswer)
class JudgedAnswerAdmin(ReadOnlyAdmin[JudgedAnswer]):
    """The stored verdicts by judge, without the answers that were judged."""

    list_display = ("__str__", "judge", "created_at")
    list_filter = ("judge",)
    fields = ("judge", "created_at")
