"""The organiser's view. It shows what the feedback level of a board allows and no reference."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpResponse

from leaderboard.models import (
    AuditEvent,
    Benchmark,
    Evaluation,
    Membership,
    ReferenceRevision,
    Standing,
    Submission,
    System,
    Team,
    User,
)
from leaderboard.services import audit, feedback

admin.site.site_header = admin.site.site_title = "Wardboard"


# JSON that may tell more than a page does, and that a filter would give away letter by letter.
_UNSEARCHABLE = {"data"}
_BY_KEY = {"", "exact", "in", "isnull", "id", "id__exact", "id__in", "pk", "pk__exact", "pk__in"}


class ReadOnly(admin.ModelAdmin):
    """Rows that only the service's own steps write."""

    def lookup_allowed(self, lookup, value, request=None):
        # Django lets any column be filtered by, shown or not: `?metrics__x__startswith=` reads a hidden one.
        name, _, rest = lookup.partition("__")
        if name not in {*self.list_filter, *self.fields} - _UNSEARCHABLE:
            return False
        # Through a relation, `benchmark__active_revision__content` would read another table.
        return not self.opts.get_field(name).is_relation or rest in _BY_KEY

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


@admin.register(User)
class PersonAdmin(UserAdmin):
    ordering = ("email",)
    list_display = ("email", "first_name", "is_active", "is_staff", "date_joined")
    search_fields = ("email", "first_name", "last_name")
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        ("Name", {"fields": ("first_name", "last_name")}),
        ("Rights", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "password1", "password2")}),)


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    list_display = ("name", "owner_alone", "created_at")
    search_fields = ("name", "owner_alone__email")
    inlines = (MembershipInline,)


@admin.register(System)
class SystemAdmin(admin.ModelAdmin):
    list_display = ("name", "team", "organisation", "source", "created_at")
    list_select_related = ("team",)
    search_fields = ("name", "organisation", "team__name")
    # What a team states, and whose a system is, changes by submitting only.
    readonly_fields = ("model_names",)

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        # The team is disabled, not in readonly_fields: those are left out when constraints are checked,
        # and a name that the team has already would be an error of the database.
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        field.disabled = True
        return field


@admin.register(Benchmark)
class BenchmarkAdmin(admin.ModelAdmin):
    list_display = ("title", "slug", "version", "feedback", "daily_limit", "active_revision", "is_demo")
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


@admin.register(Submission)
class SubmissionAdmin(ReadOnly):
    list_display = ("system", "benchmark", "team", "status", "success_rate", "received_at", "published_at")
    list_filter = ("benchmark", "status")
    search_fields = ("id", "sha256", "system__name", "team__name", "submitted_by__email")
    date_hierarchy = "received_at"
    list_max_show_all = 100
    actions = ("export_csv",)
    fields = (
        "id",
        "benchmark",
        "system",
        "team",
        "submitted_by",
        "status",
        "failure",
        "attempts",
        "filename",
        "sha256",
        "size_bytes",
        "format",
        "problem_count",
        "warning_count",
        "received_at",
        "moved_at",
        "scored_at",
        "published_at",
        "withdrawn_at",
        "withdrawal_reason",
    )

    def get_queryset(self, request):
        return super().get_queryset(request).with_result().select_related("submitted_by")

    @admin.display(description="Success rate")
    def success_rate(self, submission):
        if submission.evaluation is None:
            return "–"
        return f"{submission.evaluation.right} of {submission.evaluation.total}"

    @admin.action(description="Export as CSV (at the feedback level of each board)")
    def export_csv(self, request, queryset):
        response = HttpResponse(_as_csv(queryset.with_result()), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="submissions.csv"'
        return response


def _as_csv(submissions) -> str:
    """Return one line a submission; metrics that a board keeps back are empty."""
    lines = []
    for submission in submissions:
        line = {
            "submission": str(submission.pk),
            "benchmark": submission.benchmark.slug,
            "team": _inert(submission.team.name),
            "system": _inert(submission.system.name),
            "status": submission.status,
            "received_at": submission.received_at.isoformat(),
            "published": submission.is_published,
        }
        if submission.evaluation is not None:
            result = feedback.visible_result(submission.benchmark, submission.evaluation)
            line |= {"right": result.overall.right, "total": result.overall.total, **result.metrics}
            line |= {
                f"{group}_right": rate.right
                for groups in result.breakdowns.values()
                for group, rate in groups.items()
            }
            line["reference_digest"] = submission.evaluation.revision.digest
        lines.append(line)
    # Here: pandas takes half a second to import, which only the organiser's export should wait for.
    import pandas as pd  # noqa: PLC0415

    # As objects: a gap in a column would turn its counts into floats.
    return pd.DataFrame(lines, dtype=object).to_csv(index=False)


def _inert(text: str) -> str:
    # A spreadsheet would run a cell that begins like a formula.
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


@admin.register(Standing)
class StandingAdmin(ReadOnly):
    list_display = ("system", "benchmark", "score", "since")
    list_select_related = ("system", "benchmark")
    list_filter = ("benchmark",)
    fields = ("benchmark", "system", "right", "total", "score", "low", "high", "since")


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnly):
    list_display = ("submission", "revision", "scorer_version", "right", "total", "created_at")
    fields = ("submission", "revision", "scorer_version", "right", "total", "duration_ms", "created_at")

    def get_queryset(self, request):
        rows = (
            super()
            .get_queryset(request)
            .select_related("submission__system", "submission__benchmark", "revision__benchmark")
        )
        return rows.defer("revision__content", "revision__task_ids", "verdicts")


@admin.register(AuditEvent)
class AuditAdmin(ReadOnly):
    list_display = ("at", "action", "actor", "benchmark", "submission")
    list_select_related = ("actor", "benchmark", "submission__system", "submission__benchmark")
    list_filter = ("action", "benchmark")
    date_hierarchy = "at"
    fields = ("at", "action", "actor", "benchmark", "submission", "data")
