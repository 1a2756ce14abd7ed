"""The forest of a comparison: its chart, and as files."""

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services.charts.differences import DifferenceFigure, read_differences
from leaderboard.services.charts.form import translated
from leaderboard.services.charts.render import SCHEMES, WIDTHS, digest_of, is_drawn, svg_of
from leaderboard.services.charts.standalone import Caption, etag_of, file_of
from leaderboard.services.exports import csv_json
from leaderboard.services.statistics.compare import Comparison, NotComparable, compare_systems
from leaderboard.services.statistics.pair_words import headline_of
from leaderboard.web.boards.compare import read_systems
from leaderboard.web.charts.page import MAX_AGE, answer_with_picture, source_of
from leaderboard.web.shared.as_of import choice_of, explain_unknown_as_of_in_files
from leaderboard.web.shared.caching import board_cached


@require_safe
@explain_unknown_as_of_in_files
def chart(request: HttpRequest, slug: str) -> HttpResponse:
    figure, comparison = _read(request, slug)
    scheme = choice_of(request, comparison.board, "scheme", SCHEMES)
    width = choice_of(request, comparison.board, "width", WIDTHS)
    digest = digest_of(figure)
    # A page names the digest of its figures, so the chart at such an address never becomes wrong.
    has_digest = request.GET.get("v") == digest
    headers = {
        "ETag": f'"{digest}-{scheme}-{width}"',
        "Cache-Control": f"public, max-age={MAX_AGE}" if has_digest else "no-cache",
    }
    draw = partial(svg_of, figure, scheme=scheme, width=width, is_filtered=True)
    return answer_with_picture(request, headers, "svg", draw)


@require_safe
def download(request: HttpRequest, slug: str, form: str) -> HttpResponse:
    """Return the forest as a file with its answer, source, date and address. form: `svg` or `png`."""
    figure, comparison = _read(request, slug)
    board = comparison.board
    title = translated(board.title)
    systems = "&".join(f"system={side.system_id}" for side in comparison.sides)
    address = request.build_absolute_uri(f"{reverse('web:compare', args=[slug])}?{systems}")
    caption = Caption(
        title=headline_of(comparison),
        subtitle=" · ".join((title, _("Compare"), translated(figure.metric.label))),
        source=source_of(board, at=board.state.changed_at, number=board.state.number),
        address=address,
    )
    headers = {
        "ETag": f'"{etag_of(figure, caption, form=form)}"',
        "Cache-Control": "no-cache",
        "Content-Disposition": f'attachment; filename="{slug}-compare.{form}"',
    }
    draw = partial(file_of, figure, caption, form=form, is_filtered=True)
    return answer_with_picture(request, headers, form, draw)


@require_safe
@board_cached  # type: ignore[arg-type]  # a stream has the status and headers that it reads
def as_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    figure, _comparison = _read(request, slug)
    lines = csv_json.write_csv(figure.export_rows())
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-compare.csv"'
    return response


def _read(request: HttpRequest, slug: str) -> tuple[DifferenceFigure, Comparison]:
    """Return the differences of the systems of a request. Raises Http404 where none is drawn."""
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    try:
        comparison = compare_systems(board=board, systems=read_systems(request))
    except NotComparable:
        raise Http404("These systems cannot be compared.") from None
    figure = read_differences(comparison)
    if not is_drawn(figure):
        raise Http404("The feedback level of this leaderboard shows no intervals of these differences.")
    return figure, comparison
