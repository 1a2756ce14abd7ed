"""Admin pages of submissions, with the actions that organisers have on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.html import format_html_join
from django.views.decorators.http import require_http_methods

from leaderboard.admin.base import ReadOnlyAdmin, signed_in_user
from leaderboard.admin.evaluations import format_spending
from leaderboard.models import Submission
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.services import visibility
from leaderboard.services.errors import StorageAway, WrongState
from leaderboard.services.exports.csv_json import neutralise
from leaderboard.services.files.traces import remarks_of
from leaderboard.services.judging.names import judge_name
from leaderboard.services.publishing.disqualify import (
    MAX_REASON,
    ReasonRefused,
    disqualify,
    read_reason,
    reinstate,
)
from leaderboard.services.submissions import retry
from leaderboard.services.submissions.cancel import cancel
from scoring import registry


class DisqualifyForm(forms.Form):
    """Ask for the public reason of a disqualification."""

    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3, "cols": 80}),
        help_text=f"Public. Up to {MAX_REASON} characters.",
    )

    def clean_reason(self) -> str:
        try:
            return read_reason(self.cleaned_data["reason"])
        except ReasonRefused as refused:
            raise forms.ValidationError(refused.detail) from refused


class DisqualifiedFilter(admin.EmptyFieldListFilter):
    """Filter by whether the organisers disqualified the result."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "disqualified"

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for choice, label in zip(super().choices(changelist), ("All", "No", "Yes"), strict=True):
            yield {**choice, "display": label}


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin[Submission]):
    list_display = (
        "system",
        "benchmark",
        "team",
        "status",
        "waits_for",
        "score",
        "judge",
        "spent",
        "received_at",
        "published_at",
    )
    list_filter = ("benchmark", "status", ("disqualified_at", DisqualifiedFilter))
    search_fields = ("id", "sha256", "system__name", "team__name", "submitted_by__email")
    date_hierarchy = "received_at"
    list_max_show_all = 100
    actions = ("export_csv", "resume_now", "try_again", "cancel", "disqualify", "reinstate")
    fields = (
        "id",
        "benchmark",
        "system",
        "team",
        "submitted_by",
        "status",
        "failure",
        "waits_for",
        "resume_at",
        "resumed",
        "attempts",
        "progress",
        "judge",
        "spent",
        "filename",
        "sha256",
        "size_bytes",
        "kept_bytes",
        "format",
        "problem_count",
        "warning_count",
        "trace",
        "remarks_on_trace",
        "acknowledged",
        "acknowledged_at",
        "received_at",
        "moved_at",
        "scored_at",
        "published_at",
        "withdrawn_at",
        "withdrawal_reason",
        "disqualified_at",
        "disqualification_reason",
    )

    def get_queryset(self, request: HttpRequest) -> SubmissionQuerySet:
        return Submission.objects.with_result().select_related("submitted_by")

    def has_steer_permission(self, request: HttpRequest) -> bool:
        # Nobody edits a row by hand; the actions on it are for those who could.
        return request.user.has_perm("leaderboard.change_submission")

    @admin.display(description="Score")
    def score(self, submission: Submission) -> str:
        if submission.evaluation is None:
            return "–"
        return f"{submission.evaluation.right} of {submission.evaluation.total}"

    @admin.display(description="Judge")
    def judge(self, submission: Submission) -> str:
        return (submission.evaluation and judge_name(submission.evaluation.judge)) or "–"

    @admin.display(description="Warnings about the trace")
    def remarks_on_trace(self, submission: Submission) -> str:
        """Say what the official harness would not have written; a harness of one's own earns remarks too."""
        remarks = remarks_of(submission)
        if remarks is None:
            return "The file is not in the store."
        kinds = registry.get(submission.benchmark.family).trace_kinds
        lines = [
            (
                kinds[remark.kind],
                remark.count,
                ", ".join(remark.task_ids),
                ", …" * (remark.count > len(remark.task_ids)),
            )
            for remark in remarks
        ]
        return format_html_join("", "<div>{} {} task(s): {}{}</div>", lines) or "–"

    @admin.display(description="Spent on judging", ordering="judge_cost")
    def spent(self, submission: Submission) -> str:
        return format_spending(
            {
                "calls": submission.judge_calls,
                "prompt_tokens": submission.judge_prompt_tokens,
                "completion_tokens": submission.judge_completion_tokens,
                "cost": submission.judge_cost,
                "seconds": submission.judge_seconds,
            }
        )

    @admin.action(description="Resume now (incomplete ones)", permissions=["steer"])
    def resume_now(self, request: HttpRequest, queryset: SubmissionQuerySet) -> None:
        def resume(pk: UUID) -> None:
            if not retry.resume(submission_id=pk, by=signed_in_user(request)):
                raise WrongState("Only an incomplete submission can be resumed.")

        self._apply(request, queryset, "resumed", resume)

    @admin.action(description="Try again (failed and cancelled ones)", permissions=["steer"])
    def try_again(self, request: HttpRequest, queryset: SubmissionQuerySet) -> None:
        by = signed_in_user(request)
        self._apply(request, queryset, "tried again", lambda pk: retry.retry(submission_id=pk, by=by))

    @admin.action(description="Cancel (those on their way)", permissions=["steer"])
    def cancel(self, request: HttpRequest, queryset: SubmissionQuerySet) -> None:
        by = signed_in_user(request)
        self._apply(request, queryset, "cancelled", lambda pk: cancel(submission_id=pk, by=by))

    @admin.action(description="Disqualify (scored ones), with a public reason", permissions=["steer"])
    def disqualify(self, request: HttpRequest, queryset: SubmissionQuerySet) -> TemplateResponse | None:
        # The first request comes from the list of submissions, which has no field for the reason.
        form = DisqualifyForm(request.POST if "reason" in request.POST else None)
        if not form.is_valid():
            return self._ask(request, queryset, "disqualify", "Disqualify", form)
        self._disqualify(request, queryset, form.cleaned_data["reason"])
        return None

    @admin.action(description="Reinstate (disqualified ones)", permissions=["steer"])
    def reinstate(self, request: HttpRequest, queryset: SubmissionQuerySet) -> None:
        by = signed_in_user(request)
        self._apply(request, queryset, "reinstated", lambda pk: reinstate(submission_id=pk, by=by))

    def get_urls(self) -> list[URLPattern]:
        site = self.admin_site
        actions = [
            path(f"<uuid:pk>/{name}/", site.admin_view(view), name=f"leaderboard_submission_{name}")
            for name, view in (("disqualify", self.disqualify_view), ("reinstate", self.reinstate_view))
        ]
        return actions + super().get_urls()

    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def disqualify_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Disqualify the submission whose page links here, after asking for the reason."""
        form = DisqualifyForm(request.POST if request.method == "POST" else None)
        submissions = self._select(request, pk)
        if not form.is_valid():
            return self._ask(request, submissions, "disqualify", "Disqualify", form)
        self._disqualify(request, submissions, form.cleaned_data["reason"])
        return redirect("web:submission", submission_id=pk)

    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def reinstate_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Reinstate the submission whose page links here, after asking for confirmation."""
        submissions = self._select(request, pk)
        if request.method != "POST":
            return self._ask(request, submissions, "reinstate", "Reinstate")
        self.reinstate(request, submissions)
        return redirect("web:submission", submission_id=pk)

    def _select(self, request: HttpRequest, pk: UUID) -> SubmissionQuerySet:
        """Return the one submission as a queryset. Raises PermissionDenied, Http404."""
        if not self.has_steer_permission(request):
            raise PermissionDenied
        submissions = self.get_queryset(request).filter(pk=pk)
        if not submissions:
            raise Http404
        return submissions

    def _ask(
        self,
        request: HttpRequest,
        submissions: SubmissionQuerySet,
        action: str,
        title: str,
        form: forms.Form | None = None,
    ) -> TemplateResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.opts,
            "submissions": submissions,
            "checkbox": ACTION_CHECKBOX_NAME,
            "form": form,
        }
        return TemplateResponse(request, f"admin/leaderboard/submission/{action}.html", context)

    def _disqualify(self, request: HttpRequest, submissions: SubmissionQuerySet, reason: str) -> None:
        by = signed_in_user(request)
        self._apply(
            request,
            submissions,
            "disqualified",
            lambda pk: disqualify(submission_id=pk, by=by, reason=reason),
        )

    def _apply(
        self,
        request: HttpRequest,
        submissions: SubmissionQuerySet,
        outcome: str,
        act: Callable[[UUID], object],
    ) -> None:
        """Call `act` for each submission; report how many have the `outcome`, and why others do not."""
        refusals = []
        ids = list(submissions.values_list("pk", flat=True))
        for pk in ids:
            try:
                act(pk)
            except (WrongState, StorageAway) as error:
                refusals.append(f"{pk}: {error.detail}")
        if len(ids) > len(refusals):
            self.message_user(request, f"{len(ids) - len(refusals)} {outcome}.")
        if refusals:
            self.message_user(request, f"Not done: {' '.join(refusals)}", messages.WARNING)

    @admin.action(description="Export as CSV (at the feedback level of each leaderboard)")
    def export_csv(self, request: HttpRequest, queryset: SubmissionQuerySet) -> HttpResponse:
        response = HttpResponse(_as_csv(queryset.with_result()), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="submissions.csv"'
        return response


def _as_csv(submissions: Iterable[Submission]) -> str:
    """Return one line per submission; metrics that are not visible are empty."""
    lines = []
    for submission in submissions:
        line: dict[str, Any] = {
            "submission": str(submission.pk),
            "benchmark": submission.benchmark.slug,
            "team": neutralise(submission.team.name),
            "system": neutralise(submission.system.name),
            "status": submission.status,
            "received_at": submission.received_at.isoformat(),
            "published": submission.is_published,
        }
        # Anyone who may see all submissions is an organiser.
        result = visibility.visible_result(submission, to_organiser=True)
        if result is not None:
            line |= {"right": result.overall.right, "total": result.overall.total, **result.metrics}
            line |= {
                f"{group}_right": rate.right
                for groups in result.breakdowns.values()
                for group, rate in groups.items()
            }
            line["reference_digest"] = result.evaluation.revision.digest
        lines.append(line)
    # Imported here: pandas takes half a second, which only this export should wait for.
    import pandas as pd  # noqa: PLC0415

    # As objects: a missing value would turn the counts of a column into floats.
    return pd.DataFrame(lines, dtype=object).to_csv(index=False)
