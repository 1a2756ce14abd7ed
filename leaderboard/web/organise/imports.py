"""Import reference answers in the browser, and discard what was imported and never became active."""

from collections.abc import Iterable, Sequence

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from leaderboard.http.problems import INVALID, mark_refused
from leaderboard.http.uploads import raise_no_room
from leaderboard.models import Board, ReferenceRevision
from leaderboard.services.errors import Busy, NoRoom, WrongState
from leaderboard.services.publishing.import_references import Imported
from leaderboard.services.publishing.stage_references import (
    discard_revision,
    is_discarded,
    stage_references,
)
from leaderboard.web.organise.access import desk_page, find_board
from leaderboard.web.organise.forms import ImportForm
from leaderboard.web.shared.signed_in_request import SignedInRequest
from leaderboard.web.submissions.report import GroupedRemarks, report_of
from wardboard.scoring.ground_truth import GroundTruthInvalid
from wardboard.scoring.reading.problems import Problem, Remarks


@desk_page("GET", "POST")
def import_references(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take the files of an import, report every problem, or store the revision and lead to its preview."""
    board = find_board(request, slug)
    if request.method != "POST":
        return _page(request, board, ImportForm(board=board))
    form = ImportForm(request.POST, request.FILES, board=board)
    try:
        raise_no_room(request)
        if not form.is_valid():
            return _page(request, board, form, status=INVALID)
        imported = stage_references(
            board=board,
            files=form.files_by_option(),
            choices=form.chosen(),
            allow_unusable=form.cleaned_data["allow_unusable"],
            by=request.user,
        )
    except GroundTruthInvalid as error:
        return _page(request, board, form, problems=error.problems, status=INVALID)
    except (NoRoom, Busy) as error:
        return mark_refused(_page(request, board, form, refusal=error.detail), error)
    _tell(request, board, imported)
    return redirect("web:organise-revision", slug=board.slug, number=imported.revision.number)


def _page(
    request: SignedInRequest,
    board: Board,
    form: ImportForm,
    *,
    problems: Sequence[Problem] = (),
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "board": board,
        "form": form,
        "count": len(problems),
        "reports": _reports(problems),
        "refusal": refusal,
        "limit": settings.REFERENCE_UPLOAD_BYTES,
        "unpacked": settings.REFERENCE_UNPACKED_BYTES,
    }
    return render(request, "web/organise/import.html", context, status=status)


def _reports(problems: Iterable[Problem]) -> list[tuple[str, GroupedRemarks]]:
    """Return the problems of each file, with its name; "" for those of no single file."""
    by_file: dict[str, Remarks] = {}
    for problem in problems:
        by_file.setdefault(problem.file, Remarks()).add(problem)
    return [(name, report_of(remarks, None).problems) for name, remarks in by_file.items()]


def _tell(request: SignedInRequest, board: Board, imported: Imported) -> None:
    number = imported.revision.number
    if imported.is_new:
        messages.success(request, f"Revision {number} is stored. It is not active yet.")
    elif imported.revision.pk == board.active_revision_id:
        messages.info(request, f"This is the content of revision {number}, which is active.")
    else:
        messages.info(request, f"This is the content of revision {number}, stored before.")


@desk_page("POST")
def discard(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Delete a revision that was never active."""
    board = find_board(request, slug)
    stored = ReferenceRevision.objects.without_references().filter(board=board, number=number)
    # Discarding twice is harmless: by a second click, or by another organiser.
    if not is_discarded(board, number):
        try:
            discard_revision(revision=get_object_or_404(stored), by=request.user)
        except WrongState as error:
            messages.error(request, error.detail)
            return redirect("web:organise-revision", slug=board.slug, number=number)
    messages.success(request, f"Revision {number} is discarded.")
    return redirect("web:organise-references", slug=board.slug)
