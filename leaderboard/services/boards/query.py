"""Read the filters, order and columns of a request, and select the rows of a board by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Case, F, FloatField, IntegerField, Q, Value, When
from django.db.models.expressions import OrderBy
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, NullIf, Round

from leaderboard.models import Benchmark, Evaluation, Interaction, Reasoning, Retrieval, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.choices import (
    HARNESSES,
    PROVENANCES,
    RUNS,
    SOURCES,
    STATED,
    TRACES,
    UNKNOWN,
    UNSTATED,
    WEIGHTS,
    UnknownValue,
    filter_choices,
    is_known,
    of_level,
    of_model,
    of_part,
    unknown_value,
)
from leaderboard.services.boards.conditions import CONDITIONS, SORTED_BY
from leaderboard.services.record.as_of import find_as_of, is_today
from leaderboard.services.statistics.compare import MOST_COMPARED
from leaderboard.services.text import fold_case, read_key
from scoring import registry

NO_COLUMNS = "none"
_LONGEST_AS_OF = 40
_UNREADABLE = "\ufffd"
_FACTS = {
    "interaction": Interaction.values,
    "retrieval": Retrieval.values,
    "reasoning": Reasoning.values,
    "weights": WEIGHTS,
    "source": SOURCES,
    "harness": HARNESSES,
    "memory": STATED,
    "trained": STATED,
    "trace": TRACES,
    "runs": RUNS,
    "provenance": PROVENANCES,
}
_NAMES = ("judge", "model", "organisation")
# Sort keys that are a column of the row. All others are metrics.
_FIELDS = {
    "score": "score",
    "system": "name",
    "date": "since",
    "low": "low",
    "organisation": "organisation",
    "models": "models_text",
    "judge": "judge",
    "weights": "open_weights",
    **SORTED_BY,
}
# Columns of text: sorted from A to Z first, where figures begin with the best.
TEXT_COLUMNS = ("system", "organisation", "models", "judge", "harness")
_WITH_GAPS = ("low", "cost", "time", "run", "weights")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The rows, order and columns that a reader wants of a board. Unknown values select nothing.

    board: the board, at one point of its log
    columns: the columns besides rank, system and score; None for the default columns
    as_of: the point of the log as the reader wrote it; "" for now
    unknown_as_of: an `as_of` that matches no point; must be reported, because the rows are those of now
    compare: systems selected for a comparison; they do not affect the rows
    unknown: the filter values, columns and order that the board does not have; must be reported
    """

    board: BoardAt
    text: str = ""
    interaction: str = ""
    retrieval: str = ""
    reasoning: str = ""
    weights: str = ""
    harness: str = ""
    memory: str = ""
    trained: str = ""
    trace: str = ""
    runs: str = ""
    provenance: str = ""
    source: str = ""
    judge: str = ""
    model: str = ""
    organisation: str = ""
    columns: tuple[str, ...] | None = None
    as_of: str = ""
    unknown_as_of: str = ""
    sort: str = "score"
    descending: bool = True
    page: int = 1
    compare: tuple[int, ...] = ()
    unknown: tuple[UnknownValue, ...] = ()

    @property
    def filters(self) -> dict[str, str]:
        """Parameter -> value of the filters that are set."""
        values = {"q": self.text, "source": self.source, "interaction": self.interaction}
        values |= {"retrieval": self.retrieval, "reasoning": self.reasoning, "weights": self.weights}
        values |= {"harness": self.harness, "memory": self.memory, "trained": self.trained}
        values |= {"trace": self.trace, "runs": self.runs, "provenance": self.provenance}
        values |= {"organisation": self.organisation, "model": self.model, "judge": self.judge}
        return {name: value for name, value in values.items() if value}

    @property
    def is_filtered(self) -> bool:
        return bool(self.filters)

    @property
    def is_common(self) -> bool:
        """Whether many readers ask for it: the first page in some order, with the default columns."""
        is_plain = self.columns is None and self.page == 1
        return is_plain and not (self.filters or self.compare or self.as_of)

    @property
    def shows_groups(self) -> bool:
        """Whether the reader chose the column of groups of tasks, which no leaderboard has by default."""
        return "groups" in (self.columns or ())

    def explain_unknown(self) -> str:
        """Return sentences in English that name the values the board does not have; "" without any."""
        return " ".join(
            f"{value.name}={value.value} is not a value of this leaderboard." for value in self.unknown
        )

    def suggest_known(self) -> str:
        """Return sentences in English that name the nearest known values."""
        nearest = [f"Did you mean {value.name}={value.nearest}?" for value in self.unknown if value.nearest]
        return " ".join(nearest) or "/api/v1/openapi.json lists the values of each parameter."

    def without_filters(self) -> Query:
        """Return this query for all rows, with its order, columns and chosen systems."""
        unset: dict[str, Any] = dict.fromkeys(["text", *_FACTS, *_NAMES], "")
        return replace(self, page=1, **unset)

    def with_filter(self, name: str, value: str) -> Query:
        """Return this query with another value of one filter."""
        changes: dict[str, Any] = {name: value}
        return replace(self, page=1, **changes)

    def cleared(self, **fields: Any) -> Query:
        """Return a query for the same board at the same point, with only these fields set."""
        return Query(board=self.board, as_of=self.as_of, **fields)

    def as_query_string(self, **changes: Any) -> str:
        """Return the canonical query string of this query with `changes` to its fields.

        It begins with "?", or is "" if every field has its default.
        """
        query = replace(self, **changes)
        params = query.filters
        if query.columns is not None:
            params["columns"] = ",".join(query.columns) or NO_COLUMNS
        if query.as_of:
            params["as_of"] = query.as_of
        if (query.sort, query.descending) != ("score", True):
            params["sort"] = ("-" if query.descending else "") + query.sort
        if query.page > 1:
            params["page"] = str(query.page)
        pairs = [*params.items(), *(("compare", str(system)) for system in query.compare)]
        return f"?{urlencode(pairs, safe=',')}" if pairs else ""


def read_query(params: Mapping[str, Any], benchmark: Benchmark) -> Query:
    """Return the query that the parameters of a request describe.

    q: the search text
    interaction, retrieval, reasoning, weights, harness, memory, trained: filters by facts
    trace: a filter by what the file holds of the traces of its runs
    runs: a filter by the number of runs behind the figures
    provenance: a filter by the level of provenance; of CI jobs, the lowest
    source, judge, model, organisation: filters
    columns: column keys, separated by commas or each in a parameter of its own
    as_of: a point of the board's log
    page: from 1
    compare: primary keys of systems, each in a parameter of its own
    sort: a column key, with `-` before it for descending
    """

    def read_text(key: str) -> str:
        return "".join(c for c in params.get(key, "") if c.isprintable()).strip()

    as_of = read_text("as_of")
    if is_today(as_of):
        as_of = ""
    elif not as_of and params.get("as_of", "").strip(" "):
        as_of = _UNREADABLE
    is_short = 0 < len(as_of) <= _LONGEST_AS_OF
    point = find_as_of(benchmark=benchmark, text=as_of) if is_short else None
    board = BoardAt(benchmark, point)
    sort = params.get("sort", "")
    key = sort.removeprefix("-")
    if key == visibility.ranked_metric(benchmark).key:
        key = "score"
    can_sort = key in sort_keys(benchmark)
    page = params.get("page", "1")
    names = {name: value for name in _NAMES if (value := read_text(name))}
    unknown = [name for name, value in names.items() if not is_known(board, name, value)]
    return Query(
        board=board,
        text=read_text("q")[:100],
        **{
            name: params.get(name, "") if params.get(name) in values else ""
            for name, values in _FACTS.items()
        },
        **{name: value for name, value in names.items() if name not in unknown},
        columns=_columns(params, benchmark),
        as_of=as_of if point else "",
        unknown_as_of="" if point else as_of[:_LONGEST_AS_OF],
        sort=key if can_sort else "score",
        descending=sort.startswith("-") if can_sort else True,
        page=int(page) if page.isdecimal() and len(page) < 7 else 1,
        compare=() if point or not hasattr(params, "getlist") else _systems(params.getlist("compare")),
        unknown=_unknown_values(params, board, {name: names[name] for name in unknown}, key),
    )


def _unknown_values(
    params: Mapping[str, Any], board: BoardAt, names: Mapping[str, str], sort: str
) -> tuple[UnknownValue, ...]:
    """Return the values that the board does not have.

    names: those of models, organisations and judges. sort: the column key by which to sort, "" for none
    """
    unknown = [
        unknown_value(name, value, [*values])
        for name, values in _FACTS.items()
        if (value := params.get(name, "")) and value not in values
    ]
    if names:
        choices = filter_choices(board)
        known_names: dict[str, Sequence[str]] = {
            "model": choices.models,
            "organisation": choices.organisations,
        }
        known_names["judge"] = [*board.census.judges]
        unknown += [unknown_value(name, value, known_names[name]) for name, value in names.items()]
    keys = sort_keys(board.benchmark)
    if sort and sort not in keys:
        unknown.append(unknown_value("sort", sort, keys))
    if column_names := _column_names(params):
        columns = [*column_keys(board.benchmark), NO_COLUMNS]
        unknown += [unknown_value("columns", name, columns) for name in column_names if name not in columns]
    return tuple(unknown)


def _systems(values: Sequence[str]) -> tuple[int, ...]:
    """Return the first valid primary keys, at most as many as can be compared."""
    return tuple(dict.fromkeys(filter(None, map(read_key, values[:64]))))[:MOST_COMPARED]


def _columns(params: Mapping[str, Any], benchmark: Benchmark) -> tuple[str, ...] | None:
    """Return the columns that the parameters list; None for the default columns."""
    names = _column_names(params)
    columns = tuple(key for key in column_keys(benchmark) if key in names)
    if not columns and NO_COLUMNS not in names:
        return None
    return None if columns == default_columns(benchmark) else columns


def _column_names(params: Mapping[str, Any]) -> dict[str, None]:
    """Return the names of columns in the parameters, in order."""
    # A form sends each column in a field of its own, while an address has all of them in one.
    values = params.getlist("columns") if hasattr(params, "getlist") else [params.get("columns", "")]
    return dict.fromkeys(name for value in values for name in value[:2000].split(",") if name)


def column_keys(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the columns that a reader can choose, in order, with visible figures only."""
    metrics = [metric.key for metric in visibility.visible_metrics(benchmark)[1:]]
    judge = ["judge"] if registry.get(benchmark.family).needs_judge else []
    groups = ["groups"] if visibility.visible_breakdowns(benchmark) else []
    trace = ["trace"] if registry.get(benchmark.family).has_traces else []
    return (
        "weights",
        "interval",
        "next",
        "counts",
        "runs",
        *metrics,
        *groups,
        "date",
        "organisation",
        "models",
        *judge,
        *CONDITIONS,
        *trace,
        "provenance",
    )


def default_columns(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the columns of a board for which the reader has not chosen any."""
    metrics = {metric.key for metric in visibility.visible_metrics(benchmark)[1:] if metric.column}
    defaults = {"weights", "interval", *metrics}
    return tuple(key for key in column_keys(benchmark) if key in defaults)


def sort_keys(benchmark: Benchmark) -> list[str]:
    """Return the keys by which the board can be sorted, with visible figures only."""
    # The first metric is the score itself.
    others = visibility.visible_metrics(benchmark)[1:]
    return ["score", *(metric.key for metric in others), *(key for key in _FIELDS if key != "score")]


def select_rows(query: Query) -> StandingQuerySet[Standing]:
    """Return the rows for `query` in its order. Rows without the figure to sort by come last."""
    return order_rows(filter_rows(query.board.rows, query), query)


def filter_rows(rows: StandingQuerySet[Standing], query: Query) -> StandingQuerySet[Standing]:
    """Return the rows that match the filters of `query`."""
    names = ("interaction", "retrieval", "reasoning", "organisation")
    rows = rows.filter(**{name: value for name in names if (value := getattr(query, name))})
    rows = of_part(rows, query.board, kind=query.source or None, judge=query.judge or None)
    if query.weights:
        rows = rows.filter(open_weights=query.weights == "open")
    if query.harness:
        rows = rows.filter(harness="" if query.harness == UNSTATED else query.harness)
    for field, stated in (("task_memory", query.memory), ("trained_on_benchmark", query.trained)):
        if stated == UNSTATED:
            rows = rows.filter(**{f"{field}__isnull": True})
        elif stated:
            rows = rows.filter(**{field: stated == "yes"})
    if query.trace:
        of_file = "evaluation__submission__trace"
        is_unknown = Q(**{f"{of_file}__isnull": True}) | Q(**{of_file: ""})
        rows = rows.filter(is_unknown if query.trace == UNKNOWN else Q(**{of_file: query.trace}))
    if query.runs:
        # The subquery reads a small index, where a join would read every evaluation of the board.
        rows = rows.filter(evaluation__in=Evaluation.objects.filter(runs__gt=1).values("pk"))
    if query.provenance:
        rows = of_level(rows, query.provenance)
    if query.model:
        rows = of_model(rows, query.model)
    if text := fold_case(query.text):
        rows = rows.filter(search__contains=text)
    return rows


def order_rows(
    rows: StandingQuerySet[Standing], query: Query, *, has_gaps: bool = True
) -> StandingQuerySet[Standing]:
    """Return `rows` in the order of `query`.

    has_gaps: whether a row may lack a score
    """
    # As in the ranking, both on current and on past boards.
    tie_breakers = ["since", "system_id"]
    if query.sort in _FIELDS:
        field = F(_FIELDS[query.sort])
        if query.sort == "score":
            order: list[OrderBy | Case] = [_sort_by(field, query.descending, nulls_last=has_gaps)]
        else:
            # A score without a known number of tasks has no interval, and few state a cost.
            order = [_sort_by(field, query.descending, nulls_last=query.sort in _WITH_GAPS)]
            # Among equal values the better score comes first. Empty values come last.
            order += [F("score").desc(nulls_last=True)]
            # Every system has a name.
            if query.sort in TEXT_COLUMNS and query.sort != "system":
                order = [_blank_last(query.sort), *order]
    else:
        # SQLite gives a JSON null as the text null, which would be cast to 0.
        text = NullIf(KeyTextTransform(query.sort, "metrics"), Value("null"))
        # Rounded as it is printed: the order of rows must not reveal more digits of a mean.
        rows = rows.annotate(figure=Round(Cast(text, FloatField()), precision=3))
        order = [_sort_by(F("figure"), query.descending, nulls_last=True), F("score").desc(nulls_last=True)]
    # A total order, so that pages neither repeat nor omit a row.
    return rows.order_by(*order, *tie_breakers)


def _sort_by(field: F, descending: bool, *, nulls_last: bool) -> OrderBy:
    # PostgreSQL uses an index only if both put nulls at the same end. Without nulls, their end is left open.
    last = True if nulls_last else None
    return field.desc(nulls_last=last) if descending else field.asc(nulls_last=last)


def _blank_last(key: str) -> Case:
    return Case(When(**{_FIELDS[key]: ""}, then=1), default=0, output_field=IntegerField())
