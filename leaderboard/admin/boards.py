"""Boards: their ground truth, their rows, and the record of what happened."""

from django.contrib import admin, messages

from leaderboard.admin.read_only import ReadOnly
from leaderboard.models import AuditEvent, Benchmark, ReferenceRevision, Standing
from leaderboard.services import audit, judging
from scoring import registry


@admin.register(Benchmark)
class BenchmarkAdmin(admin.ModelAdmin):
    list_display = (
        "title",
        "slug",
        "version",
        "feedback",
        "who_judges",
        "daily_limit",
        "active_revision",
        "is_demo",
    )
    list_select_related = ("active_revision__benchmark",)
    # A board is made, and its revision changed, by importing a ground truth.
    readonly_fields = ("slug", "family", "version", "active_revision", "created_at")

    def get_queryset(self, request):
        return super().get_queryset(request).defer("active_revision__content", "active_revision__task_ids")

    def get_exclude(self, request, obj=None):
        # Where answers are no words, nobody judges: a choice would change nothing.
        return () if obj is None or _is_judged(obj) else ("judge_mode", "mixes_judges")

    @admin.display(description="Judge", ordering="judge_mode")
    def who_judges(self, benchmark):
        return benchmark.get_judge_mode_display() if _is_judged(benchmark) else "–"

    def save_model(self, request, obj, form, change):
        super().save_model(request, obj, form, change)
        if form.changed_data:
            changes = {
                name: {"was": form.initial.get(name), "now": form.cleaned_data[name]}
                for name in form.changed_data
            }
            audit.record(
                AuditEvent.Action.BENCHMARK_CHANGED, actor=request.user, benchmark=obj, fields=changes
            )
        try:
            judging.judge_of(obj)
        except judging.JudgeNotSetUp:
            self.message_user(
                request,
                f"No LLM is set up: what is sent to {obj.title} stays incomplete. Set JUDGE_API_KEY or "
                "JUDGE_BASE_URL for all processes, or let the rules judge.",
                messages.WARNING,
            )

    def has_add_permission(self, request):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


def _is_judged(benchmark: Benchmark) -> bool:
    return registry.get(benchmark.family).needs_judge


@admin.register(ReferenceRevision)
class RevisionAdmin(ReadOnly):
    list_display = ("benchmark", "number", "digest", "unusable_count", "origin", "created_at")
    fields = ("benchmark", "number", "digest", "origin", "unusable_count", "imported_by", "created_at")

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("benchmark").defer("content", "task_ids")


@admin.register(Standing)
class StandingAdmin(ReadOnly):
    list_display = ("system", "benchmark", "score", "since")
    list_select_related = ("system", "benchmark")
    list_filter = ("benchmark",)
    fields = ("benchmark", "system", "right", "total", "score", "low", "high", "since")


@admin.register(AuditEvent)
class AuditAdmin(ReadOnly):
    list_display = ("at", "what", "actor", "benchmark", "submission")
    list_select_related = ("actor", "benchmark", "submission__system", "submission__benchmark")
    list_filter = ("action", "benchmark")
    date_hierarchy = "at"
    fields = ("at", "what", "actor", "benchmark", "submission", "data")

    def lookup_allowed(self, lookup, value, request=None):
        # `what` is `action` in other words.
        return lookup.partition("__")[0] == "action" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="Action", ordering="action")
    def what(self, event):
        if event.action == AuditEvent.Action.RETRIED:
            return "Tried again, or resumed"
        return event.get_action_display()
