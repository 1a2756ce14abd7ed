"""Downloads of a board: its table as files, and its citation."""

import hashlib
from collections.abc import Iterator
from contextlib import nullcontext

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import every_row
from leaderboard.services.exports import bibtex, csv_json, every_eval_ever, tables
from leaderboard.services.exports.rows import metadata_of
from leaderboard.services.pictures.render_limit import turns
from leaderboard.services.record.chain import read_heads
from leaderboard.services.record.keys import signer
from leaderboard.services.turns import TooBusy
from leaderboard.web.shared.as_of import query_of
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.error_pages import too_busy
from leaderboard.web.shared.urls import permanent_url
from wardboard.scoring.receipts.signatures import sign

_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "eee.zip": "application/zip",
}
LARGE = 1000  # rows of a board; fewer are written at once and fit into the buffer of a connection


def _query(request: HttpRequest, slug: str, extension: str) -> Query:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    query = query_of(request, board, is_of_file=True)
    # A printed table is read as one ranking.
    return query.of_one_judge() if extension in ("md", "tex") else query


def _is_large(query: Query) -> bool:
    """Return whether the board is large, however few rows fit: all of them may have to be read."""
    return query.board_at.census.total >= LARGE


@require_safe
@board_cached  # type: ignore[arg-type]  # a stream has the status and headers that it reads
def export(request: HttpRequest, slug: str, extension: str) -> HttpResponse | StreamingHttpResponse:
    """Stream all rows of the board for the query, in English in any language of the page.

    The download of a large board holds one of a few turns until the client has read it or disconnects.
    """
    query = _query(request, slug, extension)
    try:
        turn = turns.take() if _is_large(query) else None
    except TooBusy:
        return too_busy()
    # The answer to HEAD has no body.
    parts = _parts(query, permanent_url(request, query), extension) if request.method != "HEAD" else ()
    response = StreamingHttpResponse(parts, content_type=_TYPES[extension])
    if turn:
        # Django calls these when the server closes the response, whether or not all of it was read.
        response._resource_closers.append(turn.end)  # type: ignore[attr-defined]  # has no public name
    response["Content-Disposition"] = _attachment(query.board_at, extension)
    return response


# For a client that accepts gzip, the file is compressed as it is made: rows repeat much.
export_text = gzip_page(export)


@require_safe
@board_cached
def signature(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    """Serve the signature of the bytes that `export` sends for the same query."""
    query = _query(request, slug, extension)
    address, digest = permanent_url(request, query), hashlib.sha256()
    try:
        with turns.take() if _is_large(query) else nullcontext():
            for part in _parts(query, address, extension):
                digest.update(part)
    except TooBusy:
        return too_busy()
    name = csv_json.file_name(query.board_at, extension)
    stated = {"name": name, "address": address, "sha256": digest.hexdigest()}
    body = sign("export", {**stated, "boards": read_heads([slug])}, signer())
    headers = {"Content-Disposition": _attachment(query.board_at, f"{extension}.sig")}
    return HttpResponse(body, content_type="application/json", headers=headers)


def _parts(query: Query, address: str, extension: str) -> Iterator[bytes]:
    board_at, rows = query.board_at, every_row(query)
    if extension == "eee.zip":
        organisation = settings.SITE["organiser"] or "Wardboard"
        return every_eval_ever.board_archive(
            board_at=board_at, rows=rows, organisation=organisation, address=address
        )
    if extension == "csv":
        return csv_json.chunked(csv_json.board_csv(board_at=board_at, rows=rows))
    if extension == "json":
        head = metadata_of(query=query, address=address)
        return csv_json.chunked(csv_json.board_json(board_at=board_at, rows=rows, head=head))
    choice, columns = tables.describe_choice(query), tables.columns(query)
    if extension == "md":
        state = f"{choice} Wardboard, {tables.describe_state(board_at)}.".lstrip()
        table = tables.write_markdown(
            rows=rows, columns=columns, title=query.board.title, address=address, state=state
        )
    else:
        table = tables.write_latex(
            rows=rows,
            columns=tables.for_paper(columns),
            caption=f"{tables.caption_of(query)} {choice}".rstrip(),
            label=f"tab:{query.board.slug}",
            address=address,
        )
    return csv_json.chunked(iter([table]))


@require_safe
def bib(request: HttpRequest, slug: str) -> HttpResponse:
    """Serve the BibTeX entry of the board, now or at an earlier event.

    The entry states the day on which it was accessed, so no cache may keep it.
    """
    query = _query(request, slug, "bib")
    entry = bibtex.bibtex(
        board=query.board,
        provenance=query.board_at.provenance,
        # The citation is of the whole board, without the filters of the request.
        address=permanent_url(request, Query(board_at=query.board_at)),
        accessed=timezone.now().date(),
    )
    headers = {"Content-Disposition": _attachment(query.board_at, "bib"), "Cache-Control": "no-cache"}
    return HttpResponse(entry, content_type="application/x-bibtex; charset=utf-8", headers=headers)


def _attachment(board_at: BoardAt, extension: str) -> str:
    return f'attachment; filename="{csv_json.file_name(board_at, extension)}"'
