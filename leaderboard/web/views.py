"""The views of a board: as page, as CSV and JSON with the same figures, and their charts."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark
from leaderboard.services import board as boards
from leaderboard.services import charts, exports, feedback, overview, views
from leaderboard.services.board_models import models_of
from leaderboard.services.shown import Form, Grouped, View
from leaderboard.web.alternatives import told
from leaderboard.web.boards import filters

_TEMPLATES = {
    Form.GROUPS: "partials/view_groups.html",
    Form.STEPS: "partials/view_groups.html",
    Form.APPROACHES: "partials/view_approaches.html",
    Form.SIZES: "partials/view_sizes.html",
}
_DAY = 24 * 60 * 60


@require_safe
def view(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    benchmark, wanted = _find(slug, name)
    query = boards.read_query(request.GET, benchmark)
    shown = views.read_view(benchmark=benchmark, view=wanted, query=query)
    judges = boards.take_census(benchmark=benchmark).judges
    is_drawn = charts.is_drawn(shown)
    context = {
        "benchmark": benchmark,
        "view": wanted,
        "views": views.available(benchmark),
        "shown": shown,
        "figures": _TEMPLATES[wanted.form],
        "query": query,
        "filters": filters(query, judges, models_of(benchmark)) if wanted.form != Form.SIZES else [],
        "panels": views.PANELS,
        "names_judges": any(judges),
        "explained": [m for m in feedback.visible_metrics(benchmark) if m.stands_for],
    }
    if is_drawn:
        context |= {"digest": charts.digest_of(shown), "alternative": told(shown)}
    if isinstance(shown, Grouped):
        paginator = shown.page.paginator
        context["pages"] = paginator.get_elided_page_range(shown.page.number, on_each_side=2)
    return render(request, "web/view.html", context)


@require_safe
def as_csv(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    shown = _exported(request, slug, name)
    lines = exports.as_csv(shown.records())
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.csv"'
    return response


@require_safe
def as_json(request: HttpRequest, slug: str, name: str) -> JsonResponse:
    shown = _exported(request, slug, name)
    page = getattr(shown, "page", None)
    metric = getattr(shown, "metric", None)
    return JsonResponse(
        {
            "benchmark": slug,
            "view": name,
            "title": shown.view.title,
            "metric": metric and metric.key,
            "page": page.number if page else 1,
            "pages": page.paginator.num_pages if page else 1,
            "records": list(shown.records()),
        }
    )


@require_safe
def chart(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    benchmark, wanted = _find(slug, name)
    query = boards.read_query(request.GET, benchmark)
    shown = views.read_view(benchmark=benchmark, view=wanted, query=query)
    if not charts.is_drawn(shown):
        raise Http404("There is nothing to draw yet.")
    scheme = request.GET.get("scheme")
    scheme = scheme if scheme in charts.SCHEMES else charts.SCHEMES[0]
    narrow = request.GET.get("width") == "narrow"
    digest = charts.digest_of(shown)
    etag = f'"{digest}-{scheme}-{narrow:d}"'
    # The page asks by digest, so what it gets under that address stays right.
    asked_by_digest = request.GET.get("v") == digest
    headers = {"ETag": etag, "Cache-Control": f"public, max-age={_DAY}" if asked_by_digest else "no-cache"}
    # Asked first: who has the picture costs no drawing.
    known = get_conditional_response(request, etag=etag, response=HttpResponse(headers=headers))
    if known.status_code != 200:
        return known
    body = charts.svg_of(shown, scheme=scheme, narrow=narrow)
    return HttpResponse(body, content_type="image/svg+xml", headers=headers)


def _find(slug: str, name: str) -> tuple[Benchmark, View]:
    benchmark = get_object_or_404(overview.boards(), slug=slug)
    for wanted in views.available(benchmark):
        if wanted.name == name:
            return benchmark, wanted
    raise Http404("This board has no such view, or its feedback level keeps it back.")


def _exported(request: HttpRequest, slug: str, name: str) -> charts.Shown:
    benchmark, wanted = _find(slug, name)
    query = boards.read_query(request.GET, benchmark)
    return views.read_view(benchmark=benchmark, view=wanted, query=query, size=views.EXPORT_SIZE)
