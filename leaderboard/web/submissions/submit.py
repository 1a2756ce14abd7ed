"""The page for submitting: the file first, then the account, then the facts of the system.

A file that was read waits as a draft (services.drafts) until the rest is there. A leaderboard of credentialed
data takes file, acknowledgement and facts in one form instead, as its files must not wait.
"""

from dataclasses import asdict
from typing import cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.http.addresses import sender_digest
from leaderboard.http.problems import INVALID, mark_refused
from leaderboard.http.uploads import IncomingFile, chosen_files, join_files
from leaderboard.models import Board, Draft, Status, Team
from leaderboard.models.seasons import why_closed
from leaderboard.services import data_class
from leaderboard.services.accounts import personal_team
from leaderboard.services.drafts import drafts
from leaderboard.services.drafts.identify import NotScorable
from leaderboard.services.errors import (
    NoRoom,
    NotFound,
    RequestInvalid,
    ServiceError,
    StorageAway,
    WrongState,
)
from leaderboard.services.files import store
from leaderboard.services.files.arrivals import StoredFile
from leaderboard.services.publishing import approvals
from leaderboard.services.submissions.decide import Decision, NotApplied
from leaderboard.services.submissions.request import SubmissionRequest
from leaderboard.services.submissions.submit import submit
from leaderboard.services.text import join_sentences
from leaderboard.web.shared.draft_cookie import draft_id_of, forget_draft, set_draft
from leaderboard.web.shared.signed_in_request import SignedInRequest, sign_in_first
from leaderboard.web.submissions import waiting
from leaderboard.web.submissions.forms import FactsForm
from leaderboard.web.submissions.report import report_of, stored_report
from leaderboard.web.submissions.submit_page import (
    Page,
    asked_board,
    choose_path,
    chosen_team,
    find_own_system,
)
from wardboard.scoring.reading.problems import SubmissionInvalid

# The buttons of the form, by the value of `then`, besides the one that submits.
_READ = "read"
_ENTRANCES = {"signup": "account_signup", "login": "account_login"}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def choose(request: HttpRequest) -> HttpResponse:
    """Take a file and find its leaderboard; the query may name the one that it is meant for."""
    return _receive(request) if request.method == "POST" else _show(request, asked_board(request.GET))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def submit_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The same page for one leaderboard; it also takes a file and the facts in one request."""
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.path)
        return _submit_directly(cast(SignedInRequest, request), board)
    if closed := why_closed(board, timezone.now()):
        messages.warning(request, closed)
    if board.is_open and not (board.is_credentialed or board.is_season):
        return _show(request, slug, only=True)
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    return Page(request=request, preferred=slug, form=_new_form(request), direct=board).render()


def _show(request: HttpRequest, preferred: str, *, only: bool = False) -> HttpResponse:
    """Show the form with the file that waits; where `only` is set, not a file of other leaderboards."""
    draft = waiting.find(request)
    if draft is not None and draft.submission_id:
        draft = None
    slugs = {match["slug"] for match in draft.matches} if draft is not None else set()
    if only and slugs and preferred not in slugs:
        draft = None
    form = _new_form(request)
    form.fill_in(waiting.facts_of_log(draft) if draft else {})
    return Page(request=request, preferred=preferred, form=form, draft=draft).render()


def _new_form(request: HttpRequest) -> FactsForm:
    """Return an empty form, or one with the name of the system that the query names."""
    key = request.GET.get("system", "")
    system = find_own_system(request.user, key) if request.user.is_authenticated else None
    return FactsForm(initial={"system": system.name} if system else None)


def _receive(request: HttpRequest) -> HttpResponse:
    preferred = asked_board(request.POST) or asked_board(request.GET)
    form = FactsForm(request.POST) if "system" in request.POST else _new_form(request)
    draft, is_new = waiting.find(request), False
    page = Page(request=request, preferred=preferred, form=form, draft=draft)
    try:
        files = chosen_files(request)
        # A page that was opened before takes the place of its own draft alone, and chooses in no other.
        before = draft if draft and not _is_other(request, draft) else None
        select = _selection(request) if before and before.systems and not files else ""
        if draft and not before and not files and "select" in request.POST:
            _warn_of_other(request, draft)
        if files or select:
            page.draft = draft = waiting.take(
                request, files, preferred=preferred, before=before, select=select
            )
            if not draft.made_at:
                # No room is left: its report is shown all the same.
                answer = page.render()
                drafts.discard([draft])
                return answer
            is_new = True
    except waiting.TooManyChecks as error:
        return mark_refused(render(request, "429.html", {"wait": error.retry_after}), error)
    except FileNotFoundError:
        # The file that waits was removed, or chosen from, in this moment.
        page.draft = draft = None
    except NotScorable as error:
        page.draft, page.closest = None, error.closest
        page.report = report_of(error.rejection.problems, error.rejection.warnings)
        page.filename = ", ".join(file.name for file in files)
        return page.render(INVALID)
    except ServiceError as error:
        return _refuse(page, error)
    answer = _go_on(page)
    if is_new and draft is not None:
        set_draft(answer, draft)
    return answer


def _selection(request: HttpRequest) -> str:
    """Return which systems of an archive are ticked, as `open_runs` has it; "" for none."""
    return "|".join(request.POST.getlist("select"))


def _go_on(page: Page) -> HttpResponse:
    """Submit the draft if that is asked for and its sender is signed in."""
    request, draft, form_path = page.request, page.draft, choose_path(page.request, page.preferred)
    has_facts, next_step = "system" in request.POST, request.POST.get("then", "")
    if draft is not None and draft.submission_id:
        # The second of two clicks.
        return _redirect(request, reverse("web:submission", args=[draft.submission_id]))
    is_waiting = draft is not None or drafts.find_waiting(draft_id_of(request)) is not None
    wants_on = next_step in _ENTRANCES or (has_facts and next_step != _READ)
    if not request.user.is_authenticated and is_waiting and wants_on:
        # A visitor, or someone whose session has ended.
        entrance = reverse(_ENTRANCES.get(next_step, "account_login"))
        return _redirect(request, f"{entrance}?{urlencode({'next': form_path})}")
    if draft is None:
        if has_facts:
            page.form.check_facts()
        page.file_error = _("Choose a file first.")
        return page.render(INVALID)
    if not has_facts or next_step == _READ:
        return _redirect(request, form_path)
    if not chosen_files(request) and _warn_of_other(request, draft):
        return page.render(INVALID)
    return _submit_draft(page, draft)


def _is_other(request: HttpRequest, draft: Draft) -> bool:
    """Return whether the form is of another file than the one that waits, as of a page that is open twice."""
    return request.POST.get("draft", str(draft.pk)) != str(draft.pk)


def _warn_of_other(request: HttpRequest, draft: Draft) -> bool:
    """Say so where the form is of another file than the one that waits."""
    if not _is_other(request, draft):
        return False
    text = _("Another file was chosen meanwhile: %(file)s. Check it, then submit.")
    messages.warning(request, text % {"file": draft.filename})
    return True


def _submit_draft(page: Page, draft: Draft) -> HttpResponse:
    board = Board.objects.without_references().filter(slug=page.preferred).first()
    try:
        team = page.team_to_act(cast(SignedInRequest, page.request).user)
        if board is None or all(match["slug"] != board.slug for match in draft.matches):
            page.form.check_facts()
            page.board_error = _("Choose the leaderboard that the file is for.")
            return page.render(INVALID)
        file = store.copy(drafts.file_of(draft))
    except FileNotFoundError:
        # It was submitted, or removed, in this moment.
        page.draft, page.file_error = None, _("Choose a file first.")
        return page.render(INVALID)
    except NotFound as error:
        # As in the API, a team of others is a wrong value of the form.
        page.refusal = error.detail
        return page.render(INVALID)
    except (NoRoom, StorageAway) as error:
        return _refuse(page, error)
    answer, result = _send(page, board, team, file, draft.filename)
    if result is not None and result.submission.status == Status.REJECTED:
        drafts.discard([draft])
    elif result is not None:
        drafts.finish(draft, result.submission)
    return answer


def _submit_directly(request: SignedInRequest, board: Board) -> HttpResponse:
    form = FactsForm(request.POST)
    page = Page(request=request, preferred=board.slug, form=form, direct=board)
    try:
        team = page.team_to_act(request.user)
        files = chosen_files(request)
        if not files:
            form.check_facts()
            page.file_error = _("Choose a file first.")
            return page.render(INVALID)
        page.filename = ", ".join(file.name for file in files)
        file = _joined(request, files, board)
    except SubmissionInvalid as error:
        # The files cannot be one submission; each may be valid by itself.
        form.check_facts()
        page.report = report_of(error.problems, error.warnings)
        page.systems = [asdict(system) for system in error.problems.systems]
        return page.render(INVALID)
    except NotFound as error:
        page.refusal = error.detail
        return page.render(INVALID)
    except ServiceError as error:
        return _refuse(page, error)
    answer, _result = _send(page, board, team, file.hand_over(), page.filename)
    return answer


def _joined(request: SignedInRequest, files: list[IncomingFile], board: Board) -> IncomingFile:
    # For a closed board, or without the acknowledgement that it asks for, nothing is unpacked; `submit` says
    # so.
    stated = request.POST.get(data_class.FIELD, "")
    if board.is_open and not data_class.missing_acknowledgement(board, stated):
        return join_files(request, files, [board.benchmark], has_account=True, select=_selection(request))
    return files[0]


def _send(
    page: Page, board: Board, team: Team, file: StoredFile, filename: str
) -> tuple[HttpResponse, Decision | None]:
    """Submit a file; return the response, and what became of the file unless it was refused."""
    request, form = page.request, page.form
    assert request.user.is_authenticated
    try:
        result = submit(
            SubmissionRequest(
                user=request.user,
                team=team,
                board=board,
                file=file,
                facts=form.stated(),
                filename=filename,
                designate="designate" in request.POST,
                address_digest=sender_digest(request),
                acknowledgement=request.POST.get(data_class.FIELD, ""),
                allow_empty="allow_empty" in request.POST,
            )
        )
    except RequestInvalid as error:
        messages_of = {problem.pointer: problem.message for problem in error.facts}
        page.terms_error = messages_of.get(f"/{data_class.FIELD}", "")
        page.empty_error = messages_of.get("/allow_empty", "")
        beside = (page.terms_error, page.empty_error)
        form.show([problem for problem in error.facts if problem.message not in beside])
        page.report = report_of(error.file, error.warnings) if error.file else None
        return page.render(INVALID), None
    except ServiceError as error:
        return _refuse(page, error), None
    submission = result.submission
    if submission.status == Status.REJECTED:
        page.draft, page.report, page.filename = None, stored_report(submission), filename
        return page.render(INVALID), result
    if not result.created:
        messages.info(request, _describe_duplicate(result))
    return _redirect(request, reverse("web:submission", args=[submission.pk])), result


def _refuse(page: Page, error: ServiceError) -> HttpResponse:
    page.refusal = error.detail
    return mark_refused(page.render(), error)


def _redirect(request: HttpRequest, page: str) -> HttpResponse:
    if request.headers.get("X-Requested-With") == "XMLHttpRequest":
        # A script that followed a redirect would consume the message meant for the page.
        return JsonResponse({"url": page})
    return redirect(page)


def _describe_duplicate(result: Decision) -> str:
    if result.submission.board.is_season:
        return _("You have sent this file before; it is the last one of its system again.")
    texts = [_("You have already submitted this file. Nothing was added.")]
    if NotApplied.SYSTEM in result.not_applied:
        system = result.submission.system.name
        text = _("It is a result of “%(system)s”, and not of the system that you named.")
        texts.append(text % {"system": system})
    elif result.not_applied:
        texts.append(_("What you stated differently this time was not applied."))
    return join_sentences(texts)


@require_POST
def discard_draft(request: HttpRequest) -> HttpResponse:
    """Remove the file that waits, at the wish of who sent it."""
    draft, answer = waiting.find(request), redirect("web:choose")
    if draft is not None:
        if _warn_of_other(request, draft):
            return answer
        drafts.discard([draft])
        messages.success(request, _("The file was deleted."))
    forget_draft(answer)
    return answer


@require_POST
@sign_in_first
def request_approval(request: SignedInRequest, slug: str) -> HttpResponse:
    """Ask the organisers to approve the user's team, and go back to the form."""
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    try:
        approvals.request_approval(
            board=board,
            team=chosen_team(request, request.user) or personal_team(request.user),
            by=request.user,
            message=request.POST.get("message", ""),
        )
        messages.success(request, _("The organisers have your request. This page will show their decision."))
    except (NotFound, WrongState) as error:
        messages.error(request, error.detail)
    return redirect("web:submit", slug=slug)
