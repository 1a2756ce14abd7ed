"""Boards: their ground truth, their rows, and the record of what happened."""

from django.contrib import admin, messages

from leaderboard.admin.read_only import ReadOnly
from leaderboard.models import AuditEvent, Benchmark, BoardEvent, ReferenceRevision, Standing
from leaderboard.services import audit, background
from leaderboard.services.judging import judge
from leaderboard.services.record import events
from scoring import registry

_FEEDBACK = (
    "Overall: everybody sees rates, rank intervals, and whether two published systems are told apart. "
    "By type: also counts, p-values and differences by group. By task: also, publicly on the compare page, "
    "which tasks only one of two published systems got right. Whoever has results published learns "
    "verdicts of others by comparing; references stay hidden."
)


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

    actions = ("rescore",)

    def has_steer_permission(self, request):
        return request.user.has_perm("leaderboard.change_benchmark")

    @admin.action(description="Rescore against the present ground truth", permissions=["steer"])
    def rescore(self, request, queryset):
        # Never here: a board takes minutes and more.
        for board in queryset:
            if not board.is_open:
                self.message_user(request, f"{board.title} has no ground truth yet.", messages.WARNING)
            elif background.enqueue_rescoring(benchmark_id=board.pk):
                said = f"{board.title} is being rescored in the background; its log tells how it goes."
                self.message_user(request, said)
            else:
                self.message_user(
                    request,
                    f"Nothing was done to {board.title}: no worker could be told. On the server, run: "
                    f"manage.py rescore {board.slug}",
                    messages.WARNING,
                )

    def get_queryset(self, request):
        return super().get_queryset(request).without_references()

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "feedback":
            field.help_text = _FEEDBACK
        return field

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
            events.record_settings(benchmark=obj, changed=form.changed_data)
        try:
            judge.judge_of_board(obj)
        except judge.JudgeNotSetUp:
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
        return super().get_queryset(request).without_references().select_related("benchmark")


@admin.register(Standing)
class StandingAdmin(ReadOnly):
    list_display = ("system", "benchmark", "score", "since")
    list_select_related = ("system", "benchmark")
    list_filter = ("benchmark",)
    fields = ("benchmark", "system", "right", "total", "score", "low", "high", "since")


@admin.register(BoardEvent)
class BoardEventAdmin(ReadOnly):
    """The public record, as everybody sees it."""

    list_display = ("number", "benchmark", "at", "action", "system_name", "score", "reason")
    list_select_related = ("benchmark",)
    list_filter = ("benchmark", "action")
    ordering = ("-at", "-pk")
    date_hierarchy = "at"
    search_fields = ("system_name", "reason")
    fields = (
        *list_display,
        "right",
        "total",
        "system",
        "submission",
        "evaluation",
        "judge",
        "mixes_judges",
        "feedback",
    )

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("system", "submission__benchmark", "evaluation")


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
