"""The published results of a board: add, correct and remove them, one by one or as CSV."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.http.problems import INVALID
from leaderboard.models import Board, ReportedResult
from leaderboard.services.exports.csv_json import write_csv
from leaderboard.services.publishing.reported.fields import as_text, fields_of
from leaderboard.services.publishing.reported.read import (
    ID,
    ReportedInvalid,
    read_csv,
    tasks_of,
)
from leaderboard.services.publishing.reported.results import load_reported, put_results, remove_result
from leaderboard.web.organise.access import desk_page, find_board
from leaderboard.web.organise.decisions import effect_of
from leaderboard.web.organise.forms import ReasonForm
from leaderboard.web.organise.reported.forms import ReportedForm
from leaderboard.web.shared.signed_in_request import SignedInRequest
from leaderboard.web.submissions.report import report_of
from wardboard.scoring.reading.codes import ReportedCode
from wardboard.scoring.reading.limits import MIB
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import Problem, Remarks

_LARGEST = MIB  # bytes of a file


@desk_page("GET", "POST")
def reported(request: SignedInRequest, slug: str) -> HttpResponse:
    """List the published results of a board; take a CSV file with all its rows, or none of them."""
    board = find_board(request, slug)
    if request.method != "POST":
        return _list(request, board)
    try:
        results = read_csv(_content(request), board=board, tasks=tasks_of(board))
    except ReportedInvalid as error:
        return _list(request, board, problems=error.problems)
    changed = put_results(board=board, results=results, by=request.user)
    text = ngettext("%(n)s result was added or corrected.", "%(n)s results were added or corrected.", changed)
    messages.success(request, text % {"n": changed})
    return redirect("web:organise-reported", slug=board.slug)


def _content(request: SignedInRequest) -> bytes:
    """Return the uploaded file. Raises ReportedInvalid without one, and for one that is too large."""
    file = request.FILES.get("file")
    if file is not None and (file.size or 0) <= _LARGEST:
        content: bytes = file.read()
        return content
    code = ReportedCode.TABLE
    message, fix = phrase("no file was chosen"), code.fix
    if file is not None:
        message = phrase("the file is larger than 1 MiB")
        fix = phrase("Split the table into several files, and send one after another.")
    raise ReportedInvalid([Problem(code=code, pointer="", message=message, hint=fix)])


def _list(request: SignedInRequest, board: Board, *, problems: Sequence[Problem] = ()) -> HttpResponse:
    remarks = Remarks()
    for problem in problems:
        remarks.add(problem)
    results = ReportedResult.objects.filter(board=board).select_related("changed_by")
    context = {
        "board": board,
        "listed": results.filter(removed_at=None),
        "removed": results.exclude(removed_at=None),
        "count": len(problems),
        "report": report_of(remarks, None).problems if problems else None,
    }
    return render(request, "web/organise/reported.html", context, status=INVALID if problems else 200)


@desk_page("GET")
def export(request: SignedInRequest, slug: str) -> HttpResponseBase:
    """Serve the listed results as the CSV file that can be uploaded again."""
    board = find_board(request, slug)
    fields = fields_of(board)
    rows = (
        {ID: str(result.pk), **{each.key: as_text(each, result.stated) for each in fields}}
        for result in ReportedResult.objects.filter(board=board, removed_at=None)
    )
    names = [ID, *(each.key for each in fields)]
    response = StreamingHttpResponse(write_csv(rows, names=names), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{board.slug}-published.csv"'
    return response


@desk_page("POST")
def load(request: SignedInRequest, slug: str) -> HttpResponse:
    """Bring the results that this release knows."""
    board = find_board(request, slug)
    number = load_reported(board=board, by=request.user)
    text = ngettext(
        "The release knows %(n)s result with a rank: it is on the leaderboard, unless you removed it.",
        "The release knows %(n)s results with a rank: they are on the leaderboard, unless you removed them.",
        number,
    )
    messages.success(request, text % {"n": number})
    return redirect("web:organise-reported", slug=board.slug)


@desk_page("GET", "POST")
def edit(request: SignedInRequest, slug: str, pk: int | None = None) -> HttpResponse:
    """Add a result, or correct the one with that key."""
    board = find_board(request, slug)
    result = _find(board, pk) if pk is not None else None
    form = ReportedForm(request.POST if request.method == "POST" else None, board=board, result=result)
    if form.is_valid() and form.stated is not None:
        if put_results(board=board, results=[form.stated], by=request.user):
            messages.success(request, _("The result is listed as you state it."))
        else:
            messages.info(request, _("Nothing was changed."))
        return redirect("web:organise-reported", slug=board.slug)
    context = {"board": board, "form": form, "result": result}
    return render(request, "web/organise/reported_edit.html", context, status=INVALID if form.errors else 200)


@desk_page("GET", "POST")
def remove(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for the public reason, and remove a result."""
    board = find_board(request, slug)
    result = _find(board, pk)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        remove_result(result=result, reason=form.cleaned_data["reason"], by=request.user)
        messages.success(request, _("The result is removed. The log keeps it, with your reason."))
        return redirect("web:organise-reported", slug=board.slug)
    context = {"board": board, "result": result, "form": form}
    if result.is_ranked and result.system_id:
        context |= effect_of(board, result.system_id, None)
    return render(
        request, "web/organise/reported_remove.html", context, status=INVALID if form.errors else 200
    )


def _find(board: Board, pk: int) -> ReportedResult:
    listed = ReportedResult.objects.filter(board=board, removed_at=None).select_related("board")
    return get_object_or_404(listed, pk=pk)
