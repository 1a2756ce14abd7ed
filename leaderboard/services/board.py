"""Reading a board: filtered, sorted, a page of it."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, FloatField, Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, NullIf

from leaderboard.models import Benchmark, Interaction, Kind, Reasoning, Retrieval, Standing
from leaderboard.services import feedback
from leaderboard.services.board_models import of_model, with_models_text
from leaderboard.services.ranks import every_rank, ranks_of
from scoring import registry
from scoring.verdicts import Rate, Share

PAGE_SIZE = 100
_AT_ONCE = 1000  # rows of an export
SOURCES = {
    "": "Any",
    Kind.RESCORED: "Rescored only",
    Kind.REPORTED: "Reported only",
    Kind.BASELINE: "Baselines only",
}
# Columns of an evaluation that no list of rows needs.
_LARGE = ("verdicts", "details", "suspects", "metrics", "breakdowns", "group_metrics")
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
    judge: str = ""
    model: str = ""
    sort: str = "score"
    descending: bool = True
    page: int = 1

    @property
    def is_filtered(self) -> bool:
        traits = (self.interaction, self.retrieval, self.reasoning, self.weights)
        return any((self.text, *traits, self.source, self.judge, self.model))


def read_query(said: Mapping[str, Any], benchmark: Benchmark) -> Query:
    """Return the query in request parameters: q, interaction, retrieval, reasoning, weights, source, judge,
    model, page, and sort (a column key, `-` before it for descending)."""

    def one_of(key, known):
        value = said.get(key, "")
        return value if value in known else ""

    def words(key):
        return "".join(c for c in said.get(key, "") if c.isprintable()).strip()

    judge, model = words("judge"), words("model")
    standings = Standing.objects.filter(benchmark=benchmark)
    asked = said.get("sort", "")
    key = asked.removeprefix("-")
    known = key in sort_keys(benchmark)
    page = said.get("page", "1")
    return Query(
        text=words("q")[:100],
        interaction=one_of("interaction", Interaction.values),
        retrieval=one_of("retrieval", Retrieval.values),
        reasoning=one_of("reasoning", Reasoning.values),
        weights=one_of("weights", WEIGHTS),
        source=one_of("source", SOURCES),
        judge=judge if judge and standings.filter(judge=judge).exists() else "",
        model=model if model and of_model(standings, model).exists() else "",
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
    """A row as it may be seen. rank: of the whole board (of its judge, unless the board mixes them); None
    without a score, and for a baseline."""

    rank: int | None
    standing: Standing
    overall: Rate | Share | None
    metrics: Mapping[str, float | None]
    groups: Mapping[str, Mapping[str, Rate | Share]]
    group_metrics: Mapping[str, Mapping[str, Mapping[str, float | None]]]

    @property
    def system(self):
        return self.standing.system

    @property
    def is_reported(self) -> bool:
        return self.standing.is_reported

    @property
    def is_baseline(self) -> bool:
        return self.standing.is_baseline

    @property
    def is_outdated(self) -> bool:
        """Scored against a revision that is no longer the board's."""
        evaluation = self.standing.evaluation
        return evaluation is not None and evaluation.revision_id != self.standing.benchmark.active_revision_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """Who is on the whole of a board: rows of each kind, and ranked rows of each judge, most first."""

    kinds: Mapping[str, int]
    judges: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A page of a board."""

    benchmark: Benchmark
    query: Query
    rows: list[Row]
    page: Page
    census: Census
    submissions: int

    @property
    def counts(self) -> Mapping[str, int]:
        return self.census.kinds


def words_on_ranks(benchmark: Benchmark) -> str:
    """Say what ranks are among, in a sentence."""
    if not registry.get(benchmark.family).needs_judge:
        return "A rank is among all ranked systems of the board."
    if benchmark.mixes_judges:
        return "The organisers rank all systems together, though different judges decided: compare with care."
    return "A rank is among the systems that the same judge decided on, since judges differ."


def read_board(*, benchmark: Benchmark, query: Query) -> Board:
    """Return one page of the board for `query`. Sorted by anything, a row without the figure comes last."""
    census = take_census(benchmark=benchmark)
    page = Paginator(chosen(benchmark, query), PAGE_SIZE).get_page(query.page)
    return Board(
        benchmark=benchmark,
        query=query,
        rows=rows_of(benchmark=benchmark, standings=list(page.object_list)),
        page=page,
        census=census,
        submissions=benchmark.submissions.filter(evaluation__isnull=False).count(),
    )


def read_page(*, benchmark: Benchmark, query: Query, breakdown: str, size: int) -> tuple[list[Row], Page]:
    """Return one page, `size` rows, of the board's rows for `query` that have figures by `breakdown`."""
    rows = chosen(benchmark, query).filter(breakdowns__has_key=breakdown)
    page = Paginator(rows, size).get_page(query.page)
    return rows_of(benchmark=benchmark, standings=list(page.object_list)), page


def rows_by_key(*, benchmark: Benchmark, keys: list[int]) -> list[Row]:
    """Return the rows with these primary keys, in their order."""
    found = _rows(benchmark).in_bulk(keys)
    return rows_of(benchmark=benchmark, standings=[found[key] for key in keys])


def every_row(*, benchmark: Benchmark, query: Query) -> Iterator[Row]:
    """Yield all rows of the board for `query`, in its order, with few of them in memory at a time."""
    ranks = every_rank(benchmark)
    for standing in chosen(benchmark, query).iterator(chunk_size=_AT_ONCE):
        judge = "" if benchmark.mixes_judges else standing.judge
        ranked = not standing.is_baseline
        yield _row(benchmark, standing, ranks.get((judge, standing.score)) if ranked else None)


def take_census(*, benchmark: Benchmark) -> Census:
    """Return how many rows of each kind and judge the board has."""
    kinds, judges = Counter(dict.fromkeys(Kind.values, 0)), Counter()
    rows = Standing.objects.filter(benchmark=benchmark).values_list("judge", "kind")
    for judge, kind, number in rows.annotate(number=Count("pk")).order_by("judge", "kind"):
        kinds[kind] += number
        if kind != Kind.BASELINE:
            judges[judge] += number
    return Census(kinds=dict(kinds), judges=dict(judges.most_common()))


def chosen(benchmark: Benchmark, query: Query) -> QuerySet[Standing]:
    """Return the rows for `query`, in its order."""
    return _sorted(_filtered(_rows(benchmark), query), query)


def _rows(benchmark: Benchmark) -> QuerySet[Standing]:
    rows = Standing.objects.filter(benchmark=benchmark)
    rows = rows.select_related("benchmark", "system__team", "evaluation__revision")
    # An evaluation's figures stand in the row itself.
    return rows.defer(
        "evaluation__revision__content",
        "evaluation__revision__task_ids",
        *(f"evaluation__{name}" for name in _LARGE),
    )


def _filtered(rows: QuerySet[Standing], query: Query) -> QuerySet[Standing]:
    traits = {name: getattr(query, name) for name in ("interaction", "retrieval", "reasoning")}
    rows = rows.filter(**{f"system__{name}": value for name, value in traits.items() if value})
    if query.weights:
        rows = rows.filter(system__open_weights=query.weights == "open")
    if query.source:
        rows = rows.filter(kind=query.source)
    if query.judge:
        rows = rows.filter(judge=query.judge)
    if query.model:
        rows = of_model(rows, query.model)
    if query.text:
        # SQLite keeps JSON with its escapes, PostgreSQL without.
        escaped = json.dumps(query.text)[1:-1]
        rows = with_models_text(rows).filter(
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


def rows_of(*, benchmark: Benchmark, standings: Iterable[Standing]) -> list[Row]:
    """Return `standings` of the board as they may be seen, in the same order."""
    standings = list(standings)
    ranks = ranks_of(benchmark, standings)
    return [_row(benchmark, standing, ranks.get(standing.pk)) for standing in standings]


def _row(benchmark: Benchmark, standing: Standing, rank: int | None) -> Row:
    # What a publication printed is public whatever the level; others are shown at the board's level.
    metrics = (
        registry.get(benchmark.family).metrics
        if standing.is_reported
        else feedback.visible_metrics(benchmark)
    )
    return Row(
        rank=rank,
        standing=standing,
        overall=_overall(standing),
        metrics={metric.key: standing.metrics.get(metric.key) for metric in metrics},
        groups=feedback.visible_groups(benchmark, standing.breakdowns) if standing.breakdowns else {},
        group_metrics=feedback.visible_group_metrics(benchmark, standing.group_metrics),
    )


def _overall(standing: Standing) -> Rate | Share | None:
    if not standing.total:
        return None
    if standing.right is None:
        return None if standing.score is None else Share(rate=standing.score, total=standing.total)
    return Rate(right=standing.right, total=standing.total)
