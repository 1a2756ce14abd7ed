"""The page of a result for reviewers, without names, and the forms that make and revoke links to it."""

import uuid
from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.http.problems import INVALID, status_of
from leaderboard.http.readers import reader_of
from leaderboard.services.access import find_own
from leaderboard.services.boards.ranks import ranks_of_result
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.publishing import review_links
from leaderboard.services.rows.lead_rules import LeadRules
from leaderboard.services.visibility import visible_result
from leaderboard.web.shared.signed_in_request import SignedInRequest, action, report
from leaderboard.web.shared.urls import absolute_url
from leaderboard.web.submissions.figures import figures_context
from leaderboard.web.submissions.forms import ReviewLinkForm
from leaderboard.web.submissions.page import page_context

# Of each response to such an address, also of those that show nothing.
_HEADERS = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
}
# The page is the same for everyone: a reviewer who has an account here leaves no trace of it on the page.
_VISITOR = {"user": AnonymousUser(), "messages": ()}


@require_safe
def show_to_reviewer(request: HttpRequest, token: str) -> HttpResponse:
    """Show a result without anything that names or dates it; all links without one get the same page."""
    try:
        link, submission = review_links.find_linked(token)
    except (NotFound, WrongState) as error:
        is_sealed, status = isinstance(error, WrongState), status_of("not-found")
        page = "web/submissions/review_gone.html"
        return answer_linked(request, page, {"is_sealed": is_sealed}, status=status)
    result = visible_result(submission)
    assert result is not None, "a scored submission has a result"
    board = submission.board
    # Of all rows: without that of the system itself, the ranks would tell whether it has one.
    ranks = ranks_of_result(result, board, system=None)
    context = {
        # Not the submission itself, so that no template can name it.
        "board": board,
        "evaluation": result.evaluation,
        "revision": result.evaluation.revision,
        "expires_on": link.expires_at,
        **ranks,
        "others": ranks["systems"] - 1,
        "has_rank": not LeadRules.of(board).unmet_by_result(submission),
        **figures_context(board, result),
        # A reviewer sees no task.
        "task_links": {},
    }
    return answer_linked(request, "web/submissions/review.html", context)


def answer_linked(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Return a page for everyone with its link; no cache stores it, and no search engine lists it."""
    return HttpResponse(
        render_to_string(template, {**context, **_VISITOR}, request), status=status, headers=_HEADERS
    )


@action
@never_cache
def create_link(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    """Create a link and show its address once, on the page of the submission."""
    submission = find_own(reader_of(request), submission_id)
    form, address = ReviewLinkForm(request.POST, auto_id="link_%s"), ""
    if form.is_valid():
        # No redirect: the address is shown once on this page, and never stored in a session.
        try:
            _link, token = review_links.create_link(
                submission_id=submission.pk, team=submission.team, by=request.user, **form.cleaned_data
            )
        except WrongState as error:
            messages.error(request, error.detail)
            return redirect("web:submission", submission_id=submission.pk)
        else:
            form = ReviewLinkForm(auto_id="link_%s")
            # Always in English: readers need not share the author's language.
            with translation.override("en"):
                address = absolute_url(request, "web:review", token)
    context = {**page_context(request, submission), "link_form": form, "new_link": address}
    return render(request, "web/submissions/page.html", context, status=INVALID if form.errors else 200)


@action
def revoke_link(request: SignedInRequest, submission_id: uuid.UUID) -> HttpResponse:
    submission = find_own(reader_of(request), submission_id)
    link_id = uuid.UUID(int=0)  # of no link
    with suppress(ValueError):
        link_id = uuid.UUID(request.POST.get("link", ""))
    with report(request, _("Revoked: the link no longer shows the result."), (NotFound,)):
        review_links.revoke_link(
            submission_id=submission.pk, link_id=link_id, team=submission.team, by=request.user
        )
    return redirect("web:submission", submission_id=submission.pk)
