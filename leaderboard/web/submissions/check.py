"""The page that checks a file without an account and without storing it."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.http.problems import INVALID, mark_refused
from leaderboard.http.uploads import IncomingFile, join_files
from leaderboard.models import Board
from leaderboard.services.errors import Busy, NoRoom
from leaderboard.services.files.read import largest_file
from leaderboard.services.submissions import submit
from leaderboard.web.submissions import waiting
from leaderboard.web.submissions.report import report_of
from leaderboard.web.submissions.uploads import chosen_files, limits_context, names_of
from wardboard.scoring.reading.problems import SubmissionInvalid


@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest) -> HttpResponse:
    """Check a file; the query `?fragment` asks for the report without the page around it."""
    # Credentialed data are uploaded after an acknowledgement only, which the page to submit asks for.
    open_boards = waiting.open_boards()
    has_account = request.user.is_authenticated
    for board in open_boards:
        # For the template.
        board.file_limit = largest_file(board.benchmark, has_account=has_account)  # type: ignore[attr-defined]
    context = {
        "open_boards": open_boards,
        **limits_context(open_boards, has_account=has_account),
        "draft_hours": settings.DRAFT_HOURS,
        "at_once": settings.CHECK_AT_ONCE_BYTES,
    }
    if request.method != "POST":
        return render(request, "web/submissions/check.html", context | _chosen(request.GET, open_boards))
    try:
        waiting.count_form(request)
    except waiting.TooManyChecks as error:
        page = _answer(request, "429.html", {"wait": error.wait})
        return mark_refused(page, "too-many-requests", error.wait)
    chosen = _chosen(request.POST, open_boards)
    named = next((board for board in open_boards if board.slug == chosen["chosen"]), None)
    return _report(request, context | chosen, named)


def _chosen(params: QueryDict, open_boards: Sequence[Board]) -> dict[str, Any]:
    """Return the chosen leaderboard's slug, and whether the user must choose among several."""
    slug = params.get("benchmark", "")
    open_slugs = {board.slug for board in open_boards}
    return {"chosen": slug, "must_choose": len(open_slugs) > 1 and slug not in open_slugs}


def _report(request: HttpRequest, context: dict[str, Any], board: Board | None) -> HttpResponse:
    try:
        return _read(request, context, board, chosen_files(request))
    except (NoRoom, Busy) as error:
        page = _answer(request, "web/submissions/check.html", context | {"file_error": error.detail})
        return mark_refused(page, error)


def _read(
    request: HttpRequest, context: dict[str, Any], board: Board | None, files: list[IncomingFile]
) -> HttpResponse:
    """Read the chosen files, and answer with the report. Raises Busy, NoRoom."""
    if board is None:
        context["board_error"] = _("Choose the leaderboard that the file is for.")
    if not files:
        context["file_error"] = _("Choose a file first.")
    status = INVALID
    if board and files:
        context |= {"board": board, "filename": names_of(files)}
        try:
            file = files[0]
            if board.is_open:
                file = join_files(
                    request, files, [board.benchmark], has_account=request.user.is_authenticated
                )
            reading = submit.check(board=board, file=file.stored, has_account=request.user.is_authenticated)
        except SubmissionInvalid as error:
            context["report"] = report_of(error.problems, error.warnings)
        else:
            forms = reading.forms and reading.forms.as_dict()
            context |= {"report": report_of(None, reading.warnings), "reading": reading, "forms": forms}
            status = 200
    return _answer(request, "web/submissions/check.html", context, status)


def _answer(request: HttpRequest, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    if "fragment" in request.GET:
        template = "web/submissions/partials/checked.html"
        context["is_fragment"] = True
    return render(request, template, context, status=status)
