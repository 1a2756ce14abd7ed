"""Read the filters and the order of a request, and select the rows of a board by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db.models import Case, F, FloatField, IntegerField, Q, Value, When
from django.db.models.expressions import Combinable, OrderBy
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, NullIf, Round
from django.db.models.lookups import Exact, LessThan
from django.utils import timezone

from leaderboard.models import Board, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.columns import SORTINGS, sort_keys
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.rows.filters import FILTER_BY_KEY, FILTERS, Filter
from leaderboard.services.rows.means import FEWEST_OF_MEAN
from wardboard.scoring.benchmark import Metric

_ALL = "all"  # pages in one
_LONGEST_AS_OF = 40
_UNREADABLE = "\ufffd"
_LONGEST_TEXT = 100
_LONGEST_SHOWN = 60  # characters of an unknown value


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownValue:
    """A value of a parameter that the board does not have. nearest: the known value most like it, or ""."""

    name: str
    value: str
    nearest: str

    @property
    def explanation(self) -> str:
        """A sentence in English."""
        return f"{self.name}={self.value} is not a value of this leaderboard."


def unknown_value(name: str, value: str, known: Sequence[str]) -> UnknownValue:
    """Return a value of the parameter `name` that is not among `known`, with the nearest of these."""
    shown = "".join(c if c.isprintable() else _UNREADABLE for c in value)
    shown = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    folded = {known_value.casefold(): known_value for known_value in known if known_value}
    nearest = get_close_matches(value.casefold()[:_LONGEST_SHOWN], folded, n=1, cutoff=0.5)
    return UnknownValue(name=name, value=shown, nearest=folded[nearest[0]] if nearest else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The rows, order and columns that a reader wants of a board. Unknown values select nothing.

    filters: key -> value of the filters that are set, in the order of FILTERS
    as_of: the point of the log as the reader wrote it; "" for now
    unknown_as_of: an `as_of` that matches no point; must be reported, because the rows are those of now
    page: from 1; 0 for all rows on one page
    unknown: the filter values and the order that the board does not have; must be reported
    """

    board_at: BoardAt
    filters: Mapping[str, str] = field(default_factory=dict)
    as_of: str = ""
    unknown_as_of: str = ""
    sort: str = "score"
    descending: bool = True
    page: int = 1
    unknown: tuple[UnknownValue, ...] = ()

    @property
    def judge(self) -> str:
        """The judge whose rows are chosen; "" for all."""
        return self.filters.get("judge", "")

    @property
    def is_filtered(self) -> bool:
        return bool(self.filters)

    @property
    def board(self) -> Board:
        return self.board_at.board

    @property
    def is_common(self) -> bool:
        """Whether many readers make this query: the first page in some order."""
        return self.page == 1 and not (self.filters or self.as_of)

    def explain_unknown(self) -> str:
        """Return sentences in English that name the values the board does not have; "" without any."""
        return " ".join(value.explanation for value in self.unknown)

    def suggest_known(self) -> str:
        """Return sentences in English that name the nearest known values."""
        nearest = [f"Did you mean {value.name}={value.nearest}?" for value in self.unknown if value.nearest]
        return " ".join(nearest) or "/api/v1/openapi.json lists the values of each parameter."

    def without_filters(self) -> Query:
        """Return this query for all rows, with its order."""
        return replace(self, page=1, filters={})

    def with_filters(self, **values: str) -> Query:
        """Return this query with other values of some filters; "" takes a filter away."""
        changed = {**self.filters, **values}
        ordered = {key: value for key in FILTER_BY_KEY if (value := changed.get(key))}
        return replace(self, page=1, filters=ordered)

    def of_one_judge(self) -> Query:
        """Return this query for the rows of one judge, that of the reader or the compared one.

        Verdicts of two judges do not compare. It is unchanged where the board mixes them or has one judge.
        """
        judge = self.board_at.compared_judge
        if self.judge or judge is None or len(self.board_at.census.judges) < 2:
            return self
        return replace(self.with_filters(judge=judge), page=self.page)

    def cleared(self) -> Query:
        """Return the query of a reader who has chosen nothing but the point of the log."""
        return Query(board_at=self.board_at, as_of=self.as_of)

    def as_query_string(self, **changes: Any) -> str:
        """Return the canonical query string of this query with `changes` to its fields.

        It begins with "?", or is "" if every field has its default.
        """
        query = replace(self, **changes)
        params = dict(query.filters)
        if query.as_of:
            params["as_of"] = query.as_of
        if (query.sort, query.descending) != ("score", True):
            params["sort"] = ("-" if query.descending else "") + query.sort
        if query.page != 1:
            params["page"] = str(query.page or _ALL)
        return f"?{urlencode(params, safe=',')}" if params else ""


def read_query(params: Mapping[str, Any], board: Board) -> Query:
    """Return the query that the parameters of a request describe.

    as_of: a point of the board's log. page: from 1, or "all"
    sort: a column key, with `-` before it for descending
    """

    as_of = _read_text(params, "as_of") or _first_table(board)
    if as_of == timezone.now().date().isoformat():
        as_of = ""
    elif not as_of and params.get("as_of", "").strip(" "):
        as_of = _UNREADABLE
    point = find_as_of(board=board, text=as_of) if 0 < len(as_of) <= _LONGEST_AS_OF else None
    board_at = BoardAt(board, point)
    if board_at.is_past and board.is_declared:
        # Its columns are those of the declaration that graded its newest row.
        newest = board_at.rows.filter(evaluation__isnull=False).order_by("-evaluation__created_at")
        version = newest.values_list("evaluation__scorer_version", flat=True).first()
        board = board.as_graded_by(version or "")
        board_at = BoardAt(board, point)
    sort = params.get("sort", "")
    key = sort.removeprefix("-")
    if key == visibility.ranked_metric(board).key:
        key = "score"
    keys = sort_keys(board)
    can_sort = key in keys
    page = params.get("page", "1")
    number = int(page) if page.isdecimal() and len(page) < 7 else 1
    filters, unknown = {}, []
    for each in FILTERS:
        value = params.get(each.key, "") if each.values else _read_text(params, each.key)
        if each.is_search:
            value = value[:_LONGEST_TEXT]
        if not value:
            continue
        if value in each.values or each.is_search or (not each.values and _is_known(board_at, each, value)):
            filters[each.key] = board_at.model_names.name_of(value) if each.joins_spellings else value
        else:
            known = [*each.values] or filter_choices(board_at).get(each.key, ())
            unknown.append(unknown_value(each.key, value, known))
    if key and not can_sort:
        unknown.append(unknown_value("sort", key, keys))
    return Query(
        board_at=board_at,
        filters=filters,
        as_of=as_of if point else "",
        unknown_as_of="" if point else as_of[:_LONGEST_AS_OF],
        sort=key if can_sort else "score",
        descending=sort.startswith("-") if can_sort else True,
        page=0 if page == _ALL else max(1, number),
        unknown=tuple(unknown),
    )


def _first_table(board: Board) -> str:
    """Return the event whose table a season shows for ever; "" while it is the last one, and elsewhere."""
    number = board.season.table_number if board.is_season else None
    return str(number) if number is not None and number < board.state.number else ""


def filter_choices(board_at: RecordedBoard) -> Mapping[str, Sequence[str]]:
    """Return filter -> names by which the rows can be filtered, those with most systems, in their order."""
    return board_at.remember(
        "offers", lambda: {each.key: _names(board_at, each) for each in FILTERS if each.names}
    )


def _names(board_at: RecordedBoard, chosen: Filter) -> Sequence[str]:
    names = chosen.names(board_at.rows) if chosen.names else []
    return sorted(board_at.model_names.all_of(names), key=str.casefold) if chosen.joins_spellings else names


def _condition(board_at: RecordedBoard, chosen: Filter, value: str) -> Q:
    spellings = board_at.model_names.spellings(value) if chosen.joins_spellings else [value]
    return Q(*map(chosen.condition, spellings), _connector=Q.OR)


def _read_text(params: Mapping[str, Any], key: str) -> str:
    return "".join(c for c in params.get(key, "") if c.isprintable()).strip()


def _is_known(board_at: RecordedBoard, chosen: Filter, name: str) -> bool:
    is_listed = name in filter_choices(board_at).get(chosen.key, ())
    return is_listed or board_at.rows.filter(_condition(board_at, chosen, name)).exists()


def select_rows(query: Query) -> StandingQuerySet[Standing]:
    """Return the rows for `query` in its order. Rows without the figure to sort by come last."""
    return order_rows(filter_rows(query.board_at.rows, query), query)


def filter_rows(rows: StandingQuerySet[Standing], query: Query) -> StandingQuerySet[Standing]:
    for key, value in query.filters.items():
        rows = rows.filter(_condition(query.board_at, FILTER_BY_KEY[key], value))
    return rows


def order_rows(
    rows: StandingQuerySet[Standing], query: Query, *, has_gaps: bool = True
) -> StandingQuerySet[Standing]:
    """Return `rows` in the order of `query`. has_gaps: whether a row may lack a score"""
    # The ranking breaks ties in the same way, on current and on past boards.
    tie_breakers = ["since", "system_id"]
    # PostgreSQL uses an index only if query and index put nulls at the same end. Without nulls, name none.
    sort_by = partial(OrderBy, descending=query.descending)
    if sorting := SORTINGS.get(query.sort):
        column = F(sorting.field)
        if query.sort == "score":
            order: list[OrderBy | Case] = [sort_by(column, nulls_last=has_gaps or None)]
        else:
            nulls_last = (sorting.has_gaps and not sorting.is_text) or None
            order = [sort_by(column, nulls_last=nulls_last)]
            # Among equal values the better score comes first. Empty values come last.
            order += [F("score").desc(nulls_last=True)]
            if sorting.has_gaps and sorting.is_text:
                is_blank = Case(When(**{sorting.field: ""}, then=1), default=0, output_field=IntegerField())
                order = [is_blank, *order]
    else:
        metric = next(m for m in visibility.visible_metrics(query.board_at.board) if m.key == query.sort)
        # Round the figure as it is printed: the order of rows must not reveal more digits of a mean.
        rounded = Round(_stored(metric.key), precision=metric.decimals)
        rows = rows.annotate(figure=Case(*_not_shown(metric), default=rounded, output_field=FloatField()))
        order = [sort_by(F("figure"), nulls_last=True), F("score").desc(nulls_last=True)]
        if metric.over_key:
            order = [_thin_last(metric), *order]
    # The order is total, so that pages neither repeat nor omit a row.
    return rows.order_by(*order, *tie_breakers)


def _stored(key: str) -> Combinable:
    # SQLite gives a JSON null as the text null, which would be cast to 0.
    return Cast(NullIf(KeyTextTransform(key, "metrics"), Value("null")), FloatField())


def _not_shown(metric: Metric) -> list[When]:
    """Return the conditions under which `Metric.shown` is None though a figure is stored."""
    hollow = [When(Exact(_stored(metric.needs_key), 0.0), then=None)] if metric.needs_key else []
    thin = [When(LessThan(_stored(metric.over_key), metric.least_share), then=None)]
    return [*hollow, *(thin if metric.least_share else [])]


def _thin_last(metric: Metric) -> Case:
    """Return what puts means over few tasks after the others, and rows that show none last."""
    return Case(
        When(figure__isnull=True, then=2),
        When(LessThan(_stored(metric.over_key), FEWEST_OF_MEAN), then=1),
        default=0,
        output_field=IntegerField(),
    )
