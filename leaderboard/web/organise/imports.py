"""Import reference answers and declared benchmarks in the browser, and discard what never became active."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from leaderboard.http.problems import INVALID, mark_refused
from leaderboard.http.readers import reader_of
from leaderboard.http.uploads import raise_no_room
from leaderboard.models import Board, DeclaredBenchmark, ReferenceRevision
from leaderboard.services.errors import Busy, NoRoom, WrongState
from leaderboard.services.publishing.declare import change_declaration, find_declared_board, import_benchmark
from leaderboard.services.publishing.import_references import Imported
from leaderboard.services.publishing.stage_references import (
    discard_revision,
    is_discarded,
    stage_references,
)
from leaderboard.web.organise.access import boards_of, desk_page
from leaderboard.web.organise.forms import DeclarationForm, ImportForm
from leaderboard.web.organise.words import declared_words
from leaderboard.web.shared.signed_in_request import SignedInRequest
from leaderboard.web.submissions.report import GroupedRemarks, report_of
from wardboard.scoring.declared import Declared
from wardboard.scoring.ground_truth import GroundTruthInvalid
from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid


@desk_page("GET", "POST")
def import_references(request: SignedInRequest, board: Board) -> HttpResponse:
    """Take the files of an import, report every problem, or store the revision and lead to its preview."""
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


@desk_page("GET", "POST")
def declare(request: SignedInRequest) -> HttpResponse:
    """Take a declaration: report every problem, show what it says, or import it with its reference answers.

    A leaderboard that is there is graded by it once its organiser has seen what it says.
    """
    if request.method != "POST":
        board = boards_of(request).filter(slug=request.GET.get("board", "")).first()
        kept = DeclaredBenchmark.objects.filter(key=board.benchmark).first() if board else None
        return _declaration_page(request, board, bytes(kept.text) if kept else b"")
    file, sent, board = request.FILES.get("file"), request.FILES.get("references"), None
    references = (sent.name or "", sent.file) if sent and sent.file else None
    text = file.read(MIB) if file else request.POST.get("text", "").encode()
    try:
        raise_no_room(request)
        benchmark = Declared(text)
        board = find_declared_board(benchmark.slug, reader_of(request))
        seen = f"{board.benchmark} {benchmark.digest}" if board else ""
        if board and request.POST.get("seen") == seen:
            changed = change_declaration(board, benchmark, references=references, by=request.user)
            messages.success(request, "The declaration is in force. Scores change with the next rescoring.")
            if changed is None:
                return redirect(f"web:organise-{'rescoring' if board.is_open else 'references'}", board.slug)
            imported = changed
        elif board or references is None:
            return _declaration_page(request, board, text, says=declared_words(benchmark), seen=seen)
        else:
            imported = import_benchmark(benchmark, references=references, by=request.user)
    except (SubmissionInvalid, GroundTruthInvalid) as error:
        problems = error.problems.listed if isinstance(error, SubmissionInvalid) else error.problems
        return _declaration_page(request, board, text, problems=problems, status=INVALID)
    except (WrongState, NoRoom, Busy) as error:
        return mark_refused(_declaration_page(request, board, text, refusal=error.detail), error)
    _tell(request, imported.revision.board, imported)
    return redirect("web:organise-revision", slug=benchmark.slug, number=imported.revision.number)


def _declaration_page(
    request: SignedInRequest, board: Board | None, text: bytes, **shown: Any
) -> HttpResponse:
    form = DeclarationForm(initial={"text": text.decode(errors="replace")})
    return _page(request, board, form, is_declaration=True, **shown)


def _page(
    request: SignedInRequest,
    board: Board | None,
    form: ImportForm | DeclarationForm,
    *,
    problems: Sequence[Problem] = (),
    status: int = 200,
    **shown: Any,
) -> HttpResponse:
    context = {
        **shown,
        "board": board,
        "form": form,
        "count": len(problems),
        "reports": _reports(problems),
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
    if imported.changed:
        messages.success(request, f"Revision {number} is active.")
    elif imported.is_new:
        messages.success(request, f"Revision {number} is stored. It is not active yet.")
    elif imported.revision.pk == board.active_revision_id:
        messages.info(request, f"This is the content of revision {number}, which is active.")
    else:
        messages.info(request, f"This is the content of revision {number}, stored before.")


@desk_page("POST")
def discard(request: SignedInRequest, board: Board, number: int) -> HttpResponse:
    """Delete a revision that was never active."""
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
