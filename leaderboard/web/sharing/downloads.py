"""Downloads of a board: its table as files, its citation, and feeds of its best scores."""

import hashlib
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import every_row
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.sections import describe_lists, other_lists
from leaderboard.services.exports import bibtex, csv_json, every_eval_ever, feed, tables
from leaderboard.services.exports.rows import metadata_of
from leaderboard.services.pictures.render_limit import turns
from leaderboard.services.record.chain import read_heads
from leaderboard.services.record.keys import signer
from leaderboard.services.turns import TooBusy
from leaderboard.web.shared.as_of import explain_unknown_as_of_in_files, query_of_file
from leaderboard.web.shared.caching import board_cached, site_cached
from leaderboard.web.shared.error_pages import too_busy
from leaderboard.web.shared.language import as_tag
from leaderboard.web.shared.urls import absolute_url, permanent_url
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring.receipts.signatures import sign

_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "eee.zip": "application/zip",
}
LARGE = 1000  # rows of a board; fewer are written at once and fit into the buffer of a connection
_ATOM = "application/atom+xml; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Download:
    """The requested table. address: the URL that will always show it as it is now."""

    query: Query
    address: str

    @property
    def board(self) -> Board:
        return self.query.board_at.board

    @property
    def provenance(self) -> Provenance:
        return self.query.board_at.provenance

    @property
    def is_large(self) -> bool:
        """Whether the board is large, however few rows fit: all of them may have to be read."""
        return self.query.board_at.census.total >= LARGE

    @property
    def other_lists(self) -> dict[str, int]:
        return other_lists(self.query)

    @property
    def rank_note(self) -> str:
        """A sentence on the ranks that belong to other lists; "" without any."""
        with translation.override("en"):
            lists = describe_lists(self.other_lists)
        return tables.explain_list_ranks(lists) if lists else ""

    def rows(self) -> Iterator[Row]:
        return every_row(self.query)


def _download(request: HttpRequest, slug: str) -> _Download:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    query = query_of_file(request, board)
    return _Download(query=query, address=permanent_url(request, query, query.board_at.provenance.event))


@require_safe
@board_cached
@explain_unknown_as_of_in_files  # type: ignore[arg-type]  # a stream has the status and headers that it reads
def export(request: HttpRequest, slug: str, extension: str) -> HttpResponse | StreamingHttpResponse:
    """Stream all rows of the board for the query, in English in any language of the page.

    The download of a large board holds one of a few turns until the client has read it or disconnects.
    """
    download = _download(request, slug)
    try:
        turn = turns.take() if download.is_large else None
    except TooBusy:
        return too_busy()
    # The answer to HEAD has no body.
    parts = _parts(download, extension) if request.method != "HEAD" else ()
    response = StreamingHttpResponse(parts, content_type=_TYPES[extension])
    if turn:
        # Django calls these when the server closes the response, whether or not all of it was read.
        response._resource_closers.append(turn.end)  # type: ignore[attr-defined]  # has no public name
    name = csv_json.file_name(download.query.board_at, extension)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


# For a client that accepts gzip, the file is compressed as it is made: rows repeat much.
export_text = gzip_page(export)


@require_safe
@board_cached
@explain_unknown_as_of_in_files
def signature(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    """Serve the signature of the bytes that `export` sends for the same query."""
    download = _download(request, slug)
    name, digest = csv_json.file_name(download.query.board_at, extension), hashlib.sha256()
    try:
        with turns.take() if download.is_large else nullcontext():
            for part in _parts(download, extension):
                digest.update(part)
    except TooBusy:
        return too_busy()
    stated = {"name": name, "address": download.address, "sha256": digest.hexdigest()}
    body = sign("export", {**stated, "boards": read_heads([slug])}, signer())
    headers = {"Content-Disposition": f'attachment; filename="{name}.sig"'}
    return HttpResponse(body, content_type="application/json", headers=headers)


def _parts(download: _Download, extension: str) -> Iterator[bytes]:
    if extension == "eee.zip":
        return _eee(download)
    make = {"csv": _csv, "json": _json, "md": _markdown, "tex": _latex}[extension]
    return csv_json.chunked(make(download))


def _csv(download: _Download) -> Iterator[str]:
    return csv_json.board_csv(board_at=download.query.board_at, rows=download.rows())


def _json(download: _Download) -> Iterator[str]:
    head = metadata_of(query=download.query, address=download.address)
    return csv_json.board_json(board_at=download.query.board_at, rows=download.rows(), head=head)


def _eee(download: _Download) -> Iterator[bytes]:
    organisation = settings.SITE["organiser"] or "Wardboard"
    publisher = every_eval_ever.Publisher(organisation=organisation, address=download.address)
    return every_eval_ever.board_archive(
        board_at=download.query.board_at, rows=download.rows(), publisher=publisher
    )


def _columns(download: _Download) -> list[tables.TableColumn]:
    has_places = bool(download.query.board_at.statistics)
    return tables.columns(download.query, has_places=has_places, other_judges=download.other_lists)


def _markdown(download: _Download) -> Iterator[str]:
    state = f"{download.rank_note} Wardboard, {tables.describe_state(download.provenance)}.".lstrip()
    yield tables.write_markdown(
        rows=download.rows(),
        columns=_columns(download),
        title=download.board.title,
        address=download.address,
        state=state,
    )


def _latex(download: _Download) -> Iterator[str]:
    has_places = bool(download.query.board_at.statistics)
    caption = tables.caption_of(download.query, has_places=has_places)
    yield tables.write_latex(
        rows=download.rows(),
        columns=tables.for_paper(_columns(download)),
        caption=f"{caption} {download.rank_note}".rstrip(),
        label=f"tab:{download.board.slug}",
        address=download.address,
    )


@require_safe
@explain_unknown_as_of_in_files
def bib(request: HttpRequest, slug: str) -> HttpResponse:
    """Serve the BibTeX entry of the board, now or at an earlier event.

    The entry states the day on which it was accessed, so no cache may keep it.
    """
    download = _download(request, slug)
    # The citation is of the whole board, without the filters of the request.
    whole_board = Query(board_at=download.query.board_at)
    entry = bibtex.bibtex(
        board=download.board,
        provenance=download.provenance,
        address=permanent_url(request, whole_board, download.provenance.event),
        accessed=timezone.now().date(),
    )
    name = csv_json.file_name(download.query.board_at, "bib")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
    return HttpResponse(entry, content_type="application/x-bibtex; charset=utf-8", headers=headers)


@require_safe
@board_cached
def best_scores_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """Serve new best scores of a board as an Atom feed."""
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    title = _("New records on %(board)s") % {"board": translated(board.title)}
    return _feed(request, [board], title, absolute_url(request, "web:board", slug))


@require_safe
@site_cached
def all_best_scores_feed(request: HttpRequest) -> HttpResponse:
    """Serve new best scores of all boards as an Atom feed."""
    boards = list(Board.objects.without_references().installed())
    return _feed(request, boards, _("New records on all leaderboards"), absolute_url(request, "web:front"))


def _feed(request: HttpRequest, boards: list[Board], title: str, page: str) -> HttpResponse:
    atom = feed.atom(
        items=feed.items_of([(board, translated(board.title)) for board in boards]),
        title=title,
        page=page,
        feed=request.build_absolute_uri(request.path),
        host=request.get_host().rsplit(":", 1)[0],
        link=lambda best: request.build_absolute_uri(reverse("web:system", args=[best.system_id])),
        language=as_tag(translation.get_language() or "en"),
    )
    return HttpResponse(atom, content_type=_ATOM)
