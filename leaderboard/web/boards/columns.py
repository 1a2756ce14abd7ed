"""The heads of a board's table, with the link that sorts by each."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.services.boards.columns import Column
from leaderboard.services.boards.page import BoardPage
from leaderboard.services.boards.query import Query


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


def heads(page: BoardPage) -> list[Head]:
    return [_head(column, page.query) for column in page.columns]


def _head(column: Column, query: Query) -> Head:
    label, description = _(column.label), column.describe(query.board_at.board)
    if column.sorting is None:
        return Head(column=column, label=label, description=description)
    is_sorted = query.sort == column.sort_key
    descends = not (column.sorting.is_text or column.sorting.is_best_lowest)
    descending = not query.descending if is_sorted else descends
    order = ("descending" if query.descending else "ascending") if is_sorted else ""
    sort_query = query.as_query_string(sort=column.sort_key, descending=descending, page=1)
    return Head(column=column, label=label, description=description, order=order, sort_query=sort_query)
