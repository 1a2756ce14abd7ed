"""Reading a board: filtered, sorted, a page of it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, FloatField, Q, QuerySet, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, NullIf

from leaderboard.models import Benchmark, Interaction, Reasoning, Retrieval, Standing
from leaderboard.services import feedback
from scoring import registry
from scoring.verdicts import Rate

PAGE_SIZE = 100
SOURCES = {"": "Rescored and reported", "rescored": "Rescored only", "reported": "Reported only"}
WEIGHTS = {"": "Any", "open": "Open", "closed": "Closed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a reader asks of a board. Values that are not known count as not given."""

    text: str = ""
    interaction: str = ""
    retrieval: str = ""
    reasoning: str = ""
    weights: str = ""
    source: str = ""
    sort: str = "score"
    descending: bool = True
    page: int = 1

    @property
    def is_filtered(self) -> bool:
        return any((self.text, self.interaction, self.retrieval, self.reasoning, self.weights, self.source))


def read_query(said: Mapping[str, Any], benchmark: Benchmark) -> Query:
    """Return the query in request parameters: q, interaction, retrieval, reasoning, weights, source, page,
    and sort (a column key, `-` before it for descending)."""

    def one_of(key, known):
        value = said.get(key, "")
        return value if value in known else ""

    asked = said.get("sort", "")
    key = asked.removeprefix("-")
    known = key in sort_keys(benchmark)
    page = said.get("page", "1")
    return Query(
        text="".join(c for c in said.get("q", "") if c.isprintable()).strip()[:100],
        interaction=one_of("interaction", Interaction.values),
        retrieval=one_of("retrieval", Retrieval.values),
        reasoning=one_of("reasoning", Reasoning.values),
        weights=one_of("weights", WEIGHTS),
        source=one_of("source", SOURCES),
        sort=key if known else "score",
        descending=asked.startswith("-") if known else True,
        page=int(page) if page.isdecimal() and len(page) < 7 else 1,
    )


def sort_keys(benchmark: Benchmark) -> list[str]:
    """Return what the board may be sorted by: never a figure that may not be seen."""
    # The first metric is the score itself.
    others = feedback.visible_metrics(benchmark)[1:]
    return ["score", *(metric.key for metric in others), "system", "date"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row as it may be seen. rank: of the whole board, None without a score."""

    rank: int | None
    standing: Standing
    overall: Rate | None
    metrics: Mapping[str, float | None]
    groups: Mapping[str, Mapping[str, Rate]]

    @property
    def system(self):
        return self.standing.system

    @property
    def is_reported(self) -> bool:
        return self.standing.is_reported

    @property
    def is_outdated(self) -> bool:
        """Scored against a revision that is no longer the board's."""
        evaluation = self.standing.evaluation
        return evaluation is not None and evaluation.revision_id != self.standing.benchmark.active_revision_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A page of a board. counts: systems rescored and reported on the whole of it."""

    benchmark: Benchmark
    query: Query
    rows: list[Row]
    page: Page
    counts: Mapping[str, int]
    submissions: int


def read_board(*, benchmark: Benchmark, query: Query) -> Board:
    """Return one page of the board for `query`. Sorted by anything, a row without the figure comes last."""
    counts = Standing.objects.filter(benchmark=benchmark).aggregate(
        rescored=Count("pk", filter=Q(evaluation__isnull=False)),
        reported=Count("pk", filter=Q(evaluation__isnull=True)),
    )
    chosen = _sorted(_filtered(_rows(benchmark), query), query)
    page = Paginator(chosen, PAGE_SIZE).get_page(query.page)
    shown = list(page.object_list)
    ranks = _ranks(benchmark, (standing.score for standing in shown))
    return Board(
        benchmark=benchmark,
        query=query,
        rows=[_row(benchmark, standing, ranks.get(standing.score)) for standing in shown],
        page=page,
        counts=counts,
        submissions=benchmark.submissions.filter(evaluation__isnull=False).count(),
    )


def _rows(benchmark: Benchmark) -> QuerySet[Standing]:
    rows = Standing.objects.filter(benchmark=benchmark)
    rows = rows.select_related("benchmark", "system__team", "evaluation__revision")
    return rows.defer(
        "evaluation__revision__content", "evaluation__revision__task_ids", "evaluation__verdicts"
    )


def _ranks(benchmark: Benchmark, scores: Iterable[float | None]) -> dict[float, int]:
    """Return score -> rank on the whole board: 1 and how many are better, so that equal ones share it."""
    # Of the page's scores only: a rank for every row would be worked out for all rows before the page, too.
    counts = {
        f"rank_{n}": (score, Count("pk", filter=Q(score__gt=score)))
        for n, score in enumerate({score for score in scores if score is not None})
    }
    if not counts:
        return {}
    asked = {name: count for name, (_, count) in counts.items()}
    better = Standing.objects.filter(benchmark=benchmark).aggregate(**asked)
    return {score: better[name] + 1 for name, (score, _) in counts.items()}


def _filtered(rows: QuerySet[Standing], query: Query) -> QuerySet[Standing]:
    traits = {name: getattr(query, name) for name in ("interaction", "retrieval", "reasoning")}
    rows = rows.filter(**{f"system__{name}": value for name, value in traits.items() if value})
    if query.weights:
        rows = rows.filter(system__open_weights=query.weights == "open")
    if query.source:
        rows = rows.filter(evaluation__isnull=query.source == "reported")
    if query.text:
        # SQLite keeps JSON with its escapes, PostgreSQL without.
        escaped = json.dumps(query.text)[1:-1]
        rows = rows.annotate(models_text=Cast("system__model_names", output_field=TextField())).filter(
            Q(system__name__icontains=query.text)
            | Q(system__organisation__icontains=query.text)
            | Q(system__team__name__icontains=query.text)
            | Q(models_text__icontains=query.text)
            | Q(models_text__icontains=escaped)
        )
    return rows


def _sorted(rows: QuerySet[Standing], query: Query) -> QuerySet[Standing]:
    fields = {"score": F("score"), "system": F("system__name"), "date": F("since")}
    field = fields.get(query.sort)
    if field is None:
        # SQLite gives a JSON null as the text null, which would be cast to 0.
        text = NullIf(KeyTextTransform(query.sort, "metrics"), Value("null"))
        rows = rows.annotate(figure=Cast(text, FloatField()))
        field = F("figure")
    order = field.desc(nulls_last=True) if query.descending else field.asc(nulls_last=True)
    # A total order, so that pages neither repeat nor miss a row.
    return rows.order_by(order, F("score").desc(nulls_last=True), "since", "pk")


def _row(benchmark: Benchmark, standing: Standing, rank: int | None) -> Row:
    # What a publication printed is public whatever the level; a rescored row is shown at the board's level.
    metrics = (
        registry.get(benchmark.family).metrics
        if standing.is_reported
        else feedback.visible_metrics(benchmark)
    )
    return Row(
        rank=rank,
        standing=standing,
        overall=Rate(right=standing.right, total=standing.total) if standing.total else None,
        metrics={metric.key: standing.metrics.get(metric.key) for metric in metrics},
        groups=feedback.visible_groups(benchmark, standing.breakdowns) if standing.breakdowns else {},
    )
