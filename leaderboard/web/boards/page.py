"""The boards: the table."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.http.conditional import stamp
from leaderboard.models import Benchmark, Interaction, Kind, Reasoning, Retrieval
from leaderboard.services import visibility
from leaderboard.services.boards import summary
from leaderboard.services.boards.board import BoardPage, describe_ranks, read_board, task_count
from leaderboard.services.boards.choices import FilterChoices
from leaderboard.services.boards.judges import describe_lists, other_lists
from leaderboard.services.boards.query import MOST_COMPARED, NEAR, SOURCES, WEIGHTS, Query
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.summary import finding_of
from leaderboard.services.charts import views
from leaderboard.services.pictures.axis import axis_of
from leaderboard.web.boards.columns import choices, columns
from leaderboard.web.boards.finding import describe_finding
from leaderboard.web.boards.rows import BoardTable, render_rows
from leaderboard.web.shared.as_of import about_as_of, moments_told, query_of, words_on_gone
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.jinja import render as render_by_jinja
from scoring import registry
from scoring.benchmark import Breakdown


@require_safe
@board_cached
@moments_told
def board(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = get_object_or_404(Benchmark.objects.without_references(), slug=slug)
    query = query_of(request, benchmark)
    address = reverse("web:board", args=[slug])
    canonical = address + query.as_query_string()
    is_partial = request.headers.get("HX-Request") == "true"
    if _is_of_form(request.GET) and not is_partial:
        return HttpResponseRedirect(canonical)
    found = read_board(query, whole=False)
    context = {"benchmark": benchmark, "board": found, "action": address, "canonical": canonical}
    context |= _results(benchmark, found)
    if is_partial:
        response = render(request, "web/boards/partials/results.html", {**context, "is_partial": True})
        # The address of what is shown now, not of the form's empty fields.
        response["HX-Push-Url"] = canonical
        return response
    return render(request, "web/boards/page.html", {**context, **_page(benchmark, found)})


def _is_of_form(said: QueryDict) -> bool:
    """Whether an address is as a form writes it: with empty fields, or one field for each column."""
    return "" in said.values() or len(said.getlist("columns")) > 1


def _results(benchmark: Benchmark, found: BoardPage) -> dict[str, Any]:
    """What the table needs, and all that changes with it."""
    query, scorer = found.query, registry.get(benchmark.family)
    breakdowns = visibility.visible_breakdowns(benchmark)
    groups = drawn_groups(breakdowns[0], found.rows) if breakdowns else {}
    shown = columns(query, has_groups=bool(groups))
    keys = {column.key for column in shown}
    axis = axis_of([row.standing for row in found.rows])
    judges = _judges_of(found.rows) if scorer.needs_judge else set()
    can_compare = query.board.as_of is None and found.counts["rescored"] > 1
    elsewhere = _elsewhere(found) if can_compare else []
    table = BoardTable(
        columns=shown,
        axis=axis,
        breakdown=breakdowns[0] if groups else None,
        groups=groups,
        names_judge=len(judges) > 1 and "judge" not in keys,
        other_lists=other_lists(query),
        in_order=query.sort == "score",
        gone=_gone(found),
        can_compare=can_compare,
        ticked=query.compare,
    )
    return {
        "query": query,
        "at": query.cleared().as_query_string(),
        "asked": QueryDict(query.as_query_string(page=1)[1:]),
        "asked_string": query.as_query_string(page=1, compare=()),
        "cleared": query.cleared(compare=query.compare).as_query_string(),
        "unticked": query.as_query_string(compare=()),
        "elsewhere": elsewhere,
        "elsewhere_named": [name for _, name in elsewhere],
        "most_compared": MOST_COMPARED,
        "columns": shown,
        "rows": render_rows(found.rows, table),
        "has_ties": any(row.group is not None for row in found.rows),
        "has_untested": any(row.place.why_not is not None for row in found.rows),
        "can_compare": table.can_compare,
        "needs_judge": scorer.needs_judge,
        "one_judge": (judges.pop() or _("judge not said")) if len(judges) == 1 else "",
        "score": visibility.ranked_metric(benchmark),
        "ranks": describe_ranks(query.board),
        "other_lists": describe_lists(table.other_lists),
        "breakdown": table.breakdown if "groups" in keys else None,
        "groups": groups,
        "has_interval": "interval" in keys,
        "floor": axis[0],
        "top": axis[1],
        "is_dense": len(shown) > 6,
        "pages": found.page.paginator.get_elided_page_range(found.page.number, on_each_side=2),
    }


def _judges_of(rows: list[Row]) -> set[str]:
    return {row.standing.judge for row in rows if not row.is_baseline}


def _elsewhere(found: BoardPage) -> list[tuple[int, str]]:
    """Return key and name of the systems that are ticked and not among the rows shown."""
    shown = {row.standing.system_id for row in found.rows}
    missing = [system for system in found.query.compare if system not in shown]
    if not missing:
        return []
    rows = found.query.board.rows.filter(system__in=missing, kind=Kind.RESCORED)
    return list(rows.order_by("name").values_list("system_id", "name"))


def _gone(found: BoardPage) -> dict[int, str]:
    """Return system -> what became of its row since the moment that is shown, in words."""
    if found.query.board.as_of is None:
        return {}
    return {row.standing.system_id: words_on_gone(row.gone) for row in found.rows if row.gone}


def _page(benchmark: Benchmark, found: BoardPage) -> dict[str, Any]:
    """What stands around the table."""
    query, judges, scorer = found.query, found.census.judges, registry.get(benchmark.family)
    board = query.board
    judge = board.compared_judge
    today = summary.judge_of_today(benchmark=benchmark)
    revision = board.revision
    name = f"finding:{judge is None:d}:{judge or ''}"
    told = board.remember(name, lambda: finding_of(board, judge=judge))
    return {
        "finding": describe_finding(told, judges=len(judges)),
        "mixes_judges": board.mixes_judges,
        "lacks_intervals": _lacks_intervals(found),
        "kinds": _kinds(found.counts),
        "updated": found.census.newest,
        "revision": revision,
        "tasks": task_count(revision.pk) if revision else None,
        "scorer_version": board.scorer_version,
        "judge": today,
        "agreement": scorer.agreement(today),
        "views": views.available(benchmark),
        "explained": [metric for metric in visibility.visible_metrics(benchmark) if metric.stands_for],
        "filters": filters(query, judges, board.filter_choices),
        "choices": choices(query),
        "around": _around(query),
        **about_as_of(query),
    }


def _kinds(counts: Mapping[str, int]) -> list[str]:
    """Return how many rows of each kind there are, in words; of the rescored ones in any case."""
    said = [_("%(number)s rescored") % {"number": f"{counts['rescored']:,}"}]
    if counts["reported"]:
        said.append(_("%(number)s reported") % {"number": f"{counts['reported']:,}"})
    if number := counts["baseline"]:
        said.append(ngettext("%(number)s baseline", "%(number)s baselines", number) % {"number": number})
    return said


def _lacks_intervals(found: BoardPage) -> bool:
    """Whether a past table has rescored rows and nothing was kept of how sure their ranks were."""
    board = found.query.board
    return bool(board.is_past and found.counts["rescored"] and not board.statistics)


def _around(query: Query) -> str:
    """Return what the parts of the page depend on that are the same whatever is asked of the table."""
    benchmark, as_of = query.board.benchmark, query.board.as_of
    state, at = benchmark.state, (as_of.number, query.as_of) if as_of else ""
    parts = (
        *(stamp(), benchmark.pk, state.revision, state.changed_at.timestamp(), at, get_language()),
        # These raise the revision too; what a level keeps back must not hang on that alone.
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


def filters(
    query: Query,
    judges: Iterable[str],
    known: FilterChoices | Sequence[str],
    *,
    one_judge: bool = False,
) -> list[dict[str, object]]:
    """Return the select boxes above the table: what may be chosen, and what is. An organisation, a model and
    a judge can be where there are several of them. one_judge: whether rows of one are shown in any case."""
    every = [("", _("Any"))]
    offered = dict(_always_offered(get_language()))
    names = known if isinstance(known, FilterChoices) else FilterChoices(models=list(known), organisations=[])
    for name, label, listed in (
        ("organisation", _("Organisation"), names.organisations),
        ("model", _("Model"), names.models),
        ("judge", _("Judge"), judges),
    ):
        chosen = getattr(query, name)
        # Of many names the least frequent are left out; one that was asked for by address is there.
        describe_lists = dict.fromkeys(one for one in (*listed, chosen) if one)
        if len(describe_lists) > 1 or chosen:
            offered[name] = (
                label,
                [*([] if name == "judge" and one_judge else every), *((one, one) for one in describe_lists)],
            )
    return [
        {
            "name": name,
            "label": label,
            "is_near": name in NEAR,
            "options": _options(choices, getattr(query, name)),
        }
        for name, (label, choices) in offered.items()
    ]


def _options(choices: Iterable[tuple[str, str]], chosen: str) -> SafeString:
    """Return the options of a select box. By Jinja2: there are some hundred on a page."""
    return render_by_jinja("web/boards/options.jinja", {"choices": choices, "chosen": chosen})


@cache
def _always_offered(language: str | None) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Return the select boxes that every board has, in the language of the page, which is `language`."""
    every = [("", _("Any"))]
    return {
        "source": (_("Figures"), _told(SOURCES.items())),
        "interaction": (_("Interaction"), every + _told(Interaction.choices)),
        "retrieval": (_("Retrieval"), every + _told(Retrieval.choices)),
        "reasoning": (_("Reasoning"), every + _told(Reasoning.choices)),
        "weights": (_("Weights"), _told(WEIGHTS.items())),
    }


def _told(choices: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(value, _(str(label))) for value, label in choices]
