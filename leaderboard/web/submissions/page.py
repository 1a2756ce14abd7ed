"""The list of a team's submissions, and the page of a submission."""

import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.http.problems import status_of
from leaderboard.http.readers import reader_of
from leaderboard.models import BoardAction, Standing, Status, Submission, Team
from leaderboard.services import access, visibility
from leaderboard.services.access import Reader
from leaderboard.services.boards.ranks import ranks_of_result
from leaderboard.services.boards.read_rows import page_of_row
from leaderboard.services.errors import (
    ApprovalNeeded,
    Busy,
    ConfirmationNeeded,
    EmailUnverified,
    NotFound,
    QuotaSpent,
    StorageAway,
    WrongState,
)
from leaderboard.services.publishing import approvals
from leaderboard.services.publishing.publish import (
    must_be_confirmed,
    publish,
    withdraw,
    would_be_entry,
)
from leaderboard.services.publishing.review_links import can_have_link, live_links
from leaderboard.services.record.entry import entry_of
from leaderboard.services.record.past import removal_of
from leaderboard.services.rows.conditions import describe_system, links_of, sender_words, words_of
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules
from leaderboard.services.rows.log_facts import log_lines
from leaderboard.services.submissions.cancel import cancel
from leaderboard.services.traces.read import may_have_traces
from leaderboard.services.traces.tasks import Choice, Outcome, tasks_of
from leaderboard.services.visibility import VisibleResult
from leaderboard.web.shared.group_tables import links_to_tasks
from leaderboard.web.shared.run_table import run_table
from leaderboard.web.shared.signed_in_request import SignedInRequest, action, sign_in_first
from leaderboard.web.submissions.figures import figures_context
from leaderboard.web.submissions.forms import ReviewLinkForm, WithdrawForm
from leaderboard.web.submissions.progress import live_progress
from leaderboard.web.submissions.report import report_json, stored_report
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Metric

_PAGE = 50


def _line_of(submission: Submission) -> tuple[Submission, VisibleResult | None, Metric | None]:
    """Return a submission with its result and its metric, which only an installed benchmark has."""
    if registry.find(submission.board.benchmark) is None:
        return submission, None, None
    return submission, visibility.visible_result(submission), visibility.ranked_metric(submission.board)


@require_safe
@sign_in_first
def list_submissions(request: SignedInRequest) -> HttpResponse:
    teams = list(Team.objects.of_member(request.user))
    handle = request.GET.get("team", "")
    chosen = [team for team in teams if (team.handle or "") == handle] if "team" in request.GET else teams
    if "team" in request.GET and handle and not chosen:
        raise Http404(_("There is no such team, or you are not in it."))
    rows = Submission.objects.filter(team__in=chosen)
    page = Paginator(rows.with_result(), _PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "web/submissions/list.html",
        {
            "page": page,
            "lines": [_line_of(submission) for submission in page.object_list],
            # Someone alone has nothing to choose.
            "teams": teams if any(team.is_shared for team in teams) else [],
            "chosen": handle if "team" in request.GET else None,
        },
    )


@require_safe
@never_cache
def submission(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    try:
        submission = access.find_submission(reader_of(request), submission_id)
    except NotFound:
        removed = _removed_page(request, submission_id)
        if removed is None:
            raise
        return removed
    return render(request, "web/submissions/page.html", page_context(request, submission))


def _removed_page(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse | None:
    """Return the page of a result that was public once, as its removal is; None for all others."""
    rows = Submission.objects.select_related("system", "board").defer("problems", "warnings")
    submission = rows.filter(pk=submission_id, published_at__isnull=False).first()
    removal = removal_of(submission) if submission else None
    if submission is None or removal is None:
        return None
    context = {
        "submission": submission,
        "board": submission.board,
        "removal": removal,
        "is_disqualified": removal.action == BoardAction.DISQUALIFIED,
    }
    # 410: a link to it was right once, and it is not coming back by itself.
    return render(request, "web/submissions/removed.html", context, status=410)


@require_safe
@never_cache
def progress(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Serve the part of the page about progress; once scoring is over, the whole content."""
    try:
        submission = access.find_submission(reader_of(request), submission_id)
    except NotFound:
        # Most likely the user signed out meanwhile: reload the page, which explains.
        return HttpResponse(status=status_of("not-found"), headers={"HX-Refresh": "true"})
    live = live_progress(submission)
    announced = request.GET.get("announced", "")
    if live is None:
        context = page_context(request, submission)
        response = render(request, "web/submissions/partials/arrived.html", context)
        response["HX-Retarget"], response["HX-Reswap"] = "#submission", "innerHTML"
        return response
    is_new_milestone = announced not in ("", live["milestone"])
    context = {"submission": submission, "live": live, "is_new_milestone": is_new_milestone}
    return render(request, "web/submissions/partials/progress.html", context)


@require_safe
@sign_in_first
def download_report(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Serve the report on a submission's file, to its team and to organisers."""
    submission = access.find_submission(reader_of(request), submission_id)
    if not access.may_read_report(reader_of(request), submission):
        raise Http404("There is no such report here.")
    headers = {"Content-Disposition": f'attachment; filename="report-{submission.pk}.json"'}
    return HttpResponse(report_json(submission), content_type="application/json", headers=headers)


def page_context(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """Return the context of the page; warnings, problems and tasks are for its own team."""
    reader = reader_of(request)
    is_own = access.may_change(reader, submission)
    described = describe_system(submission.system, translated)
    links = links_of(submission.system, translated)
    return {
        "submission": submission,
        "board": submission.board,
        "is_own": is_own,
        "may_manage": access.may_manage(reader, submission.board),
        "sender": sender_words(submission.system, translated),
        "described": [(label, words) for label, words in described if words],
        "links": [(label, url) for label, url in links if url],
        "unstated": [label for label, value in (*described, *links) if not value],
        "conditions": words_of(submission.system, translated),
        "from_log": log_lines(submission, translated),
        "withdraw": WithdrawForm(),
        "waits_for_approval": is_own and approvals.waits_for_approval(submission),
        "live": live_progress(submission),
        "report": stored_report(submission) if is_own else None,
        "review_links": live_links(submission) if is_own else [],
        "can_link": is_own and can_have_link(submission),
        "link_form": ReviewLinkForm(auto_id="link_%s"),
        "offers_traces": is_own and may_have_traces(submission) and submission.board.offers_public_traces,
        "has_traces": may_have_traces(submission) and access.may_read_traces(reader, submission),
        **_result_context(reader, submission, is_own=is_own),
    }


def _tasks_context(reader: Reader, submission: Submission) -> dict[str, Any]:
    """Return whether the reader may see the tasks, and every kind of failure with its tasks."""
    listed = tasks_of(reader, submission)
    if listed is None:
        return {"has_tasks": False, "task_links": {}}
    page = reverse("web:tasks", args=[submission.pk])
    failures = [
        {
            "label": translated(kind),
            "count": count,
            "query": f"{page}?{urlencode({'outcome': 'wrong', 'failure': kind})}",
        }
        for kind, count in listed.counts("failure", Choice(outcome=Outcome.WRONG)).most_common()
    ]
    verdicts = listed.counts("outcome")
    # Of several runs, the page counts answers.
    others = {"wrong": verdicts[Outcome.WRONG], "undecided": verdicts[Outcome.OPEN]}
    return {
        "has_tasks": True,
        "failures": failures,
        "task_links": links_to_tasks(reader, submission),
        **(others if listed.evaluation.runs == 1 else {}),
    }


def _result_context(reader: Reader, submission: Submission, *, is_own: bool) -> dict[str, Any]:
    """Return the context of the runs, and of the visible part of the result where there is one."""
    result = visibility.visible_result(submission, to_organiser=access.may_oversee(reader, submission))
    runs = run_table(submission, result, names_files=is_own)
    if result is None:
        return {"runs": runs}
    can_publish = (
        submission.status == Status.SCORED
        and not submission.is_published
        and submission.disqualified_at is None
        and not submission.board.is_unranked
    )
    return {
        "runs": runs,
        **figures_context(submission.board, result),
        **_tasks_context(reader, submission),
        "preview": preview_of(submission, result) if is_own and can_publish else None,
        "why_unranked": _why_unranked(submission, result) if is_own else "",
        "entry": entry_of(submission),
        "must_be_confirmed": is_own and must_be_confirmed(submission),
    }


def preview_of(submission: Submission, result: VisibleResult) -> dict[str, Any]:
    """Return the rank that an unpublished result would have, from the score that is visible, and no other.

    best, worst: its rank lies between, whatever its score is within the rounding
    systems: number of systems that it would be ranked among, with itself
    is_mostly_open: whether undecided answers are among the reasons why it would have no rank
    is_entry: whether the row would show this result
    """
    return {
        **ranks_of_result(result, submission.board, system=submission.system_id),
        "is_mostly_open": LeadRule.OPEN in LeadRules.of(submission.board).unmet_by_result(submission),
        "is_entry": would_be_entry(submission),
    }


def _why_unranked(submission: Submission, result: VisibleResult) -> str:
    """Return why rules keep a result from a rank, or would if it were published; "" where none does."""
    if submission.board.is_unranked or submission.disqualified_at:
        return ""
    rules, evaluation = LeadRules.of(submission.board), result.evaluation
    open_share = rules.open_share(evaluation.rate.rate, evaluation.metrics) if result.is_complete else None
    return rules.why_unranked(rules.unmet_by_result(submission), open_share)


@action
def publish_submission(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Publish a result and go to the page of its row; where there is none yet, back to the submission."""
    rows: list[Standing] = []

    # Of a published result, the same button shows or hides the traces.
    choice = request.POST.get("public_traces", "")

    def act(team: Team) -> str:
        try:
            submission = publish(
                submission_id=submission_id,
                team=team,
                by=request.user,
                is_confirmed="confirm_log" in request.POST,
                public_traces={"yes": True, "no": False}.get(choice),
            )
        except ApprovalNeeded:
            submission = approvals.publish_once_approved(
                submission_id=submission_id, team=team, by=request.user
            )
            text = _("The organisers of %(title)s are asked to approve your team. Then it is published.")
            return text % {"title": _(submission.board.title)}
        if choice == "no":
            return _("Only your team and the organisers can read the traces now.")
        rows.extend(Standing.objects.filter(evaluation=submission.evaluation_id).select_related("board"))
        address = request.build_absolute_uri(reverse("web:system", args=[submission.system_id]))
        context = {"submission": submission, "address": address, "has_row": bool(rows)}
        return render_to_string("web/submissions/partials/published.html", context, request)

    answer = _perform(request, submission_id, act, may=access.may_publish)
    if not rows:
        return answer
    # The page begins with the message, which leads to the row: an anchor would scroll past it.
    page = page_of_row(rows[0])
    return redirect(reverse("web:board", args=[rows[0].board.slug]) + (f"?page={page}" if page > 1 else ""))


@action
def withdraw_submission(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    def act(team: Team) -> str:
        reason = request.POST.get("reason", "")
        submission = withdraw(submission_id=submission_id, team=team, by=request.user, reason=reason)
        return _("Withdrawn from %(title)s.") % {"title": _(submission.board.title)}

    return _perform(request, submission_id, act, may=access.may_publish)


@action
def cancel_submission(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    def act(team: Team) -> str:
        cancel(submission_id=submission_id, team=team, by=request.user)
        return ""  # the page says that it is cancelled, and what can be done

    return _perform(request, submission_id, act)


def _perform(
    request: SignedInRequest,
    submission_id: uuid.UUID,
    act: Callable[[Team], str],
    *,
    may: Callable[[Reader, Submission], bool] = access.may_change,
) -> HttpResponse:
    """Run `act` on the team whose submission it is, and redirect to its page with the message, if any."""
    try:
        if message := act(access.find_own(reader_of(request), submission_id, may).team):
            messages.success(request, message)
    except EmailUnverified as error:
        page, label = reverse("account_email"), _("Your email addresses")
        messages.error(request, format_html('{} <a href="{}">{}</a>', error.detail, page, label))
    except (WrongState, ConfirmationNeeded, QuotaSpent, StorageAway, Busy) as error:
        messages.error(request, error.detail)
    return redirect("web:submission", submission_id=submission_id)
