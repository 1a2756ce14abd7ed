"""What a reader may ask of a board: filters, an order, columns; and the rows for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Case, F, FloatField, IntegerField, Value, When
from django.db.models.expressions import OrderBy
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, NullIf

from leaderboard.models import Benchmark, Interaction, Kind, Reasoning, Retrieval, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.choices import is_known, of_model
from leaderboard.services.record.as_of import find_as_of, is_today
from leaderboard.services.text import fold_case
from scoring import registry

SOURCES = {
    "": "Any",
    Kind.RESCORED: "Rescored only",
    Kind.REPORTED: "Reported only",
    Kind.BASELINE: "Baselines only",
}
WEIGHTS = {"": "Any", "open": "Open", "closed": "Closed"}
NO_COLUMNS = "none"
MOST_COMPARED = 4
_LONGEST_AS_OF = 40
_UNREADABLE = "\ufffd"
NEAR = ("source", "judge")  # filters that a page has at hand
_FACTS = {
    "interaction": Interaction.values,
    "retrieval": Retrieval.values,
    "reasoning": Reasoning.values,
    "weights": WEIGHTS,
    "source": SOURCES,
}
_NAMES = ("judge", "model", "organisation")
# Sort keys that are a column of the row; every other one is a metric.
_FIELDS = {
    "score": "score",
    "system": "name",
    "date": "since",
    "low": "low",
    "organisation": "organisation",
    "models": "models_text",
    "judge": "judge",
}
_TEXTS = ("system", "organisation", "models", "judge")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a reader asks of a board. Values that are not known count as not given.

    columns: which are shown beside rank, system and score; None: those that the board shows unless told.
    board: whose rows, and at which point of its log. as_of: that point as the reader wrote it, "" for now.
    unknown_as_of: an `as_of` that names no point; it must be reported, for the rows are those of now.
    compare: systems that are ticked for comparing; they change no row.
    """

    board: BoardAt
    text: str = ""
    interaction: str = ""
    retrieval: str = ""
    reasoning: str = ""
    weights: str = ""
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

    @property
    def filters(self) -> dict[str, str]:
        """Parameter -> value of the filters that are set."""
        named = {"q": self.text, "source": self.source, "interaction": self.interaction}
        named |= {"retrieval": self.retrieval, "reasoning": self.reasoning, "weights": self.weights}
        named |= {"organisation": self.organisation, "model": self.model, "judge": self.judge}
        return {name: value for name, value in named.items() if value}

    @property
    def is_filtered(self) -> bool:
        return bool(self.filters)

    @property
    def is_chosen_from(self) -> bool:
        """Whether any filter is set beside the words that are searched for."""
        return bool(self.filters.keys() - {"q"})

    @property
    def is_chosen_further(self) -> bool:
        """Whether a filter is set that a page folds away."""
        return bool(self.filters.keys() - {"q", *NEAR})

    def cleared(self, **kept: Any) -> Query:
        """Return a query for the same board that asks for nothing but `kept`."""
        return Query(board=self.board, as_of=self.as_of, **kept)

    def as_query_string(self, **changes: Any) -> str:
        """Return the one query string of this query, with `changes` to its fields, "?" in front; "" where
        everything is as it is unless told."""
        asked = replace(self, **changes)
        said = asked.filters
        if asked.columns is not None:
            said["columns"] = ",".join(asked.columns) or NO_COLUMNS
        if asked.as_of:
            said["as_of"] = asked.as_of
        if (asked.sort, asked.descending) != ("score", True):
            said["sort"] = ("-" if asked.descending else "") + asked.sort
        if asked.page > 1:
            said["page"] = str(asked.page)
        named = [*said.items(), *(("compare", str(system)) for system in asked.compare)]
        return f"?{urlencode(named, safe=',')}" if named else ""


def read_query(said: Mapping[str, Any], benchmark: Benchmark) -> Query:
    """Return the query in request parameters: q, interaction, retrieval, reasoning, weights, source, judge,
    model, organisation, columns, as_of, page, compare (several), and sort (a column key, `-` before it for
    descending)."""

    def words(key: str) -> str:
        return "".join(c for c in said.get(key, "") if c.isprintable()).strip()

    as_of = words("as_of")
    if is_today(as_of):
        as_of = ""
    elif not as_of and said.get("as_of", "").strip(" "):
        as_of = _UNREADABLE
    is_short = 0 < len(as_of) <= _LONGEST_AS_OF
    point = find_as_of(benchmark=benchmark, text=as_of) if is_short else None
    board = BoardAt(benchmark, point)
    asked = said.get("sort", "")
    key = asked.removeprefix("-")
    can_sort = key in sort_keys(benchmark)
    page = said.get("page", "1")
    names = {name: words(name) for name in _NAMES}
    return Query(
        board=board,
        text=words("q")[:100],
        **{name: said.get(name, "") if said.get(name) in known else "" for name, known in _FACTS.items()},
        **{name: value for name, value in names.items() if value and is_known(board, name, value)},
        columns=_columns(said, benchmark),
        as_of=as_of if point else "",
        unknown_as_of="" if point else as_of[:_LONGEST_AS_OF],
        sort=key if can_sort else "score",
        descending=asked.startswith("-") if can_sort else True,
        page=int(page) if page.isdecimal() and len(page) < 7 else 1,
        compare=() if point or not hasattr(said, "getlist") else _systems(said.getlist("compare")),
    )


def _systems(said: Sequence[str]) -> tuple[int, ...]:
    """Return the first keys of systems in `said` that can be compared at once; what is none is left out."""
    keys = [int(one) for one in said[:64] if one.isascii() and one.isdecimal() and len(one) < 19]
    return tuple(dict.fromkeys(key for key in keys if key > 0))[:MOST_COMPARED]


def _columns(said: Mapping[str, Any], benchmark: Benchmark) -> tuple[str, ...] | None:
    """Return the columns asked for; None for those that are shown unless told. A form names each in a field
    of its own, an address all in one."""
    given = said.getlist("columns") if hasattr(said, "getlist") else [said.get("columns", "")]
    named = {name for value in given for name in value.split(",")}
    chosen = tuple(key for key in column_keys(benchmark) if key in named)
    if not chosen and NO_COLUMNS not in named:
        return None
    return None if chosen == default_columns(benchmark) else chosen


def column_keys(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the columns that may be chosen, in their order: never a figure that may not be seen."""
    metrics = [metric.key for metric in visibility.visible_metrics(benchmark)[1:]]
    judge = ["judge"] if registry.get(benchmark.family).needs_judge else []
    groups = ["groups"] if visibility.visible_breakdowns(benchmark) else []
    return ("interval", "next", "counts", *metrics, *groups, "date", "organisation", "models", *judge)


def default_columns(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the columns of a board that nobody has chosen columns for."""
    metrics = {metric.key for metric in visibility.visible_metrics(benchmark)[1:] if metric.column}
    shown = {"interval", "groups", "date", *metrics}
    return tuple(key for key in column_keys(benchmark) if key in shown)


def sort_keys(benchmark: Benchmark) -> list[str]:
    """Return what the board may be sorted by: never a figure that may not be seen."""
    # The first metric is the score itself.
    others = visibility.visible_metrics(benchmark)[1:]
    return ["score", *(metric.key for metric in others), *(key for key in _FIELDS if key != "score")]


def chosen(query: Query) -> StandingQuerySet[Standing]:
    """Return the rows for `query` in its order; sorted by anything, a row without the figure comes last."""
    return ordered(filtered(query.board.rows, query), query)


def filtered(rows: StandingQuerySet[Standing], query: Query) -> StandingQuerySet[Standing]:
    """Return those of `rows` that fit the filters of `query`."""
    names = ("interaction", "retrieval", "reasoning", "judge", "organisation")
    equal = {name: getattr(query, name) for name in names} | {"kind": query.source}
    rows = rows.filter(**{name: value for name, value in equal.items() if value})
    if query.weights:
        rows = rows.filter(open_weights=query.weights == "open")
    if query.model:
        rows = of_model(rows, query.model)
    if text := fold_case(query.text):
        rows = rows.filter(search__contains=text)
    return rows


def ordered(
    rows: StandingQuerySet[Standing], query: Query, *, has_gaps: bool = True
) -> StandingQuerySet[Standing]:
    """Return `rows` in the order of `query`. has_gaps: whether a row may lack a score."""
    # As rows are ranked, whatever table they are read from.
    rest = ["since", "system_id"]
    if query.sort in _FIELDS:
        field = F(_FIELDS[query.sort])
        if query.sort == "score":
            order: list[OrderBy | Case] = [_ends(field, query.descending, nulls_last=has_gaps)]
        else:
            # A score over no known number of tasks has no interval.
            order = [_ends(field, query.descending, nulls_last=query.sort == "low")]
            # Of equals the better is first; those who are not named come after those who are.
            order += [F("score").desc(nulls_last=True)]
            if query.sort in _TEXTS[1:]:
                order = [_blank(query.sort), *order]
    else:
        # SQLite gives a JSON null as the text null, which would be cast to 0.
        text = NullIf(KeyTextTransform(query.sort, "metrics"), Value("null"))
        rows = rows.annotate(figure=Cast(text, FloatField()))
        order = [_ends(F("figure"), query.descending, nulls_last=True), F("score").desc(nulls_last=True)]
    # A total order, so that pages neither repeat nor miss a row.
    return rows.order_by(*order, *rest)


def _ends(field: F, descending: bool, *, nulls_last: bool) -> OrderBy:
    # PostgreSQL reads an index in an order that says the same of nulls, so it is said where there are some.
    last = True if nulls_last else None
    return field.desc(nulls_last=last) if descending else field.asc(nulls_last=last)


def _blank(key: str) -> Case:
    return Case(When(**{_FIELDS[key]: ""}, then=1), default=0, output_field=IntegerField())
