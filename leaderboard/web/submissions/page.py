"""One's submissions, and the page of one."""

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from leaderboard.models import Submission, Team
from leaderboard.services import visibility
from leaderboard.services.accounts import find_team, new_team, personal_team
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.publishing import publish as publishing
from leaderboard.services.submissions import cancel as cancelling
from leaderboard.web.shared.results import shown_result
from leaderboard.web.submissions.forms import WithdrawForm
from leaderboard.web.submissions.progress import live_of
from leaderboard.web.submissions.report import stored_report
from scoring.verdicts import Rate

_PAGE = 50
_TASKS = 100


@require_safe
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    team = find_team(request.user)
    page = Paginator(Submission.objects.of_team(team).with_result(), _PAGE).get_page(request.GET.get("page"))
    for submission in page.object_list:
        found = submission.evaluation
        submission.rate = found and Rate(right=found.right, total=found.total).rate
        submission.metric = visibility.visible_metrics(submission.benchmark)[0]
    return render(
        request,
        "web/submissions/list.html",
        {"page": page, "team": team or new_team(request.user), "pages": _numbers(page)},
    )


def _numbers(page):
    return page.paginator.get_elided_page_range(page.number, on_each_side=2)


@require_safe
@never_cache
def submission(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    found, team = _find(request, submission_id)
    return render(request, "web/submissions/page.html", _context(request, found, team))


@require_safe
@never_cache
def progress(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    """The part of the page that tells how far scoring is; once it is over, all that the page then shows."""
    try:
        found, team = _find(request, submission_id)
    except Http404:
        # Signed out meanwhile, most likely: the page as a whole says what is the matter.
        return HttpResponse(status=404, headers={"HX-Refresh": "true"})
    live = live_of(found)
    told = request.GET.get("told", "")
    if live is None:
        answer = render(request, "web/submissions/partials/arrived.html", _context(request, found, team))
        answer["HX-Retarget"], answer["HX-Reswap"] = "#submission", "innerHTML"
        return answer
    context = {"submission": found, "live": live, "is_news": told not in ("", live.milestone)}
    return render(request, "web/submissions/partials/progress.html", context)


@require_safe
@login_required
def tasks(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    found, team = _find(request, submission_id)
    is_own = team is not None and found.team_id == team.pk
    lines = (
        visibility.visible_tasks(found.benchmark, found.evaluation) if is_own and found.evaluation else None
    )
    if lines is None:
        raise Http404("There is no list of tasks here.")
    page = Paginator(lines, _TASKS).get_page(request.GET.get("page"))
    context = {"submission": found, "benchmark": found.benchmark, "page": page, "pages": _numbers(page)}
    return render(request, "web/submissions/tasks.html", context)


def _find(request: HttpRequest, submission_id: uuid.UUID) -> tuple[Submission, Team | None]:
    """Return the submission as this reader may see it, and the reader's team. Raises Http404."""
    team = find_team(request.user) if request.user.is_authenticated else None
    try:
        return publishing.find(submission_id=submission_id, team=team), team
    except NotFound as error:
        found = Submission.objects.with_result().filter(pk=submission_id).first()
        if found is None or not _is_organiser(request):
            raise Http404(error.detail) from error
        return found, team


def _is_organiser(request: HttpRequest) -> bool:
    """Whether the reader may look at every submission; to do something about one is another matter."""
    return request.user.is_staff and request.user.has_perm("leaderboard.view_submission")


def _context(request: HttpRequest, found: Submission, team: Team | None) -> dict:
    """Return what of the submission this reader may see: warnings, problems and tasks are the team's own."""
    is_own = team is not None and found.team_id == team.pk
    return {
        "submission": found,
        "benchmark": found.benchmark,
        "is_own": is_own,
        "is_organiser": _is_organiser(request),
        "withdraw": WithdrawForm(),
        "most_a_day": publishing.MOST_A_DAY,
        "is_last_time": is_own
        and found.is_published
        and publishing.is_published_too_often(found, request.user),
        "live": live_of(found),
        "report": stored_report(found) if is_own else None,
        "has_tasks": is_own and found.evaluation is not None and visibility.by_task(found.benchmark),
        **shown_result(found),
    }


@require_POST
@login_required
def publish(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    def act(team: Team) -> str:
        done = publishing.publish(submission_id=submission_id, team=team, by=request.user)
        return _("Published on %(title)s.") % {"title": _(done.benchmark.title)}

    return _act(request, submission_id, act)


@require_POST
@login_required
def withdraw(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    def act(team: Team) -> str:
        reason = request.POST.get("reason", "")
        done = publishing.withdraw(submission_id=submission_id, team=team, by=request.user, reason=reason)
        told = {"title": _(done.benchmark.title), "times": publishing.MOST_A_DAY}
        if publishing.is_published_too_often(done, request.user):
            return (
                _(
                    "Withdrawn from %(title)s. It was published %(times)s times in the last 24 hours, so it "
                    "can be published again only later."
                )
                % told
            )
        return _("Withdrawn from %(title)s. You may publish it again.") % told

    return _act(request, submission_id, act)


@require_POST
@login_required
def cancel(request: HttpRequest, submission_id: uuid.UUID) -> HttpResponse:
    def act(team: Team) -> str:
        cancelling.cancel(submission_id=submission_id, team=team, by=request.user)
        return _("Cancelled. The same file, sent again, goes on from there.")

    return _act(request, submission_id, act)


def _act(request: HttpRequest, submission_id: uuid.UUID, act) -> HttpResponse:
    try:
        messages.success(request, act(personal_team(request.user)))
    except NotFound as error:
        raise Http404(error.detail) from error
    except WrongState as error:
        messages.error(request, error.detail)
    return redirect("web:submission", submission_id=submission_id)
