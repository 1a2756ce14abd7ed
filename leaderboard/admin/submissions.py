"""Submissions: what became of them, and what the organiser can do about it."""

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from leaderboard.admin.evaluations import spent_in_words
from leaderboard.admin.read_only import ReadOnly
from leaderboard.models import Submission
from leaderboard.services import visibility
from leaderboard.services.errors import WrongState
from leaderboard.services.exports.csv_json import inert
from leaderboard.services.publishing import disqualify as disqualifying
from leaderboard.services.submissions import cancel as cancelling
from leaderboard.services.submissions import grade


class DisqualifyForm(forms.Form):
    """Why results are taken off their boards."""

    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3, "cols": 80}),
        help_text=f"Public. Up to {disqualifying.MAX_REASON} characters.",
    )

    def clean_reason(self):
        try:
            return disqualifying.read_reason(self.cleaned_data["reason"])
        except disqualifying.ReasonRefused as refused:
            raise forms.ValidationError(refused.detail) from refused


class DisqualifiedFilter(admin.EmptyFieldListFilter):
    """Whether the organisers disqualified the result, in plain words."""

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.title = "disqualified"

    def choices(self, changelist):
        for choice, words in zip(super().choices(changelist), ("All", "No", "Yes"), strict=True):
            yield choice | {"display": words}


@admin.register(Submission)
class SubmissionAdmin(ReadOnly):
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
        "format",
        "problem_count",
        "warning_count",
        "received_at",
        "moved_at",
        "scored_at",
        "published_at",
        "withdrawn_at",
        "withdrawal_reason",
        "disqualified_at",
        "disqualification_reason",
    )

    def get_queryset(self, request):
        return super().get_queryset(request).with_result().select_related("submitted_by")

    def has_steer_permission(self, request):
        # No row is changed by hand, but work on it can be: who may is who could change it.
        return request.user.has_perm("leaderboard.change_submission")

    @admin.display(description="Score")
    def score(self, submission):
        if submission.evaluation is None:
            return "–"
        return f"{submission.evaluation.right} of {submission.evaluation.total}"

    @admin.display(description="Judge")
    def judge(self, submission):
        return (submission.evaluation and submission.evaluation.judge) or "–"

    @admin.display(description="Spent on judging", ordering="judge_cost")
    def spent(self, submission):
        return spent_in_words(
            {
                "calls": submission.judge_calls,
                "prompt_tokens": submission.judge_prompt_tokens,
                "completion_tokens": submission.judge_completion_tokens,
                "cost": submission.judge_cost,
                "seconds": submission.judge_seconds,
            }
        )

    @admin.action(description="Resume now (incomplete ones)", permissions=["steer"])
    def resume_now(self, request, queryset):
        def resume(pk):
            if not grade.resume(submission_id=pk, by=request.user):
                raise WrongState("Only an incomplete submission can be resumed.")

        self._to_each(request, queryset, "resumed", resume)

    @admin.action(description="Try again (failed and cancelled ones)", permissions=["steer"])
    def try_again(self, request, queryset):
        self._to_each(
            request, queryset, "tried again", lambda pk: grade.retry(submission_id=pk, by=request.user)
        )

    @admin.action(description="Cancel (those on their way)", permissions=["steer"])
    def cancel(self, request, queryset):
        self._to_each(
            request, queryset, "cancelled", lambda pk: cancelling.cancel(submission_id=pk, by=request.user)
        )

    @admin.action(description="Disqualify (scored ones), with a public reason", permissions=["steer"])
    def disqualify(self, request, queryset):
        form = DisqualifyForm(request.POST if "said" in request.POST else None)
        if not form.is_valid():
            return self._asked(request, queryset, "disqualify", "Disqualify", form)
        reason = form.cleaned_data["reason"]
        self._to_each(
            request,
            queryset,
            "disqualified",
            lambda pk: disqualifying.disqualify(submission_id=pk, by=request.user, reason=reason),
        )
        return None

    @admin.action(description="Reinstate (disqualified ones)", permissions=["steer"])
    def reinstate(self, request, queryset):
        self._to_each(
            request,
            queryset,
            "reinstated",
            lambda pk: disqualifying.reinstate(submission_id=pk, by=request.user),
        )

    def get_urls(self):
        site = self.admin_site
        own = [
            path(f"<uuid:pk>/{name}/", site.admin_view(view), name=f"leaderboard_submission_{name}")
            for name, view in (("disqualify", self.disqualify_one), ("reinstate", self.reinstate_one))
        ]
        return own + super().get_urls()

    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def disqualify_one(self, request, pk):
        """The form of one submission, to which its page leads."""
        form = DisqualifyForm(request.POST if request.method == "POST" else None)
        found = self._found(request, pk)
        if not form.is_valid():
            return self._asked(request, found, "disqualify", "Disqualify", form)
        reason = form.cleaned_data["reason"]
        self._to_each(
            request,
            found,
            "disqualified",
            lambda key: disqualifying.disqualify(submission_id=key, by=request.user, reason=reason),
        )
        return redirect("web:submission", submission_id=pk)

    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def reinstate_one(self, request, pk):
        """The question whether to reinstate one submission, to which its page leads."""
        found = self._found(request, pk)
        if request.method != "POST":
            return self._asked(request, found, "reinstate", "Reinstate")
        self._to_each(
            request,
            found,
            "reinstated",
            lambda key: disqualifying.reinstate(submission_id=key, by=request.user),
        )
        return redirect("web:submission", submission_id=pk)

    def _found(self, request, pk):
        if not self.has_steer_permission(request):
            raise PermissionDenied
        found = self.get_queryset(request).filter(pk=pk)
        if not found:
            raise Http404
        return found

    def _asked(self, request, submissions, action, title, form=None):
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.opts,
            "submissions": submissions,
            "checkbox": ACTION_CHECKBOX_NAME,
            "form": form,
        }
        return TemplateResponse(request, f"admin/leaderboard/submission/{action}.html", context)

    def _to_each(self, request, queryset, done, act):
        refused = []
        ids = list(queryset.values_list("pk", flat=True))
        for pk in ids:
            try:
                act(pk)
            except WrongState as error:
                refused.append(f"{pk}: {error.detail}")
        if len(ids) > len(refused):
            self.message_user(request, f"{len(ids) - len(refused)} {done}.")
        if refused:
            self.message_user(request, f"Not done: {' '.join(refused)}", messages.WARNING)

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
            "team": inert(submission.team.name),
            "system": inert(submission.system.name),
            "status": submission.status,
            "received_at": submission.received_at.isoformat(),
            "published": submission.is_published,
        }
        if submission.evaluation is not None:
            result = visibility.visible_result(submission.benchmark, submission.evaluation)
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
