"""Admin pages of leaderboards: ground truth, standings, the public log and the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from leaderboard.admin.base import ModelAdmin, ReadOnlyAdmin, signed_in_user
from leaderboard.models import AuditEvent, Benchmark, BoardEvent, ReferenceRevision, Standing, Submission
from leaderboard.services import audit, data_class
from leaderboard.services.judging import judge
from leaderboard.services.record import events
from leaderboard.services.submissions import quotas, rescore, similar
from leaderboard.services.text import validate_readable
from scoring import registry
from scoring.reading.limits import MIB

_FEEDBACK = (
    "Overall: everyone sees rates, rank intervals, and whether two published systems differ significantly. "
    "By type: also counts, p-values and differences by group. By task: also, publicly on the compare page, "
    "which tasks only one of two published systems got right. Whoever has results published learns "
    "verdicts of others by comparing; references stay hidden."
)


# SQLite takes larger numbers, which PostgreSQL could not take over.
_LARGEST_INTEGER = 2**31 - 1
_LARGEST = {"position": 2**15 - 1, "rounding": 50}


if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Benchmark]
else:
    ModelForm = forms.ModelForm


class BenchmarkForm(ModelForm):
    """The settings of a leaderboard, as far as they agree with each other.

    The page holds what its reader saw, so that only what they changed is changed.
    """

    def clean(self) -> dict[str, Any]:
        settings: dict[str, Any] = super().clean() or self.cleaned_data
        # Perhaps another organiser has changed them since the page was opened.
        settings |= {name: getattr(self.instance, name) for name in {*self.fields} - {*self.changed_data}}
        chosen = {
            name: settings.get(name, getattr(self.instance, name)) for name in ("data_class", "judge_mode")
        }
        if _is_judged(self.instance) and (refusal := data_class.llm_refusal(self.instance, **chosen)):
            raise forms.ValidationError(refusal)
        return settings


@admin.register(Benchmark)
class BenchmarkAdmin(ModelAdmin[Benchmark]):
    list_display = (
        "title",
        "slug",
        "version",
        "feedback",
        "who_judges",
        "daily_limit",
        "storage",
        "active_revision",
        "is_demo",
        "data_class",
        "similar_files",
    )
    form = BenchmarkForm
    list_select_related = ("active_revision__benchmark",)
    # Importing a ground truth creates a leaderboard, and changes its revision.
    readonly_fields = ("slug", "family", "version", "active_revision", "created_at")

    actions = ("rescore",)

    @admin.display(description="Storage", ordering="storage_mib")
    def storage(self, benchmark: Benchmark) -> str:
        used = quotas.kept_bytes(Submission.objects.filter(benchmark=benchmark))
        return quotas.describe_bytes(used, benchmark.storage_mib * MIB)

    @admin.display(description="Similar files")
    def similar_files(self, benchmark: Benchmark) -> str:
        address = reverse("admin:leaderboard_benchmark_similar", args=[benchmark.pk])
        return format_html('<a href="{}">Find</a>', address) if benchmark.is_open else "–"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.similar_view)
        return [path("<int:pk>/similar/", view, name="leaderboard_benchmark_similar"), *super().get_urls()]

    @method_decorator(require_safe)
    def similar_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the families of similar files among the last ones of a leaderboard."""
        user = request.user
        if not (self.has_view_permission(request) and user.has_perm("leaderboard.view_submission")):
            raise PermissionDenied
        board = get_object_or_404(self.get_queryset(request), pk=pk, active_revision__isnull=False)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Similar files of {board.title}",
            "opts": self.opts,
            "found": similar.find_similar(benchmark=board),
        }
        return TemplateResponse(request, "admin/leaderboard/benchmark/similar.html", context)

    def has_steer_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("leaderboard.change_benchmark")

    @admin.action(description="Rescore against the current reference answers", permissions=["steer"])
    def rescore(self, request: HttpRequest, queryset: QuerySet[Benchmark]) -> None:
        # In the background: it takes minutes and more.
        for board in queryset:
            if not board.is_open:
                self.message_user(request, f"{board.title} has no reference answers yet.", messages.WARNING)
            elif rescore.order(benchmark_id=board.pk):
                text = f"{board.title} will be rescored in the background; its log tells how it goes."
                self.message_user(request, text)
            else:
                self.message_user(
                    request,
                    f"Nothing was done to {board.title}: there is no worker. On the server, run: "
                    f"manage.py rescore {board.slug}",
                    messages.WARNING,
                )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Benchmark]:
        return Benchmark.objects.without_references()

    def formfield_for_dbfield(
        self, db_field: models.Field[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> forms.Field | None:
        if isinstance(db_field, models.IntegerField):
            kwargs["max_value"] = _LARGEST.get(db_field.name, _LARGEST_INTEGER)
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field:
            field.show_hidden_initial = True
            if db_field.name == "feedback":
                field.help_text = _FEEDBACK
            if db_field.name in ("title", "question"):
                field.validators.append(validate_readable)
        return field

    def get_exclude(self, request: HttpRequest, obj: Benchmark | None = None) -> tuple[str, ...]:
        # Without free-text answers there is no judge to choose.
        return () if obj is None or _is_judged(obj) else ("judge_mode", "mixes_judges")

    @admin.display(description="Judge", ordering="judge_mode")
    def who_judges(self, benchmark: Benchmark) -> str:
        return benchmark.get_judge_mode_display() if _is_judged(benchmark) else "–"

    def save_model(
        self, request: HttpRequest, obj: Benchmark, form: forms.ModelForm[Benchmark], change: bool
    ) -> None:
        changes = {
            name: {"was": was, "now": form.cleaned_data[name]}
            for name in form.changed_data
            if (was := form.initial.get(name)) != form.cleaned_data[name]
        }
        if changes:
            # Nothing else: what another request changes meanwhile stays.
            obj.save(update_fields=changes)
            audit.record(
                AuditEvent.Action.BENCHMARK_CHANGED,
                actor=signed_in_user(request),
                benchmark=obj,
                fields=changes,
            )
            events.record_settings(benchmark=obj, changed=changes)
        try:
            judge.judge_of_board(obj)
        except judge.JudgeNotSetUp as error:
            waiting = f"Until then, what is sent to {obj.title} stays incomplete. Or let the rules judge."
            self.message_user(request, f"{error} {waiting}", messages.WARNING)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Benchmark | None = None) -> bool:
        return False


def _is_judged(benchmark: Benchmark) -> bool:
    return registry.get(benchmark.family).needs_judge


@admin.register(ReferenceRevision)
class RevisionAdmin(ReadOnlyAdmin[ReferenceRevision]):
    list_display = ("benchmark", "number", "digest", "unusable_count", "origin", "created_at")
    fields = ("benchmark", "number", "digest", "origin", "unusable_count", "imported_by", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ReferenceRevision]:
        return ReferenceRevision.objects.without_references().select_related("benchmark")


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin[Standing]):
    list_display = ("system", "benchmark", "score", "since")
    list_select_related = ("system", "benchmark")
    list_filter = ("benchmark",)
    fields = ("benchmark", "system", "right", "total", "score", "low", "high", "since")


@admin.register(BoardEvent)
class BoardEventAdmin(ReadOnlyAdmin[BoardEvent]):
    """The public log, as every visitor sees it."""

    list_display = ("number", "benchmark", "at", "action", "system_name", "score", "reason", "data")
    list_select_related = ("benchmark",)
    list_filter = ("benchmark", "action")
    ordering = ("-at", "-pk")
    date_hierarchy = "at"
    search_fields = ("system_name", "reason", "data__from")
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

    def get_queryset(self, request: HttpRequest) -> QuerySet[BoardEvent]:
        return super().get_queryset(request).select_related("system", "submission__benchmark", "evaluation")


@admin.register(AuditEvent)
class AuditAdmin(ReadOnlyAdmin[AuditEvent]):
    list_display = ("at", "what", "actor", "benchmark", "submission")
    list_select_related = ("actor", "benchmark", "submission__system", "submission__benchmark")
    list_filter = ("action", "benchmark")
    date_hierarchy = "at"
    fields = ("at", "what", "actor", "benchmark", "submission", "data")

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        # The page shows `action` as `what`.
        return lookup.partition("__")[0] == "action" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="Action", ordering="action")
    def what(self, event: AuditEvent) -> str:
        if event.action == AuditEvent.Action.RETRIED:
            return "Tried again, or resumed"
        return event.get_action_display()
