"""Boards: their ground truth, their rows, and the record of what happened."""

from django.contrib import admin

from leaderboard.admin.read_only import ReadOnly
from leaderboard.models import AuditEvent, Benchmark, ReferenceRevision, Standing
from leaderboard.services import audit


@admin.register(Benchmark)
class BenchmarkAdmin(admin.ModelAdmin):
    list_display = (
        "title",
        "slug",
        "version",
        "feedback",
        "judge_mode",
        "daily_limit",
        "active_revision",
        "is_demo",
    )
    list_select_related = ("active_revision__benchmark",)
    # A board is made, and its revision changed, by importing a ground truth.
    readonly_fields = ("slug", "family", "version", "active_revision", "created_at")

    def get_queryset(self, request):
        return super().get_queryset(request).defer("active_revision__content", "active_revision__task_ids")

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

    def has_add_permission(self, request):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


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
    list_display = ("at", "action", "actor", "benchmark", "submission")
    list_select_related = ("actor", "benchmark", "submission__system", "submission__benchmark")
    list_filter = ("action", "benchmark")
    date_hierarchy = "at"
    fields = ("at", "action", "actor", "benchmark", "submission", "data")
