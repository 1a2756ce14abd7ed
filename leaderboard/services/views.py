"""Views of a board beside its table: by group, by step, approach by model, and how its tasks are spread.

Each is worked out from standings, at the board's feedback level.
"""

from collections.abc import Iterable

from django.db.models import Case, F, Q, Value, When, Window
from django.db.models.functions import RowNumber

from leaderboard.models import Benchmark, Interaction, Kind, Reasoning, Retrieval, Standing, System
from leaderboard.services import board as boards
from leaderboard.services import feedback
from leaderboard.services.board import Query, Row
from leaderboard.services.shown import Approaches, Form, Grouped, Sizes, Spread, View
from scoring.benchmark import Breakdown, Metric

PAGE_SIZE = 25
EXPORT_SIZE = 1000
PANELS = 6  # systems drawn of a view by steps
_MODELS = 12  # columns of approach by model
_CELLS = 400


def available(benchmark: Benchmark) -> list[View]:
    """Return the views of the board. Where figures of groups are kept back, none has any."""
    breakdowns = feedback.visible_breakdowns(benchmark)
    found = [
        View(
            name=f"by-{breakdown.key.replace('_', '-')}",
            title=f"By {breakdown.label[:1].lower()}{breakdown.label[1:]}",
            form=Form.STEPS if breakdown.ordered else Form.GROUPS,
            breakdown=breakdown,
        )
        for breakdown in breakdowns
    ]
    found.append(View(name="approach-by-model", title="Approach by model", form=Form.APPROACHES))
    if any(breakdown.fixed for breakdown in breakdowns):
        found.append(View(name="distribution", title="How the tasks are spread", form=Form.SIZES))
    return found


def read_view(
    *, benchmark: Benchmark, view: View, query: Query, size: int = PAGE_SIZE
) -> Grouped | Approaches | Sizes:
    """Return what `view` shows of the rows for `query`; of one by group, a page of `size` rows."""
    if view.form == Form.APPROACHES:
        return _approaches(benchmark, view, query)
    if view.form == Form.SIZES:
        return _sizes(benchmark, view)
    rows, page = boards.read_page(benchmark=benchmark, query=query, breakdown=view.breakdown.key, size=size)
    return Grouped(
        view=view,
        metric=feedback.ranked_metric(benchmark),
        metrics=_metrics(benchmark, view.breakdown.metrics),
        rows=rows,
        page=page,
    )


def _metrics(benchmark: Benchmark, keys: Iterable[str]) -> list[Metric]:
    wanted = set(keys)
    return [metric for metric in feedback.visible_metrics(benchmark)[1:] if metric.key in wanted]


def _best_of_cells(benchmark: Benchmark, query: Query) -> list[Row]:
    """Return the best row of each approach, model and (unless the board mixes them) judge, best first."""
    traits = [f"system__{name}" for name in ("interaction", "retrieval", "reasoning")]
    cell = [*traits, "system__model_names", *([] if benchmark.mixes_judges else ["judge"])]
    best = (
        boards.chosen(benchmark, query)
        .filter(score__isnull=False)
        .exclude(kind=Kind.BASELINE)
        .exclude(**dict.fromkeys(traits, ""))
        .annotate(
            place=Window(
                RowNumber(),
                partition_by=[F(name) for name in cell],
                order_by=[F("score").desc(), F("since").asc(), F("pk").asc()],
            )
        )
        .filter(place=1)
        .order_by("-score", "since", "pk")
        # Found by their keys first: sorting all rows whole would take ten times as long.
        .values_list("pk", flat=True)
    )
    return boards.rows_by_key(benchmark=benchmark, keys=list(best[:_CELLS]))


def _approaches(benchmark: Benchmark, view: View, query: Query) -> Approaches:
    rows = _best_of_cells(benchmark, query)
    # In the order of the best: a column for each model, a line for each approach.
    models = list(dict.fromkeys(_model(row.system) for row in rows))
    shown = set(models[:_MODELS])
    lines: dict[str, dict[str, list[Row]]] = {}
    for row in sorted(rows, key=lambda row: (_order(row.system), row.standing.judge)):
        if _model(row.system) in shown:
            lines.setdefault(approach_of(row.system), {}).setdefault(_model(row.system), []).append(row)
    # Precision and recall, say: what the benchmark shows beside the rates of groups.
    beside = [key for breakdown in feedback.visible_breakdowns(benchmark) for key in breakdown.metrics]
    return Approaches(
        view=view,
        metric=feedback.ranked_metric(benchmark),
        metrics=_metrics(benchmark, beside),
        models=models[:_MODELS],
        lines=lines,
        has_more=len(models) > _MODELS or len(rows) == _CELLS,
    )


def _model(system: System) -> str:
    return ", ".join(system.model_names) or "not said"


def approach_of(system: System) -> str:
    """Return the traits of a system in words: `Multi-turn, retriever, code`."""
    retrieval = {Retrieval.NONE: "no retrieval", "": "retrieval not said"}
    return ", ".join(
        (
            system.get_interaction_display() or "Interaction not said",
            retrieval.get(system.retrieval) or system.get_retrieval_display().lower(),
            system.get_reasoning_display().lower() or "reasoning not said",
        )
    )


def _order(system: System) -> tuple[int, ...]:
    chosen = (
        (Interaction, system.interaction),
        (Retrieval, system.retrieval),
        (Reasoning, system.reasoning),
    )
    return tuple(
        choices.values.index(value) if value in choices.values else len(choices) for choices, value in chosen
    )


def _sizes(benchmark: Benchmark, view: View) -> Sizes:
    spreads = []
    for breakdown in feedback.visible_breakdowns(benchmark):
        if breakdown.fixed and (spread := _spread(benchmark, breakdown)):
            spreads.append(spread)
    return Sizes(view=view, spreads=spreads)


def _spread(benchmark: Benchmark, breakdown: Breakdown) -> Spread | None:
    """Return the sizes that rows have: those scored against today's references, else published ones."""
    rows = Standing.objects.filter(benchmark=benchmark, breakdowns__has_key=breakdown.key)
    trust = Case(
        When(kind=Kind.BASELINE, then=Value(0)),
        When(kind=Kind.RESCORED, evaluation__revision=benchmark.active_revision_id, then=Value(1)),
        When(kind=Kind.REPORTED, then=Value(2)),
        default=Value(3),
    )
    row = rows.annotate(trust=trust).filter(Q(trust__lt=3)).order_by("trust", "pk").first()
    if row is None:
        return None
    groups = feedback.visible_groups(benchmark, row.breakdowns)[breakdown.key]
    tasks = {group: rate.total for group, rate in groups.items() if rate.total}
    if not tasks:
        return None
    return Spread(
        breakdown=breakdown,
        tasks=tasks,
        # Before there are references a baseline, too, is worked out from what was published.
        published=row.is_reported or not benchmark.is_open,
    )
