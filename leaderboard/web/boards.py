"""The front page and the boards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark, Interaction, Reasoning, Retrieval
from leaderboard.services import board as boards
from leaderboard.services import exports, feedback, overview, views
from leaderboard.services.board_models import models_of
from leaderboard.web.findings import finding
from scoring import registry
from scoring.benchmark import Breakdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The head of a sortable column. order: how it is sorted now, as aria-sort says it, or empty.
    ask: the sort key that a press asks for. stands_for: what is in it, in a sentence."""

    key: str
    label: str
    stands_for: str
    order: str
    ask: str


class Head(NamedTuple):
    """What a column is called, what it stands for, and whether its first order is descending."""

    label: str
    stands_for: str
    from_the_top: bool


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    return render(request, "web/front.html", {"summaries": overview.summaries()})


@require_safe
def board(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = get_object_or_404(overview.boards(), slug=slug)
    found = boards.read_board(benchmark=benchmark, query=boards.read_query(request.GET, benchmark))
    query, judges = found.query, found.census.judges
    breakdowns = feedback.visible_breakdowns(benchmark)
    groups = drawn_groups(breakdowns[0], found.rows) if breakdowns else {}
    judge = overview.compared_judge(benchmark=benchmark, judges=judges)
    names_judge, judges_differ = registry.get(benchmark.family).needs_judge, len(judges) > 1
    scorer, today = registry.get(benchmark.family), overview.judge_of_today(benchmark=benchmark)
    context = {
        "benchmark": benchmark,
        "board": found,
        "score": feedback.ranked_metric(benchmark),
        "metrics": [metric for metric in feedback.visible_metrics(benchmark)[1:] if metric.column],
        "breakdown": breakdowns[0] if groups else None,
        "groups": groups,
        "columns": columns(benchmark, query, judge_in_date=names_judge and not judges_differ),
        "names_judge": names_judge,
        "judges_differ": judges_differ,
        "finding": finding(overview.lead(benchmark=benchmark, judge=judge), judges=len(judges)),
        "updated": overview.last_change(benchmark=benchmark),
        "scorer_version": scorer.scorer_version,
        "needs_judge": scorer.needs_judge,
        "judge": today,
        "agreement": scorer.agreement(today),
        "ranks": boards.words_on_ranks(benchmark),
        "views": views.available(benchmark),
        "explained": [metric for metric in feedback.visible_metrics(benchmark) if metric.stands_for],
        "floor": floor_of(found.rows),
        "filters": filters(query, judges, models_of(benchmark)),
        "pages": found.page.paginator.get_elided_page_range(found.page.number, on_each_side=2),
    }
    return render(request, "web/board.html", context)


@require_safe
def export(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The rows that the board shows for the same query, on all its pages, as CSV."""
    benchmark = get_object_or_404(overview.boards(), slug=slug)
    query = boards.read_query(request.GET, benchmark)
    lines = exports.board_csv(benchmark=benchmark, rows=boards.every_row(benchmark=benchmark, query=query))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{benchmark.slug}.csv"'
    return response


def columns(benchmark: Benchmark, query: boards.Query, *, judge_in_date: bool) -> dict[str, Column]:
    """Return the sortable columns by key. A first press sorts figures best first and names from A.

    judge_in_date: the judge stands below the date, which is where it is out of the way.
    """
    metrics = feedback.visible_metrics(benchmark)
    known = {
        "score": Head(metrics[0].label, metrics[0].stands_for, True),
        "system": Head("System", "", False),
        "date": Head("Date, judge" if judge_in_date else "Date", "", True),
    }
    known |= {m.key: Head(m.short, m.stands_for, m.higher_is_better) for m in metrics[1:]}
    return {key: _column(key, known[key], query) for key in boards.sort_keys(benchmark)}


def _column(key: str, head: Head, query: boards.Query) -> Column:
    descending = not query.descending if query.sort == key else head.from_the_top
    order = ("descending" if query.descending else "ascending") if query.sort == key else ""
    ask = f"-{key}" if descending else key
    return Column(key=key, label=head.label, stands_for=head.stands_for, order=order, ask=ask)


def drawn_groups(breakdown: Breakdown, rows: list[boards.Row]) -> dict[str, str]:
    """Return key -> label of the groups that any of `rows` has a task in."""
    rates = [row.groups[breakdown.key] for row in rows if row.groups]
    return {
        key: label
        for key, label in breakdown.groups.items()
        if any(key in known and known[key].total for known in rates)
    }


def floor_of(rows: list[boards.Row]) -> float:
    """Return where the axis of the drawn intervals begins, in 0..0.5: a whole tenth below the lowest."""
    lows = [row.standing.low for row in rows if row.standing.low is not None]
    return min(0.5, int(min(lows) * 10) / 10) if lows else 0.0


def filters(query: boards.Query, judges: Iterable[str], models: Sequence[str]) -> list[dict]:
    """Return the select boxes above the table: what may be chosen, and what is. A judge and a model can be
    where there are several of them."""
    every = [("", "Any")]
    offered = {
        "interaction": ("Interaction", every + Interaction.choices),
        "retrieval": ("Retrieval", every + Retrieval.choices),
        "reasoning": ("Reasoning", every + Reasoning.choices),
        "weights": ("Weights", list(boards.WEIGHTS.items())),
        "source": ("Source", list(boards.SOURCES.items())),
    }
    for name, label, known in (("model", "Model", models), ("judge", "Judge", judges)):
        chosen = getattr(query, name)
        # Of many models the least frequent are left out; one that was asked for by address is there.
        named = dict.fromkeys(one for one in (*known, chosen) if one)
        if len(named) > 1 or chosen:
            offered[name] = (label, [*every, *((one, one) for one in named)])
    return [
        {"name": name, "label": label, "choices": choices, "chosen": getattr(query, name)}
        for name, (label, choices) in offered.items()
    ]
