"""All about one submission for an organiser, and what an organiser does with it."""

from collections import Counter
from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from leaderboard.models import AuditEvent, Evaluation, Status, Submission
from leaderboard.services import visibility
from leaderboard.services.desk.attention import similar_files
from leaderboard.services.desk.submissions import mark_reviewed
from leaderboard.services.errors import WrongState
from leaderboard.services.files import store
from leaderboard.services.files.read import suspect_answers
from leaderboard.services.publishing.approvals import waits_for_approval
from leaderboard.services.publishing.system_facts import confirm_organisation
from leaderboard.services.record.entry import entry_of
from leaderboard.services.submissions import retry
from leaderboard.services.submissions.cancel import cancel
from leaderboard.services.traces.read import may_have_traces
from leaderboard.web.organise.access import desk_page
from leaderboard.web.shared.signed_in_request import SignedInRequest, report


@desk_page("GET")
def submission(request: SignedInRequest, submission: Submission) -> HttpResponse:
    events = AuditEvent.objects.filter(submission=submission).select_related("actor").order_by("at", "pk")
    evaluations = Evaluation.objects.filter(submission=submission).select_related("revision")
    suspects = suspect_answers(submission.evaluation) if submission.evaluation else []
    remarks = [remark for remark in (*submission.problems, *submission.warnings) if isinstance(remark, dict)]
    is_reviewed = any(event.action == AuditEvent.Action.REVIEWED for event in events)
    result = visibility.visible_result(submission, to_organiser=True)
    metrics = [metric for metric in visibility.visible_metrics(submission.board)[1:] if result]
    groups = [group for group in similar_files(submission.board) if submission in group.submissions]
    can_retry = submission.status in (Status.FAILED, Status.CANCELLED)
    context = {
        "submission": submission,
        "board": submission.board,
        "events": [(event, AuditEvent.Action(event.action).label.capitalize()) for event in events],
        "evaluations": evaluations.defer(
            "verdicts", "details", "revision__content", "revision__task_ids"
        ).order_by("created_at", "pk"),
        "codes": Counter(remark.get("code", "") for remark in remarks).most_common(),
        # None where the file is not in the store.
        "suspects": suspects,
        "is_reviewed": is_reviewed,
        "has_records": store.has_records(submission.stored_as),
        "result": result,
        "ranked": visibility.ranked_metric(submission.board),
        "metrics": [(metric, result.metrics.get(metric.key)) for metric in metrics] if result else [],
        "can_retry": can_retry,
        "can_resume": submission.status == Status.INCOMPLETE,
        "can_cancel": submission.is_pending,
        "similar": groups,
        "can_review": not is_reviewed and (can_retry or bool(suspects or groups)),
        "entry": entry_of(submission),
        "waits_for_approval": waits_for_approval(submission),
        "has_traces": may_have_traces(submission),
        "is_confirmed": submission.stated_organisation in submission.team.confirmed_organisations,
        "tab": "submissions",
    }
    return render(request, "web/organise/submission.html", context)


@desk_page("POST")
def act(request: SignedInRequest, submission: Submission, action: str) -> HttpResponse:
    """Retry, resume, cancel or review a submission, or confirm its organisation; show it again."""

    def resume() -> None:
        if not retry.resume(submission_id=submission.pk, by=request.user):
            raise WrongState("Only an incomplete submission can be resumed.")

    confirm = partial(
        confirm_organisation, submission=submission, seen=request.POST.get("seen", ""), by=request.user
    )
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "retry": (lambda: retry.retry(submission_id=submission.pk, by=request.user), "It is scored again."),
        "resume": (resume, "It is resumed."),
        "cancel": (lambda: cancel(submission_id=submission.pk, by=request.user), "Cancelled."),
        "confirm": (partial(confirm, is_confirmed=True), "The organisation is confirmed."),
        "unconfirm": (partial(confirm, is_confirmed=False), "The organisation is no longer confirmed."),
        "review": (lambda: mark_reviewed(submission=submission, by=request.user), "Marked as reviewed."),
    }
    if action not in acts:
        raise Http404
    do, done = acts[action]
    with report(request, done):
        do()
    return redirect("web:organise-submission", submission_id=submission.pk)
