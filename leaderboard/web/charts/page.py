"""The views of a board: pages, their figures as CSV, and their charts.

A page only links to its charts: one for each colour scheme and width of screen. A chart is drawn on the first
request for its figures.
"""

from itertools import product
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, filter_choices
from leaderboard.services.boards.summary import summary_of
from leaderboard.services.charts import views
from leaderboard.services.charts.figures import Figure, PointFigure, ProgressFigure
from leaderboard.services.charts.form import Form, View
from leaderboard.services.charts.look import SCHEMES, WIDTHS, look_of
from leaderboard.services.charts.render import digest_of, picture_of, spec_text
from leaderboard.services.charts.specs import size_of, spec_of
from leaderboard.services.exports import csv_json
from leaderboard.services.judging.names import judge_name
from leaderboard.services.pictures.fonts import with_inter
from leaderboard.services.text import join_sentences
from leaderboard.services.turns import TooBusy
from leaderboard.web.boards.filters import filters
from leaderboard.web.boards.summary import describe_finding
from leaderboard.web.shared.as_of import as_of_context, choice_of, query_of
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.error_pages import too_busy
from leaderboard.web.templatetags.languages import day, translated

# The screens too narrow for a chart of the next width, by the width of chart that they have room for.
_SCREENS = {"narrow": "(max-width: 46rem)", "medium": "(max-width: 72rem)", "wide": "all"}
_MEDIA = {"dark": " and (prefers-color-scheme: dark)", "light": ""}
_HARDEST = 100  # tasks in the table of tasks by system; its files have all
MAX_AGE = 300  # seconds for which a chart may still show a system that was disqualified


@require_safe
@board_cached
def view(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    query, board_view = _find(request, slug, name)
    board = query.board
    figure = views.read_view(view=board_view, query=query)
    selected = query.of_one_judge()
    body = "points" if isinstance(figure, PointFigure) else board_view.form
    context = {
        "board": board,
        "view": board_view,
        "views": views.available_views(board),
        "figure": figure,
        "body": f"web/charts/partials/{body}.html",
        "sources": _sources(figure, query) if figure.is_drawn else [],
        "finding": _finding(figure, query) if figure.is_drawn else "",
        # There may be too little for a chart and enough for a table.
        "has_table": any(figure.export_rows()),
        "query": query,
        "unjoined": query.board_at.model_names.proposals,
        **as_of_context(query),
        # The judge of the rows is selected; the models to choose from are those of the current board.
        "filters": filters(
            selected,
            {
                "model": filter_choices(BoardAt(board))["model"],
                "judge": [*query.board_at.census.judges],
            },
            one_judge=bool(selected.judge),
        ),
        "first": views.FIRST,
        "hardest": _HARDEST,
        "names_judges": query.board_at.mixes_judges,
        "explained": [m for m in visibility.visible_metrics(board) if m.stands_for],
    }
    return render(request, "web/charts/page.html", context)


@require_safe
@board_cached  # type: ignore[arg-type]  # a stream has the status and headers that it reads
def as_csv(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    query, board_view = _find(request, slug, name, is_of_file=True)
    figure = views.read_view(view=board_view, query=query, size=views.EXPORT_SIZE)
    lines = csv_json.write_csv(figure.export_rows())
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.csv"'
    return response


def _sources(figure: Figure, query: Query) -> list[tuple[str, str, tuple[int, int]]]:
    """Return the media query, the address and the size of each chart, the most special first."""
    path = reverse("web:chart", args=[query.board.slug, figure.view.name])
    params = query.as_query_string()
    digest = digest_of(spec_text(figure, look_of(scheme="light", width="wide")))
    sizes = {width: size_of(spec_of(figure, look_of(scheme="light", width=width))) for width in _SCREENS}
    sources = []
    for width, scheme in product(_SCREENS, _MEDIA):
        own = urlencode({"scheme": scheme, "width": width, "v": digest})
        address = f"{path}{params}&{own}" if params else f"{path}?{own}"
        sources.append((_SCREENS[width] + _MEDIA[scheme], address, sizes[width]))
    return sources


@require_safe
def chart(request: HttpRequest, slug: str, name: str, form: str = "") -> HttpResponse:
    """Return the chart, or with its finding, source, date and address as a file. form: `svg` or `png`.

    `?width=narrow` is a chart for a column of a paper, which has its own caption.
    """
    query, board_view = _find(request, slug, name, is_of_file=True)
    figure = views.read_view(view=board_view, query=query)
    if not figure.is_drawn:
        raise Http404("There is nothing to draw yet.")
    scheme = choice_of(request, query.board, "scheme", [*SCHEMES])
    width = choice_of(request, query.board, "width", [*WIDTHS])
    heading = _heading(request, query, figure) if form and width != "narrow" else ()
    spec = spec_text(figure, look_of(scheme=scheme, width=width), heading)
    # A page names the digest of its figures, so the chart at such an address never becomes wrong.
    lasts = request.GET.get("v") == digest_of(spec_text(figure, look_of(scheme="light", width="wide")))
    headers = {
        "ETag": f'"{digest_of(spec)}-{form}"',
        "Cache-Control": f"public, max-age={MAX_AGE}" if lasts else "no-cache",
    }
    if form:
        headers["Content-Disposition"] = f'attachment; filename="{slug}-{name}.{form}"'
    # A client that has it already costs no drawing.
    current = get_conditional_response(request, etag=headers["ETag"], response=HttpResponse(headers=headers))
    if current is not None and current.status_code != 200:
        return current
    kind = "image/png" if form == "png" else "image/svg+xml"
    try:
        body = picture_of(spec, form=form or "svg", is_filtered=not query.is_common)
    except TooBusy:
        return too_busy()
    return HttpResponse(body if form == "png" else with_inter(body), content_type=kind, headers=headers)


def _finding(figure: Figure, query: Query) -> str:
    """Return the title of a chart: what it shows, or the title of its view."""
    # A title has no full stop.
    if isinstance(figure, ProgressFigure):
        return figure.sentence.rstrip(".。")
    found = describe_finding(summary_of(query)) if figure.view.form == Form.FOREST else None
    return join_sentences((found.sentence, found.rest)).rstrip(".。") if found else figure.view.title


def _heading(request: HttpRequest, query: Query, figure: Figure) -> list[str]:
    """Return the texts above a chart that stands alone: its address has the same figures later."""
    board, number = query.board, query.board_at.number
    at = query.board_at.as_of.at if query.board_at.as_of else board.state.changed_at
    source = _("Source: Wardboard, %(title)s, as of %(date)s (event %(number)s)")
    if board.is_demo:
        source = _("Source: Wardboard, %(title)s (a demonstration), as of %(date)s (event %(number)s)")
    params = query.as_query_string(as_of=query.as_of or str(number or ""))
    path = reverse("web:view", args=[board.slug, figure.view.name])
    shown = [figure.view.title, translated(figure.metric.label)]
    if figure.judge:
        shown.append(_("judged by %(judge)s") % {"judge": judge_name(figure.judge)})
    if query.is_filtered:
        shown.append(_("filtered: see the address below"))
    return [
        _finding(figure, query),
        " · ".join(shown),
        source % {"title": translated(board.title), "date": day(at), "number": number},
        request.build_absolute_uri(path) + params,
    ]


def _find(request: HttpRequest, slug: str, name: str, *, is_of_file: bool = False) -> tuple[Query, View]:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    query = query_of(request, board, is_of_file=is_of_file)
    for board_view in views.available_views(query.board):
        if board_view.name == name:
            return query, board_view
    raise Http404("This leaderboard has no such view, or its feedback level keeps it back.")
