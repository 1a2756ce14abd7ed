"""Taking a board away: as files, as a citation, as a feed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark
from leaderboard.services.boards.board import every_row
from leaderboard.services.boards.judges import describe_lists, other_lists
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.row import Row
from leaderboard.services.exports import bibtex, csv_json, feed, tables
from leaderboard.services.exports.rows import metadata_of
from leaderboard.services.pictures.render_limit import TooBusy, turns
from leaderboard.web.shared.as_of import explain_unknown_as_of_in_files, query_of
from leaderboard.web.shared.caching import board_cached, site_cached
from leaderboard.web.shared.error_pages import too_busy
from leaderboard.web.shared.language import as_tag
from leaderboard.web.shared.urls import cited, whole
from leaderboard.web.templatetags.languages import translated

_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
}
_LARGE = 1000  # rows of a board; fewer are made in no time, and fit into what a connection takes at once
_ATOM = "application/atom+xml; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A table that somebody takes away. address: where it is found again."""

    query: Query
    address: str

    @property
    def benchmark(self) -> Benchmark:
        return self.query.board.benchmark

    @property
    def provenance(self) -> Provenance:
        return self.query.board.provenance

    @property
    def is_large(self) -> bool:
        """Whether the board is, whatever the query leaves of it: all of it may have to be read."""
        return self.query.board.census.total >= _LARGE

    @property
    def apart(self) -> dict[str, int]:
        return other_lists(self.query)

    @property
    def about_ranks(self) -> str:
        """A sentence on the ranks of other lists; "" where there are none."""
        with translation.override("en"):
            lists = describe_lists(self.apart)
        return tables.describe_lists(lists) if lists else ""

    def rows(self, *, with_groups: bool = False) -> Iterator[Row]:
        return every_row(self.query, with_groups=with_groups)


def _asked(request: HttpRequest, slug: str) -> _Asked:
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    query = query_of(request, benchmark)
    return _Asked(query=query, address=cited(request, query, query.board.provenance.event))


@require_safe
@board_cached
@explain_unknown_as_of_in_files  # type: ignore[arg-type]  # a stream has the status and headers that it reads
def export(request: HttpRequest, slug: str, extension: str) -> HttpResponse | StreamingHttpResponse:
    """The rows that the board shows for the same query, on all its pages. In English in every language.

    Of a large board it holds a turn until it is read or left."""
    asked = _asked(request, slug)
    try:
        turn = turns.take() if asked.is_large else None
    except TooBusy:
        return too_busy()
    # Nobody reads what comes after the head of a HEAD.
    make = {"csv": _csv, "json": _json, "md": _markdown, "tex": _latex}[extension]
    parts = make(asked) if request.method != "HEAD" else []
    response = StreamingHttpResponse(csv_json.chunked(parts), content_type=_TYPES[extension])
    if turn:
        # Django's own list of what to close: the server closes a response whether or not all of it was read.
        response._resource_closers.append(turn.end)  # type: ignore[attr-defined]  # has no public name
    name = csv_json.file_name(asked.query.board, extension)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _csv(asked: _Asked) -> Iterator[str]:
    return csv_json.board_csv(board=asked.query.board, rows=asked.rows())


def _json(asked: _Asked) -> Iterator[str]:
    head = metadata_of(query=asked.query, address=asked.address)
    return csv_json.board_json(board=asked.query.board, rows=asked.rows(), head=head)


def _shown(asked: _Asked, default: Sequence[str] | None = None) -> dict[str, Any]:
    has_places = bool(asked.provenance.worked)
    columns = tables.columns(asked.query, has_places=has_places, apart=asked.apart, default=default)
    with_groups = "groups" in (asked.query.columns or ())
    return {"rows": asked.rows(with_groups=with_groups), "columns": columns, "address": asked.address}


def _markdown(asked: _Asked) -> Iterator[str]:
    state = f"{asked.about_ranks} Wardboard, {tables.describe_state(asked.provenance)}.".lstrip()
    return tables.write_markdown(**_shown(asked), title=asked.benchmark.title, state=state)


def _latex(asked: _Asked) -> Iterator[str]:
    has_places = bool(asked.provenance.worked)
    caption = tables.caption_of(asked.query, has_places=has_places)
    return tables.write_latex(
        **_shown(asked, tables.FOR_PAPER),
        caption=f"{caption} {asked.about_ranks}".rstrip(),
        label=f"tab:{asked.benchmark.slug}",
    )


@require_safe
@explain_unknown_as_of_in_files
def bib(request: HttpRequest, slug: str) -> HttpResponse:
    """A citation of the board as it stands, or stood. It has the day in it, so it is never kept."""
    asked = _asked(request, slug)
    # The board as a whole is cited, whatever was looked for on it.
    whole_board = Query(board=asked.query.board)
    said = bibtex.bibtex(
        benchmark=asked.benchmark,
        provenance=asked.provenance,
        address=cited(request, whole_board, asked.provenance.event),
        accessed=timezone.now().date(),
    )
    name = csv_json.file_name(asked.query.board, "bib")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
    return HttpResponse(said, content_type="application/x-bibtex; charset=utf-8", headers=headers)


@require_safe
@board_cached
def records(request: HttpRequest, slug: str) -> HttpResponse:
    """New records of a board as an Atom feed."""
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    title = translated(benchmark.title)
    said = _("New records on %(board)s") % {"board": title}
    return _feed(request, [benchmark], said, whole(request, "web:board", slug))


@require_safe
@site_cached
def all_records(request: HttpRequest) -> HttpResponse:
    """New records of all boards as an Atom feed."""
    listed = list(Benchmark.objects.without_references())
    return _feed(request, listed, _("New records on all boards"), whole(request, "web:front"))


def _feed(request: HttpRequest, listed: list[Benchmark], title: str, page: str) -> HttpResponse:
    said = feed.atom(
        items=feed.items_of([(benchmark, translated(benchmark.title)) for benchmark in listed]),
        title=title,
        page=page,
        feed=request.build_absolute_uri(request.path),
        host=request.get_host().rsplit(":", 1)[0],
        link=lambda record: request.build_absolute_uri(reverse("web:system", args=[record.system_id])),
        language=as_tag(translation.get_language() or "en"),
    )
    return HttpResponse(said, content_type=_ATOM)
