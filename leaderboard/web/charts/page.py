"""The views of a board: pages, their figures as CSV and JSON, and their charts."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, filter_choices
from leaderboard.services.boards.sections import describe_lists, other_lists
from leaderboard.services.charts import views
from leaderboard.services.charts.figures import EffortFigure, Figure, ForestFigure, GroupFigure, HarnessFigure
from leaderboard.services.charts.findings import finding_of
from leaderboard.services.charts.form import Form, View
from leaderboard.services.charts.legend import legend_of
from leaderboard.services.charts.render import SCHEMES, WIDTHS, digest_of, is_drawn, svg_of
from leaderboard.services.charts.standalone import SIZES, Caption, etag_of, file_of
from leaderboard.services.exports import csv_json
from leaderboard.services.rows.conditions import CONDITIONS, print_dollars, print_seconds
from leaderboard.services.turns import TooBusy
from leaderboard.web.boards.filters import filters
from leaderboard.web.charts.descriptions import why_not_drawn
from leaderboard.web.charts.figures import picture_of
from leaderboard.web.shared.as_of import (
    as_of_context,
    choice_of,
    explain_unknown_as_of,
    explain_unknown_as_of_in_files,
    query_of,
    query_of_file,
)
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.error_pages import too_busy
from leaderboard.web.templatetags.languages import day, translated

_TEMPLATES = {
    Form.GROUPS: "web/charts/partials/groups.html",
    Form.STEPS: "web/charts/partials/groups.html",
    Form.APPROACHES: "web/charts/partials/approaches.html",
    Form.SIZES: "web/charts/partials/distribution.html",
    Form.PROGRESS: "web/charts/partials/progress.html",
    Form.FOREST: "web/charts/partials/intervals.html",
    Form.HARNESSES: "web/charts/partials/harnesses.html",
    Form.TASKS: "web/charts/partials/tasks.html",
    Form.RUNS: "web/charts/partials/runs.html",
    Form.SCATTER: "web/charts/partials/scatter.html",
    Form.COST: "web/charts/partials/effort.html",
    Form.TIME: "web/charts/partials/effort.html",
}
_HARDEST = 100  # tasks in the table of tasks by system; its files have all
MAX_AGE = 300  # seconds for which a chart may still show a system that was disqualified


@require_safe
@board_cached
@explain_unknown_as_of
def view(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    board, board_view = _find(slug, name)
    query = query_of(request, board)
    figure = views.read_view(view=board_view, query=query)
    judges = query.board_at.census.judges
    picture = picture_of(figure=figure, query=query)
    lists = other_lists(query)
    why_not = "" if picture else why_not_drawn(figure)
    context = {
        "board": board,
        "view": board_view,
        "views": views.available_views(board),
        "figure": figure,
        "body": _TEMPLATES[board_view.form],
        "picture": picture,
        "finding": finding_of(figure) if picture else "",
        "cited": _caption(request, query, figure) if picture else None,
        "legend": legend_of(figure) if picture else None,
        "why_not_drawn": why_not,
        "has_table": bool(picture or why_not),
        "query": query,
        **as_of_context(query),
        "canonical": query.as_query_string(columns=None, page=1, compare=()),
        "filters": _filters(query, figure),
        "other_sizes": lists,
        "other_lists": describe_lists(lists),
        "panels": views.PANELS,
        "fewest": visibility.FEWEST_TASKS,
        "first": views.FIRST,
        "hardest": _HARDEST,
        "names_judges": any(judges),
        "mixes_judges": query.board_at.mixes_judges,
        "explained": [m for m in visibility.visible_metrics(board) if m.stands_for],
    }
    if isinstance(figure, GroupFigure):
        context["heads"] = _group_heads(query, figure)
    if isinstance(figure, EffortFigure):
        context["lines"] = _effort_lines(figure)
    return render(request, "web/charts/page.html", context)


def _group_heads(query: Query, figure: GroupFigure) -> list[dict[str, str]]:
    """Return the heads of the columns of rates, each with its order and the query that sorts by it."""
    plain = replace(query, by="", sort="score", descending=True, page=1)
    is_by_score = not query.by and query.sort == "score"
    overall = {
        "label": _("Overall"),
        "order": ("descending" if query.descending else "ascending") if is_by_score else "",
        "query": plain.as_query_string(descending=not (is_by_score and query.descending)),
    }
    orders = {f"-{group}": "descending" for group in figure.groups} | dict.fromkeys(
        figure.groups, "ascending"
    )
    return [
        overall,
        *(
            {
                "label": translated(label),
                "order": orders[query.by] if query.by.removeprefix("-") == group else "",
                "query": plain.as_query_string(by=group if query.by == f"-{group}" else f"-{group}"),
            }
            for group, label in figure.groups.items()
        ),
    ]


def _effort_lines(figure: EffortFigure) -> list[dict[str, object]]:
    """Return the lines of the table of a view by cost or time."""
    is_cost = figure.view.form == Form.COST
    return [
        {
            "row": row,
            "effort": print_dollars(effort) if is_cost else print_seconds(effort),
            "is_from_file": figure.is_from_file(row),
            "harness": CONDITIONS["harness"].words(row.standing, translated),
            "on_front": is_front,
        }
        for row, effort, is_front in figure.lines
    ]


@require_safe
@board_cached
@explain_unknown_as_of_in_files  # type: ignore[arg-type]  # a stream has the status and headers that it reads
def as_csv(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    figure = _read_export(request, slug, name)
    lines = csv_json.write_csv(figure.export_rows())
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.csv"'
    return response


@require_safe
@board_cached
@explain_unknown_as_of_in_files
def as_json(request: HttpRequest, slug: str, name: str) -> JsonResponse:
    figure = _read_export(request, slug, name)
    page = getattr(figure, "page", None)
    metric = getattr(figure, "metric", None)
    # Exports are in English, whatever the language of the page that leads to them.
    with translation.override("en"):
        title = figure.view.title
    return JsonResponse(
        {
            "benchmark": slug,
            "view": name,
            "title": title,
            "metric": metric and metric.key,
            "page": page.number if page else 1,
            "pages": page.paginator.num_pages if page else 1,
            "records": list(figure.export_rows()),
        }
    )


@require_safe
@explain_unknown_as_of_in_files
def chart(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    query, figure = _read_drawn(request, slug, name)
    scheme = choice_of(request, query.board, "scheme", SCHEMES)
    width = choice_of(request, query.board, "width", WIDTHS)
    digest = digest_of(figure)
    # A page names the digest of its figures, so the chart at such an address never becomes wrong.
    has_digest = request.GET.get("v") == digest
    headers = {
        "ETag": f'"{digest}-{scheme}-{width}"',
        "Cache-Control": f"public, max-age={MAX_AGE}" if has_digest else "no-cache",
    }
    is_filtered = not _is_unfiltered(query)
    draw = partial(svg_of, figure, scheme=scheme, width=width, is_filtered=is_filtered)
    return answer_with_picture(request, headers, "svg", draw)


@require_safe
@explain_unknown_as_of_in_files
def download(request: HttpRequest, slug: str, name: str, form: str) -> HttpResponse:
    """Return the chart as a file, for a slide or with `?size=column` for a paper. form: `svg` or `png`."""
    query, figure = _read_drawn(request, slug, name)
    caption, size = _caption(request, query, figure), choice_of(request, query.board, "size", SIZES)
    ending = "-column" if size == "column" else ""
    headers = {
        "ETag": f'"{etag_of(figure, caption, form=form, size=size)}"',
        "Cache-Control": "no-cache",
        "Content-Disposition": f'attachment; filename="{slug}-{name}{ending}.{form}"',
    }
    is_filtered = not _is_unfiltered(query)
    draw = partial(file_of, figure, caption, form=form, size=size, is_filtered=is_filtered)
    return answer_with_picture(request, headers, form, draw)


_TYPES = {"svg": "image/svg+xml", "png": "image/png"}


def _read_drawn(request: HttpRequest, slug: str, name: str) -> tuple[Query, Figure]:
    """Return the query of a file, and the figures of a view for it. Raises Http404 without a chart."""
    board, board_view = _find(slug, name)
    query = query_of_file(request, board)
    figure = views.read_view(view=board_view, query=query)
    if not is_drawn(figure):
        raise Http404("There is nothing to draw yet.")
    return query, figure


def answer_with_picture(
    request: HttpRequest, headers: dict[str, str], form: str, draw: Callable[[], bytes]
) -> HttpResponse:
    """Answer with what is drawn. A client that has it already costs no drawing."""
    etag = headers["ETag"]
    current = get_conditional_response(request, etag=etag, response=HttpResponse(headers=headers))
    if current is not None and current.status_code != 200:
        return current
    try:
        return HttpResponse(draw(), content_type=_TYPES[form], headers=headers)
    except TooBusy:
        return too_busy()


def _caption(request: HttpRequest, query: Query, figure: Figure) -> Caption:
    """Return the texts around a chart. Its address is that of the same figures, whatever changes later."""
    board_at = query.board_at
    board, number = board_at.board, board_at.number
    at = board_at.as_of.at if board_at.as_of else board.state.changed_at
    as_of = query.as_of or (str(number) if number else "")
    path = reverse("web:view", args=[board.slug, figure.view.name])
    params = query.as_query_string(columns=None, compare=(), as_of=as_of)
    title = translated(board.title)
    subtitle = [title, figure.view.title]
    metric = getattr(figure, "metric", None)
    if metric is not None:
        subtitle.append(translated(metric.label))
    if query.is_filtered:
        subtitle.append(_("filtered: see the address below"))
    return Caption(
        title=finding_of(figure),
        subtitle=" · ".join(subtitle),
        source=source_of(board, at=at, number=number),
        address=request.build_absolute_uri(path) + params,
    )


def source_of(board: Board, *, at: datetime, number: int) -> str:
    """Say where the figures of a file are from, and of what date."""
    source = _("Source: Wardboard, %(title)s, as of %(date)s (event %(number)s)")
    if board.is_demo:
        source = _("Source: Wardboard, %(title)s (a demonstration), as of %(date)s (event %(number)s)")
    return source % {"title": translated(board.title), "date": day(at), "number": number}


def _is_unfiltered(query: Query) -> bool:
    return (
        not (query.is_filtered or query.by or query.board_at.as_of)
        and query.page == 1
        and query.sort == "score"
    )


def _filters(query: Query, figure: Figure) -> list[dict[str, Any]]:
    """Return the select boxes above a view, with the judge of its rows selected."""
    if figure.view.form == Form.SIZES:
        return []
    judges = query.board_at.census.judges
    judge = figure.judge if isinstance(figure, ForestFigure | HarnessFigure) and len(judges) > 1 else None
    selected = query.with_filters(judge=judge) if judge else query
    # The models to choose from are those of the current board.
    models = filter_choices(BoardAt(query.board_at.board)).names["model"]
    return filters(selected, {"model": models, "judge": [*judges]}, one_judge=bool(judge))


def _find(slug: str, name: str) -> tuple[Board, View]:
    board = get_object_or_404(Board.objects.without_references(), slug=slug)
    for board_view in views.available_views(board):
        if board_view.name == name:
            return board, board_view
    raise Http404("This leaderboard has no such view, or its feedback level keeps it back.")


def _read_export(request: HttpRequest, slug: str, name: str) -> Figure:
    board, board_view = _find(slug, name)
    query = query_of_file(request, board)
    return views.read_view(view=board_view, query=query, size=views.EXPORT_SIZE)
