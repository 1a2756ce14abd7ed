"""The views of a board: as page, as CSV and JSON with the same figures, and their charts."""

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.judges import describe_lists, other_lists
from leaderboard.services.boards.query import Query
from leaderboard.services.charts import render as charts
from leaderboard.services.charts import views
from leaderboard.services.charts.figures import Figure, ForestFigure, Form, GroupFigure, View
from leaderboard.services.exports import csv_json
from leaderboard.services.pictures.render_limit import TooBusy
from leaderboard.web.boards.page import filters
from leaderboard.web.charts.descriptions import why_not_drawn
from leaderboard.web.charts.figures import picture_of
from leaderboard.web.shared.as_of import about_as_of, moments_told, moments_told_in_files, query_of
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.error_pages import too_busy

_TEMPLATES = {
    Form.GROUPS: "web/charts/partials/groups.html",
    Form.STEPS: "web/charts/partials/groups.html",
    Form.APPROACHES: "web/charts/partials/approaches.html",
    Form.SIZES: "web/charts/partials/distribution.html",
    Form.PROGRESS: "web/charts/partials/progress.html",
    Form.FOREST: "web/charts/partials/intervals.html",
    Form.SCATTER: "web/charts/partials/scatter.html",
}
_KEPT_FOR = 300  # seconds: who was disqualified is not drawn for long


@require_safe
@board_cached
@moments_told
def view(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    benchmark, wanted = _find(slug, name)
    query = query_of(request, benchmark)
    shown = views.read_view(view=wanted, query=query)
    judges = query.board.census.judges
    picture = picture_of(shown=shown, query=query)
    lists = other_lists(query)
    why_not = "" if picture else why_not_drawn(shown)
    context = {
        "benchmark": benchmark,
        "view": wanted,
        "views": views.available(benchmark),
        "shown": shown,
        "figures": _TEMPLATES[wanted.form],
        "picture": picture,
        "why_not_drawn": why_not,
        "has_table": bool(picture or why_not),
        "query": query,
        **about_as_of(query),
        "canonical": query.as_query_string(columns=None, page=1, compare=()),
        "filters": _filters(query, shown),
        "other_sizes": lists,
        "other_lists": describe_lists(lists),
        "panels": views.PANELS,
        "first": views.FIRST,
        "names_judges": any(judges),
        "mixes_judges": query.board.mixes_judges,
        "explained": [m for m in visibility.visible_metrics(benchmark) if m.stands_for],
    }
    if isinstance(shown, GroupFigure):
        paginator = shown.page.paginator
        context["pages"] = paginator.get_elided_page_range(shown.page.number, on_each_side=2)
    return render(request, "web/charts/page.html", context)


@require_safe
@board_cached
@moments_told_in_files  # type: ignore[arg-type]  # a stream has the status and headers that it reads
def as_csv(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    shown = _exported(request, slug, name)
    lines = csv_json.write_csv(shown.records())
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.csv"'
    return response


@require_safe
@board_cached
@moments_told_in_files
def as_json(request: HttpRequest, slug: str, name: str) -> JsonResponse:
    shown = _exported(request, slug, name)
    page = getattr(shown, "page", None)
    metric = getattr(shown, "metric", None)
    # Exports are in English, whatever the language of the page that leads to them.
    with translation.override("en"):
        title = shown.view.title
    return JsonResponse(
        {
            "benchmark": slug,
            "view": name,
            "title": title,
            "metric": metric and metric.key,
            "page": page.number if page else 1,
            "pages": page.paginator.num_pages if page else 1,
            "records": list(shown.records()),
        }
    )


@require_safe
@moments_told_in_files
def chart(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    benchmark, wanted = _find(slug, name)
    query = query_of(request, benchmark)
    shown = views.read_view(view=wanted, query=query)
    if not charts.is_drawn(shown):
        raise Http404("There is nothing to draw yet.")
    scheme = _one_of(charts.SCHEMES, request.GET.get("scheme"))
    width = _one_of(charts.WIDTHS, request.GET.get("width"))
    if width == "small" and wanted.form != Form.PROGRESS:
        width = charts.WIDTHS[0]
    digest = charts.digest_of(shown)
    etag = f'"{digest}-{scheme}-{width}"'
    # The page asks by digest, so what it gets under that address stays right.
    asked_by_digest = request.GET.get("v") == digest
    headers = {
        "ETag": etag,
        "Cache-Control": f"public, max-age={_KEPT_FOR}" if asked_by_digest else "no-cache",
    }
    # Asked first: who has the picture costs no drawing.
    known = get_conditional_response(request, etag=etag, response=HttpResponse(headers=headers))
    if known is not None and known.status_code != 200:
        return known
    is_own = not query.is_filtered and query.board.as_of is None and query.page == 1 and query.sort == "score"
    try:
        body = charts.svg_of(shown, scheme=scheme, width=width, is_filtered=not is_own, board=slug)
    except TooBusy:
        return too_busy()
    return HttpResponse(body, content_type="image/svg+xml", headers=headers)


def _filters(query: Query, shown: Figure) -> list[dict[str, Any]]:
    """Return the select boxes above a view, with the judge whose rows are shown chosen."""
    if shown.view.form == Form.SIZES:
        return []
    judges = query.board.census.judges
    judge = shown.judge if isinstance(shown, ForestFigure) and len(judges) > 1 else None
    asked = replace(query, judge=judge) if judge else query
    # Models are those of the board of today.
    models = BoardAt(query.board.benchmark).filter_choices.models
    return filters(asked, judges, models, one_judge=bool(judge))


def _one_of(known: tuple[str, ...], said: str | None) -> str:
    return said if said in known else known[0]


def _find(slug: str, name: str) -> tuple[Benchmark, View]:
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    for wanted in views.available(benchmark):
        if wanted.name == name:
            return benchmark, wanted
    raise Http404("This board has no such view, or its feedback level keeps it back.")


def _exported(request: HttpRequest, slug: str, name: str) -> Figure:
    benchmark, wanted = _find(slug, name)
    query = query_of(request, benchmark)
    return views.read_view(view=wanted, query=query, size=views.EXPORT_SIZE)
