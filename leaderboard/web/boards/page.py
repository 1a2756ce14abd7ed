"""The page of a board: its table and everything around it."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from leaderboard.http.conditional import is_anonymous, stamp
from leaderboard.models import Benchmark, Kind, System
from leaderboard.services import visibility
from leaderboard.services.boards import summary
from leaderboard.services.boards.board import describe_ranks, task_count
from leaderboard.services.boards.conditions import CONDITIONS
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.sections import DividedPage, RowSection, chips, read_divided
from leaderboard.services.boards.summary import finding_of_query
from leaderboard.services.statistics.compare import MOST_COMPARED
from leaderboard.web.boards.columns import choices, columns
from leaderboard.web.boards.filters import chosen_filters, filters
from leaderboard.web.boards.finding import describe_finding
from leaderboard.web.boards.tables import TableMaker
from leaderboard.web.shared.as_of import as_of_context, describe_removal, explain_unknown_as_of, query_of
from leaderboard.web.shared.caching import board_cached
from scoring import registry
from scoring.benchmark import Breakdown


@require_safe
@board_cached
@explain_unknown_as_of
def board(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    query = query_of(request, benchmark)
    address = reverse("web:board", args=[slug])
    canonical = address + query.as_query_string()
    is_partial = request.headers.get("HX-Request") == "true"
    if _comes_from_form(request.GET) and not is_partial:
        return HttpResponseRedirect(canonical)
    page = read_divided(query)
    context = {"benchmark": benchmark, "board": page, "action": address, "canonical": canonical}
    context |= _results_context(request, page, address)
    if is_partial:
        response = render(request, "web/boards/partials/results.html", {**context, "is_partial": True})
        # The canonical address, without the empty fields of the form.
        response["HX-Push-Url"] = canonical
        return response
    return render(request, "web/boards/page.html", {**context, **_page_context(page)})


def _comes_from_form(params: QueryDict) -> bool:
    """Return whether a form was submitted without script: empty fields, or a field per column."""
    return "" in params.values() or len(params.getlist("columns")) > 1


def _results_context(request: HttpRequest, page: DividedPage, action: str) -> dict[str, Any]:
    """Return the context of the tables and of everything that changes with the query."""
    query = page.query
    benchmark, family = query.board.benchmark, registry.get(query.board.benchmark.family)
    breakdowns = visibility.visible_breakdowns(benchmark)
    groups = drawn_groups(breakdowns[0], page.rows) if breakdowns and query.shows_groups else {}
    visible = columns(query, has_groups=bool(groups), empty=_empty_metrics(page))
    keys = {column.key for column in visible}
    can_compare = (
        query.board.as_of is None and page.group.kind == Kind.RESCORED and page.page.paginator.count > 1
    )
    compared_elsewhere = _compared_elsewhere(page) if can_compare else []
    tables = TableMaker(
        columns=visible,
        breakdown=breakdowns[0] if groups else None,
        groups=groups,
        removals=_removals(page),
        compared=query.compare,
        own=_own_systems(request, page),
        query=query,
    )
    head, rows = tables.main(page, can_compare=can_compare, action=action)
    return {
        "query": query,
        "as_of_query": query.cleared().as_query_string(),
        "query_params": QueryDict(query.as_query_string(page=1)[1:]),
        "query_string": query.as_query_string(page=1, compare=()),
        "cleared_query": query.without_filters().as_query_string(),
        "uncompared_query": query.as_query_string(compare=()),
        "compared_elsewhere": compared_elsewhere,
        "names_elsewhere": [name for _, name in compared_elsewhere],
        "most_compared": MOST_COMPARED,
        "has_chosen_columns": query.columns is not None,
        "head": head,
        "rows": rows,
        "sections": [tables.section(section, page) for section in page.sections],
        "chips": chips(query),
        "chosen_filters": chosen_filters(query),
        "has_open_ends": any(row.place.is_known and row.place.high is None for row in page.rows),
        "has_points": any(row.rank is not None and not row.place.is_known for row in page.rows),
        "finding": describe_finding(
            # The line above names the judge, and rows of others are in sections of their own.
            finding_of_query(query),
            filters=query.filters,
        ),
        "can_compare": can_compare,
        "main_words": tables.describe_main(page),
        "main_kind": page.group.kind,
        "needs_judge": family.needs_judge,
        "score": visibility.ranked_metric(benchmark),
        "ranks": describe_ranks(query.board),
        "breakdown": breakdowns[0] if groups and "groups" in keys else None,
        "groups": groups,
        "has_interval": "interval" in keys,
        "has_conditions": not keys.isdisjoint(CONDITIONS),
        "floor": tables.axis_of_main[0],
        "top": tables.axis_of_main[1],
    }


def _empty_metrics(page: DividedPage) -> set[str]:
    """Return the metrics that no row on the page has."""
    board = page.query.board
    lacking = {metric.key for metric in visibility.visible_metrics(board.benchmark)}
    lacking -= _known_metrics(page)
    # Rows are read only for a section that is rendered anew.
    for section in page.sections if lacking else []:
        name = f"metrics:{section.keys}"
        lacking -= board.remember(name, partial(_known_metrics, section))
    return lacking


def _known_metrics(part: DividedPage | RowSection) -> set[str]:
    return {key for row in part.rows for key, value in row.metrics.items() if value is not None}


def _own_systems(request: HttpRequest, page: DividedPage) -> frozenset[int]:
    """Return the systems on the page that belong to teams of the reader; none for a visitor."""
    # A visitor has no session, and the page without marks is the one that caches keep.
    if is_anonymous(request) or not request.user.is_authenticated:
        return frozenset()
    shown = [row.standing.system_id for row in page.rows]
    shown += [row.standing.system_id for section in page.sections for row in section.rows]
    own = System.objects.filter(pk__in=shown, team__members=request.user.pk)
    return frozenset(own.values_list("pk", flat=True))


def _compared_elsewhere(page: DividedPage) -> list[tuple[int, str]]:
    """Return key and name of the systems to compare whose rows are on other pages."""
    on_page = {row.standing.system_id for row in page.rows}
    missing = [system for system in page.query.compare if system not in on_page]
    if not missing:
        return []
    rows = page.query.board.rows.filter(system__in=missing, kind=Kind.RESCORED)
    return list(rows.order_by("name").values_list("system_id", "name"))


def _removals(page: DividedPage) -> dict[int, str]:
    """Return system -> how its row was removed from the board after the event that is shown."""
    if page.query.board.as_of is None:
        return {}
    rows = [*page.rows, *(row for section in page.sections for row in section.rows)]
    return {row.standing.system_id: describe_removal(row.removal) for row in rows if row.removal}


def _page_context(page: DividedPage) -> dict[str, Any]:
    """Return the context of the page around the table."""
    query, judges = page.query, page.census.judges
    board = query.board
    revision = board.revision
    benchmark = board.benchmark
    return {
        "mixes_judges": board.mixes_judges,
        "lacks_intervals": _lacks_intervals(page),
        "updated": page.census.newest,
        "announcements": board.remember(
            "announcements", lambda: list(benchmark.announcements.filter(ended_at=None))
        ),
        "tasks": task_count(revision.pk) if revision else None,
        "grader": board.scorer_version,
        "judge": page.group.judge or summary.judge_of_today(benchmark=benchmark),
        "explained": [metric for metric in visibility.visible_metrics(benchmark) if metric.stands_for],
        "filters": filters(query, {**board.filter_choices.names, "judge": [*judges]}),
        "choices": choices(query, empty=_empty_metrics(page)),
        "cache_key": _cache_key(query),
        **as_of_context(query),
    }


def _lacks_intervals(page: DividedPage) -> bool:
    """Return whether a past table has rescored rows but no stored statistics of their ranks."""
    board = page.query.board
    return bool(board.is_past and page.counts["rescored"] and not board.statistics)


def _cache_key(query: Query) -> str:
    """Return the cache key of the parts of the page that no query changes."""
    benchmark, as_of = query.board.benchmark, query.board.as_of
    state, at = benchmark.state, (as_of.number, query.as_of) if as_of else ""
    parts = (
        *(stamp(), benchmark.pk, state.revision, state.changed_at.timestamp(), at, get_language()),
        # These raise the revision too, but hidden figures must not depend on that alone.
        *(benchmark.feedback, benchmark.active_revision_id, benchmark.judge_mode),
    )
    return ":".join(map(str, parts))


def drawn_groups(breakdown: Breakdown, rows: Iterable[Row]) -> dict[str, str]:
    """Return key -> label of the groups in which any of `rows` has a task."""
    keys: set[str] = set()
    for row in rows:
        keys |= {key for key, rate in row.rates(breakdown.key).items() if rate.total}
        if len(keys) == len(breakdown.groups):
            break
    return {key: label for key, label in breakdown.groups.items() if key in keys}
