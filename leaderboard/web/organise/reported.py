"""The published results of a board: one CSV file, loaded after a preview of what it changes."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render

from leaderboard.http.problems import INVALID
from leaderboard.models import Board, ReportedResult
from leaderboard.services.errors import WrongState
from leaderboard.services.exports.csv_json import write_csv
from leaderboard.services.publishing.disqualify import ReasonRefused
from leaderboard.services.publishing.reported.results import changes_of, digest_of, put_table
from leaderboard.services.publishing.reported.table import (
    TableError,
    TableInvalid,
    cells_of,
    columns_of,
    read_table,
)
from leaderboard.web.organise.access import desk_page
from leaderboard.web.shared.signed_in_request import SignedInRequest
from wardboard.scoring.reading.limits import MIB

_LARGEST = MIB  # bytes of a file


@desk_page("GET", "POST")
def reported(request: SignedInRequest, board: Board) -> HttpResponse:
    """List the published results of a board; preview what a CSV file changes, then load it."""
    if request.method != "POST":
        return _page(request, board)
    # The uploaded file, "" of one that is too large; or the table that a preview holds.
    file, content = request.FILES.get("file"), str(request.POST.get("table", "")).encode()
    if file is not None:
        content = file.read() if (file.size or 0) <= _LARGEST else b""
    try:
        rows = read_table(content, board=board)
    except TableInvalid as invalid:
        return _page(request, board, errors=invalid.errors)
    refusal = ""
    if "table" in request.POST:
        try:
            changed = put_table(
                board=board,
                rows=rows,
                reason=request.POST.get("reason", ""),
                previewed=request.POST.get("previewed", ""),
                by=request.user,
            )
        except (ReasonRefused, WrongState) as refused:
            refusal = refused.detail
        else:
            messages.success(request, f"Results added, corrected or removed: {changed}.")
            return redirect("web:organise-reported", slug=board.slug)
    changes = changes_of(board=board, rows=rows)
    return _page(
        request,
        board,
        changes=changes,
        previewed=digest_of(changes),
        table=content.decode("utf-8-sig"),
        refusal=refusal,
    )


def _page(
    request: SignedInRequest, board: Board, *, errors: list[TableError] | None = None, **preview: Any
) -> HttpResponse:
    listed = ReportedResult.objects.filter(board=board, removed_at=None).select_related("changed_by")
    context = {"board": board, "listed": listed, "errors": errors, **preview}
    status = INVALID if errors or preview.get("refusal") else 200
    return render(request, "web/organise/reported.html", context, status=status)


@desk_page("GET")
def export(request: SignedInRequest, board: Board) -> HttpResponseBase:
    """Serve the listed results as the CSV file that can be uploaded again."""
    listed = ReportedResult.objects.filter(board=board, removed_at=None).select_related("board")
    lines = write_csv((cells_of(result) for result in listed), names=columns_of(board))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{board.slug}-published.csv"'
    return response
