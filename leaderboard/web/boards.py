"""The front page and the boards."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Benchmark, Interaction, Reasoning, Retrieval
from leaderboard.services import board as boards
from leaderboard.services import feedback, overview
from leaderboard.web.findings import finding
from scoring import registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The head of a sortable column. order: how it is sorted now, as aria-sort says it, or empty.
    ask: the sort key that a press asks for."""

    key: str
    label: str
    order: str
    ask: str


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    return render(request, "web/front.html", {"summaries": overview.summaries()})


@require_safe
def board(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = get_object_or_404(overview.boards(), slug=slug)
    query = boards.read_query(request.GET, benchmark)
    found = boards.read_board(benchmark=benchmark, query=query)
    breakdowns = feedback.visible_breakdowns(benchmark)
    metrics = feedback.visible_metrics(benchmark)
    context = {
        "benchmark": benchmark,
        "board": found,
        "score": metrics[0],
        "metrics": metrics[1:],
        "breakdown": breakdowns[0] if breakdowns else None,
        "columns": columns(benchmark, query),
        "finding": finding(overview.contenders(benchmark=benchmark)),
        "updated": overview.last_change(benchmark=benchmark),
        "scorer_version": registry.get(benchmark.family).scorer_version,
        "floor": floor_of(found.rows),
        "filters": filters(query),
        "pages": found.page.paginator.get_elided_page_range(found.page.number, on_each_side=2),
    }
    return render(request, "web/board.html", context)


def columns(benchmark: Benchmark, query: boards.Query) -> dict[str, Column]:
    """Return the sortable columns by key. A first press sorts figures best first and names from A."""
    labels = {metric.key: metric.short for metric in feedback.visible_metrics(benchmark)[1:]}
    labels |= {"score": feedback.visible_metrics(benchmark)[0].label, "system": "System", "date": "Date"}
    return {key: _column(key, labels[key], query) for key in boards.sort_keys(benchmark)}


def _column(key: str, label: str, query: boards.Query) -> Column:
    descending = not query.descending if query.sort == key else key != "system"
    order = ("descending" if query.descending else "ascending") if query.sort == key else ""
    return Column(key=key, label=label, order=order, ask=f"-{key}" if descending else key)


def floor_of(rows: list[boards.Row]) -> float:
    """Return where the axis of the drawn intervals begins, in 0..0.5: a whole tenth below the lowest."""
    lows = [row.standing.low for row in rows if row.standing.low is not None]
    return min(0.5, int(min(lows) * 10) / 10) if lows else 0.0


def filters(query: boards.Query) -> list[dict]:
    """Return the select boxes above the table: what may be chosen, and what is."""
    every = [("", "Any")]
    offered = {
        "interaction": ("Interaction", every + Interaction.choices),
        "retrieval": ("Retrieval", every + Retrieval.choices),
        "reasoning": ("Reasoning", every + Reasoning.choices),
        "weights": ("Weights", list(boards.WEIGHTS.items())),
        "source": ("Source", list(boards.SOURCES.items())),
    }
    return [
        {"name": name, "label": label, "choices": choices, "chosen": getattr(query, name)}
        for name, (label, choices) in offered.items()
    ]
