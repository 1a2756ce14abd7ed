"""Submissions: what became of them, and what the organiser can do about it."""

from django.contrib import admin, messages
from django.http import HttpResponse

from leaderboard.admin.evaluations import spent_in_words
from leaderboard.admin.read_only import ReadOnly
from leaderboard.models import Submission
from leaderboard.services import cancelling, feedback, grading
from leaderboard.services.errors import WrongState
from leaderboard.services.exports import inert


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
    list_filter = ("benchmark", "status")
    search_fields = ("id", "sha256", "system__name", "team__name", "submitted_by__email")
    date_hierarchy = "received_at"
    list_max_show_all = 100
    actions = ("export_csv", "resume_now", "try_again", "cancel")
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
            if not grading.resume(submission_id=pk, by=request.user):
                raise WrongState("Only an incomplete submission can be resumed.")

        self._to_each(request, queryset, "resumed", resume)

    @admin.action(description="Try again (failed and cancelled ones)", permissions=["steer"])
    def try_again(self, request, queryset):
        self._to_each(
            request, queryset, "tried again", lambda pk: grading.retry(submission_id=pk, by=request.user)
        )

    @admin.action(description="Cancel (those on their way)", permissions=["steer"])
    def cancel(self, request, queryset):
        self._to_each(
            request, queryset, "cancelled", lambda pk: cancelling.cancel(submission_id=pk, by=request.user)
        )

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
