"""The heads of a board's table, with the link that sorts by each, and the columns to choose from."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.services.boards.columns import SYSTEM, Column, columns_of, score_of
from leaderboard.services.boards.query import Query, default_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a column, with its texts translated.

    description: the content of the column in a sentence; "" where the label suffices
    order: the current order as a value of aria-sort; "" where the table is sorted by another column
    sort_query: the query string of the link that sorts by it; None where nothing can be sorted by it
    """

    column: Column
    label: str
    description: str
    order: str = ""
    sort_query: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A column that readers can show or hide. label: says, too, where no row has a value in it."""

    key: str
    label: str
    is_visible: bool


def columns(query: Query, *, has_groups: bool, empty: Collection[str] = ()) -> list[Column]:
    """Return the visible columns in order.

    has_groups: whether any row has figures by group
    empty: keys of metrics that no row has; left out unless the reader chose them or sorts by them
    """
    benchmark = query.board.benchmark
    if query.columns is not None:
        visible = query.columns
    else:
        visible = tuple(key for key in default_columns(benchmark) if key not in empty or key == query.sort)
    chosen = [
        column
        for column in columns_of(benchmark)
        if column.key in visible and (column.key != "groups" or has_groups)
    ]
    before_score = [column for column in chosen if column.is_before_score]
    # Of the others the interval is first, so that it is read beside its score.
    others = [column for column in chosen if not column.is_before_score]
    return [SYSTEM, *before_score, score_of(benchmark), *others]


def choices(query: Query, *, empty: Collection[str] = ()) -> list[Choice]:
    """Return the columns that readers can choose, in order. empty: as for `columns`."""
    benchmark = query.board.benchmark
    visible = query.columns if query.columns is not None else default_columns(benchmark)
    return [
        Choice(
            key=column.key,
            label=_("%(label)s (no values here)") % {"label": _(column.label)}
            if column.key in empty
            else _(column.label),
            is_visible=column.key in visible,
        )
        for column in columns_of(benchmark)
    ]


def heads(columns: Collection[Column], query: Query) -> list[Head]:
    """Return the heads of `columns` in the table of `query`."""
    return [_head(column, query) for column in columns]


def _head(column: Column, query: Query) -> Head:
    label, description = _(column.label), column.describe(query.board.benchmark)
    if column.sorting is None:
        return Head(column=column, label=label, description=description)
    is_sorted = query.sort == column.sort_key
    descends = not (column.sorting.is_text or column.sorting.is_best_lowest)
    descending = not query.descending if is_sorted else descends
    order = ("descending" if query.descending else "ascending") if is_sorted else ""
    sort_query = query.as_query_string(sort=column.sort_key, descending=descending, page=1)
    return Head(column=column, label=label, description=description, order=order, sort_query=sort_query)
