"""Revisions of the reference answers side by side, their activation, and rescoring. No reference is shown."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from leaderboard.models import (
    AuditEvent,
    Board,
    ReferenceRevision,
    RescoringOrder,
    Status,
    Submission,
)
from leaderboard.services import audit
from leaderboard.services.boards.query import read_query
from leaderboard.services.boards.summary import summary_of
from leaderboard.services.desk import regrading
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.stage_references import numbers_once_active
from leaderboard.services.submissions import rescore
from leaderboard.services.submissions.rescore import RescoreResult
from leaderboard.services.text import read_key
from leaderboard.web.boards.summary import describe_finding
from leaderboard.web.organise.access import desk_page
from leaderboard.web.organise.words import WHY_NO_JUDGE, counted, declared_words
from leaderboard.web.shared.signed_in_request import SignedInRequest
from wardboard.scoring import registry
from wardboard.scoring.declared import Declared

# Without a worker, a request rescores for so long; the organiser presses again.
_SECONDS = 20


@desk_page("GET")
def references(request: SignedInRequest, board: Board) -> HttpResponse:
    """List the revisions of a board, and say how the next one is imported."""
    rows = ReferenceRevision.objects.filter(board=board).defer("content").select_related("imported_by")
    context = {
        "board": board,
        "revisions": rows.order_by("-number"),
        "once_active": numbers_once_active(board),
    }
    return render(request, "web/organise/references.html", context)


@desk_page("GET", "POST")
def revision(request: SignedInRequest, board: Board, number: int) -> HttpResponse:
    """Show a revision beside the active one and what it would change, and activate it."""
    stored = ReferenceRevision.objects.defer("content").select_related("imported_by")
    chosen = get_object_or_404(stored, board=board, number=number)
    if request.method == "POST":
        return _activate(request, board, chosen)
    active = stored.get(pk=board.ground_truth.pk) if board.is_open else None
    is_active = active is not None and active.pk == chosen.pk
    benchmark = registry.find(board.benchmark)
    context: dict[str, Any] = {
        "board": board,
        "chosen": chosen,
        "active": active,
        "is_active": is_active,
        "compared": [active, chosen] if active and not is_active else [chosen],
        "can_discard": chosen.number not in numbers_once_active(board),
        "difference": regrading.difference(active, chosen) if active and not is_active else None,
        "says": declared_words(benchmark) if isinstance(benchmark, Declared) else (),
    }
    if not is_active:
        context |= preview_context(board, chosen)
        context |= _progress(board, chosen) if active else {}
    return render(request, "web/organise/revision.html", context)


def preview_context(board: Board, chosen: ReferenceRevision, changed: Board | None = None) -> dict[str, Any]:
    """Return what rescoring by a revision changes. changed: the board with other settings, unsaved"""
    preview = regrading.preview_revision(changed or board, chosen)
    return {
        "preview": preview,
        "head_now": describe_finding(summary_of(read_query({}, board))) if board.is_open else None,
        "head_after": describe_finding(preview.head),
        "why_no_judge": WHY_NO_JUDGE.get(preview.why_no_judge, ""),
    }


def _progress(board: Board, chosen: ReferenceRevision) -> dict[str, Any]:
    """Return how many results have a score by a revision, and whether a worker scores the others."""
    results = Submission.objects.filter(board=board, status=Status.SCORED).count()
    left = rescore.unscored(board, chosen).count()
    return {
        "results": results,
        "left": left,
        "done": results - left,
        "is_ordered": RescoringOrder.objects.filter(board=board, revision=chosen).exists(),
    }


def _activate(request: SignedInRequest, board: Board, chosen: ReferenceRevision) -> HttpResponse:
    was = request.POST.get("was", "")
    key = read_key(was) if was else None
    try:
        if "unscored" in request.POST:
            rescore.switch_to(revision=chosen, was=key, by=request.user)
        else:
            result = rescore.activate(revision=chosen, was=key, by=request.user, seconds=_SECONDS)
            if result is not None:
                _warn_of_rest(request, result)
        if Board.objects.filter(pk=board.pk, active_revision=chosen).exists():
            messages.success(request, f"Revision {chosen.number} is active.")
    except WrongState as error:
        messages.error(request, error.detail)
    return redirect("web:organise-revision", slug=board.slug, number=chosen.number)


@desk_page("GET", "POST")
def rescoring(request: SignedInRequest, board: Board) -> HttpResponse:
    """Show what rescoring changes, and order it."""
    if request.method == "POST":
        if board.is_open:
            _rescore(request, board)
        return redirect("web:organise-rescoring", slug=board.slug)
    count = rescore.outdated(board).count() if board.is_open else 0
    context = {
        "board": board,
        "count": count,
        **(preview_context(board, board.ground_truth) if count else {}),
        "is_ordered": RescoringOrder.objects.filter(board=board).exists(),
    }
    return render(request, "web/organise/rescoring.html", context)


def _rescore(request: SignedInRequest, board: Board) -> None:
    audit.record(AuditEvent.Action.RESCORING_ORDERED, actor=request.user, board=board)
    if rescore.order(board_id=board.pk):
        messages.success(request, "Rescoring is ordered and goes on in the background.")
        return
    result = rescore.rescore(board=board, seconds=_SECONDS)
    verb = "was" if result.changed == 1 else "were"
    messages.success(request, f"{counted(result.changed, 'submission')} {verb} rescored.")
    _warn_of_rest(request, result)


def _warn_of_rest(request: SignedInRequest, result: RescoreResult) -> None:
    if result.is_cut:
        messages.info(request, "Not finished in time. Press again to continue.")
    for submission, why in result.skipped.items():
        messages.warning(request, f"{submission} keeps its score: {why}")
